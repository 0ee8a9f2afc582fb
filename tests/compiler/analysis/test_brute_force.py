"""The analysis against the oracle: an answer changes exactly if the request lies in a region."""

from collections import Counter
from typing import Any

import pytest
from writ.compiler.analysis.limits import NO_WITNESS, TOO_MANY_STEPS
from writ.compiler.analysis.regions import People

from tests.support import oracle
from tests.support.analysing import analysed, edited, is_valid, without_rates
from tests.support.element_edits import EDITS, with_edits
from tests.support.oracle_conditions import misfits
from tests.support.oracle_entities import question
from tests.support.region_members import lies_in, lies_in_reasons
from tests.support.strategies import document, near_edge
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request

Document = dict[str, Any]

MODELS, REQUESTS = 30, 8
SHARE_WITHOUT_WITNESS = 0.03


@pytest.mark.parametrize("as_bundles", [False, True])
@pytest.mark.parametrize("block", range(2))
def test_answers_change_exactly_in_regions(block, as_bundles):
    counts: Counter[str] = Counter()
    for seed in range(block * MODELS, (block + 1) * MODELS):
        check_seed(seed, counts, as_bundles)
    assert counts["changed"] > MODELS // 3  # or the models are too dull to prove anything
    assert counts["other reason"] > MODELS // 4
    assert counts["reason not known"] < counts["same reason"]
    assert counts["no witness"] <= max(3, SHARE_WITHOUT_WITNESS * counts["regions"])


def test_edits_of_elements_change_answers_exactly_in_regions():
    counts: Counter[str] = Counter()
    for seed in range(3 * MODELS):
        check_edits(seed, counts, as_bundles=bool(seed % 2))
    assert counts["changed"] > MODELS // 2
    assert counts["other reason"] > MODELS // 4


def test_each_kind_of_edit_makes_valid_models():
    done: Counter[str] = Counter()
    for seed in range(90):
        before = document(Pick.seeded(seed))
        after, names = with_edits(before, seed)
        if after != before and is_valid(after):
            done.update(names)
    assert done.keys() == EDITS.keys()


@pytest.mark.parametrize("seed", [8197, 8546])
def test_a_name_of_another_resource_leaves_reasons_unknown(seed):
    counts: Counter[str] = Counter()
    check_seed(seed, counts, as_bundles=bool(seed % 2))
    assert counts["reason not known"]


def check_seed(seed: int, counts: Counter[str], as_bundles: bool) -> None:
    """Analyse one pair of models, and ask both about what they speak of."""
    before = document(Pick.seeded(seed))
    after = edited(before, seed) if seed % 4 else document(Pick.seeded(seed + 10**6))
    if is_valid(after):
        check_pair(before, after, seed, counts, as_bundles)


def check_edits(seed: int, counts: Counter[str], as_bundles: bool) -> None:
    """Analyse a model with up to three edits of elements, and ask both about what they speak of."""
    before = document(Pick.seeded(seed))
    after, names = with_edits(before, seed)
    if after != before and is_valid(after):
        check_pair(before, after, seed, counts, as_bundles)
        counts.update(names)


def check_pair(before: Document, after: Document, seed: int, counts: Counter[str], as_bundles: bool) -> None:
    """Analyse two models, and ask both about what they speak of."""
    found = analysed(before, after, as_bundles=as_bundles)
    counts["regions"] += len(found.gains) + len(found.loses)
    counts["no witness"] += sum(one.reason == NO_WITNESS for one in found.unknown)
    documents = without_rates(before), without_rates(after)
    check_witnesses(found, documents)
    for number in range(REQUESTS):
        pick = Pick.seeded(seed * 100 + number)
        asked = request(pick, documents[number % 2])
        now = near_edge(pick)
        counts["changed"] += check_request(found, documents, asked, now, seed)
        counts[check_reason(found, documents, asked, now, seed)] += 1


def check_request(found: People, documents: tuple[Document, Document], asked: Document, now: float, seed: int) -> bool:
    """Compare one request with the regions. Gives back whether its answer changes."""
    before, after = (oracle.decide(one, asked, now)["decision"] for one in documents)
    pair = asked["resource"]["type"], asked["action"]["name"]
    if any(one.pair == pair and one.reason in (NO_WITNESS, TOO_MANY_STEPS) for one in found.unknown):
        return False
    if is_beyond_regions(documents, asked, now):
        return False
    gains = any(lies_in(found, region, documents, asked, now) for region in found.gains)
    loses = any(lies_in(found, region, documents, asked, now) for region in found.loses)
    assert (gains, loses) == (after and not before, before and not after), (seed, asked, now)
    return bool(before != after)


def is_beyond_regions(documents: tuple[Document, Document], asked: Document, now: float) -> bool:
    """Regions are about requests that keep to the declarations of both models (C13)."""
    return any(misfits(question(one, asked, now)) for one in documents)


def check_reason(found: People, documents: tuple[Document, Document], asked: Document, now: float, seed: int) -> str:
    """Compare the reason of one request with the regions of reasons (D1 to D6). Gives back what it is."""
    before, after = (oracle.decide(one, asked, now)["reason_code"] for one in documents)
    pair = asked["resource"]["type"], asked["action"]["name"]
    declared = {
        (one.get("name", one["id"]), action)
        for document in documents
        for one in document.get("resource_types", [])
        for action in one["actions"]
    }
    told = lies_in_reasons(found, documents, asked, now)
    if told is None or pair not in declared or is_beyond_regions(documents, asked, now):
        return "reason not known"
    changes = before != after and "ALLOWED" not in (before, after)
    assert told == changes, (seed, asked, now, before, after)
    return "other reason" if changes else "same reason"


def check_witnesses(found: People, documents: tuple[Document, Document]) -> None:
    """The oracle answers each witness as the engine did, and it lies in its region."""
    for regions, expected in ((found.gains, (False, True)), (found.loses, (True, False))):
        for region in regions:
            asked, now = region.witness.request, region.witness.now
            assert tuple(oracle.decide(one, asked, now)["decision"] for one in documents) == expected
            assert lies_in(found, region, documents, asked, now)
