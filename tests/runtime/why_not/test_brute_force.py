"""The smallest sets of changes against the oracle: each allows, and no set that allows is missing."""

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.support import oracle
from tests.support.bundling import engine_for
from tests.support.changes import BruteForce, allows, key_of_change
from tests.support.strategies import seeded_case
from tests.support.strategies_pick import Pick

SEEDS, DRAWN = 40, 60


@pytest.mark.parametrize("block", range(2))
def test_the_sets_allow_and_none_is_missing(block: int, tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    for seed in range(block * SEEDS, (block + 1) * SEEDS):
        check_seed(seed, tmp_path, counts)
    assert counts["sets"] > SEEDS // 2
    assert counts["allowed by brute force"] > SEEDS


@pytest.mark.heavy
def test_many_more(tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    for seed in range(1_000, 3_000):
        check_seed(seed, tmp_path, counts)
    assert counts["larger sets"] > SEEDS


def check_seed(seed: int, tmp_path: Path, counts: Counter[str]) -> None:
    """Check the sets of one question, and draw changes of it that they may miss."""
    document, request, now = seeded_case(seed)
    request = {name: part for name, part in request.items() if name != "options"}
    if oracle.decide(document, request, now)["decision"]:
        return
    found = engine_for(document, tmp_path / f"{seed}.bundle").why_not(request, now)
    for one in found["sets"]:
        counts["sets"] += 1
        counts["larger sets"] += len(one["changes"]) > 1
        check_set(document, request, one["changes"], now, seed)
    if found.get("undeclared"):
        return
    keys = [frozenset(map(key_of_change, one["changes"])) for one in found["sets"]]
    counts["incomplete"] += not found["complete"]
    assert not any(one < other for one in keys for other in keys)
    brute = BruteForce(document, request, now)
    for number in range(DRAWN if brute.units else 0):
        changes = brute.drawn(Pick.seeded(seed * 1_000 + number))
        if allows(document, request, changes, now):
            counts["allowed by brute force"] += 1
            changed = frozenset(map(key_of_change, changes))
            assert any(one <= changed for one in keys), (seed, changes, found)


def check_set(document: Any, request: Any, changes: list[Any], now: float, seed: int) -> None:
    assert allows(document, request, changes, now), (seed, changes)
    for size in range(len(changes)):
        for some in combinations(changes, size):
            assert not allows(document, request, list(some), now), (seed, changes, some)
