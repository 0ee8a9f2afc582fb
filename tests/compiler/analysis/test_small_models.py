"""The difference of small models against every request of a domain of ten values per attribute, by the oracle.

No region is wrong, and no part is "not known" of which the domain has a request that shows it.
"""

from collections import Counter
from typing import Any

import pytest
from writ.compiler.analysis.limits import NO_WITNESS

from tests.support import oracle
from tests.support.analysing import analysed, is_valid
from tests.support.region_members import lies_in
from tests.support.small_models import NOW, small_pair, small_requests
from tests.support.strict_models import faults_of

Document = dict[str, Any]
Counts = Counter[str]

PAIRS = 20
BLOCKS = 4


@pytest.mark.parametrize("block", range(BLOCKS))
def test_every_request_of_a_domain_lies_where_its_answer_changes(block):
    counts: Counts = Counter()
    for seed in range(block * PAIRS, (block + 1) * PAIRS):
        check_small(seed, counts, as_bundles=bool(seed % 2))
    assert counts["regions"] > PAIRS // 3  # or the models are too dull to prove anything
    assert counts["changed"] > 10 * PAIRS


def check_small(seed: int, counts: Counts, as_bundles: bool = False) -> None:
    """Analyse a pair of small models, and compare each request that both accept with the regions (E8)."""
    documents = small_pair(seed)
    if not all(map(is_valid, documents)):
        return
    found = analysed(*documents, as_bundles=as_bundles)
    counts["pairs"] += 1
    counts["regions"] += len(found.gains) + len(found.loses)
    unknown = any(one.reason == NO_WITNESS for one in found.unknown)
    counts["not known"] += unknown
    for asked in small_requests(seed, documents):
        if any(faults_of(one, asked) for one in documents):
            continue
        before, after = (oracle.decide(one, asked, NOW)["decision"] for one in documents)
        counts["requests"] += 1
        counts["changed"] += before != after
        gains = any(lies_in(found, region, documents, asked, NOW) for region in found.gains)
        loses = any(lies_in(found, region, documents, asked, NOW) for region in found.loses)
        expected = after and not before, before and not after
        assert (gains, loses) == expected, (seed, "not known" if unknown else "wrong", asked)
