"""The laws of a trial: each compares an engine's answers with the oracle's, and fails by an exception."""

from collections.abc import Callable
from typing import Any, Final

from writ.runtime import Engine, RateCounters

from tests.runtime import test_agreement
from tests.runtime.filters import test_decided_filters, test_filters
from tests.runtime.searches import test_searches
from tests.support import oracle, oracle_searches
from tests.support.oracle_rates import Counters, by_slots
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request as drawn_request

Document = dict[str, Any]
LATER: Final = (0, 0, 0.5, 3, 3, 3, 64)
"""Seconds from the first decision of a series to each of them."""

LATEST: Final = 4_000_000_000.0
"""Counters count from 1970 on, and not without end."""

MOST_ACTORS: Final = 3

Law = Callable[[Engine, Document, Document, float], None]


def decide(engine: Engine, document: Document, request: Document, now: float) -> None:
    """A decision, alone, again and in a batch (D1 to D9)."""
    expected = oracle.decide(document, request, now)
    found = [test_agreement.judged(engine.decide(request, now)) for _ in range(2)]
    found += [test_agreement.judged(item) for item in engine.decide_many([request, request], now)]
    for answer in found:
        assert answer == expected, f"the engine says {answer}, the oracle {expected}"


def count(engine: Engine, document: Document, request: Document, now: float) -> None:
    """Decisions one after another, with counters for rate limits (C10)."""
    if not 0 <= now <= LATEST:
        return
    counting, right = engine.pinned(), Counters(by_slots)
    counting._counters = RateCounters(memory_bytes=2**16)
    for later in LATER:
        expected = oracle.decide(document, request, now + later, right)
        found = test_agreement.judged(counting.decide(request, now + later))
        assert found == expected, f"after {later} s the engine says {found}, the oracle {expected}"


def open_filter(engine: Engine, document: Document, request: Document, now: float) -> None:
    """A filter with open gates, with and without direct grants (F1 to F6)."""
    rows = test_filters.rows(Pick.seeded(0), request)
    test_filters.check(engine, document, request, now, rows)


def decided_filter(engine: Engine, document: Document, request: Document, now: float) -> None:
    """A filter with decided gates, and its `valid_until` (F7)."""
    rows = test_filters.rows(Pick.seeded(0), request)
    test_decided_filters.check(engine, document, request, now, rows)


def chain(engine: Engine, document: Document, request: Document, now: float) -> None:
    """Decisions, counts and filters on behalf of others, which are drawn from the instant (A1)."""
    pick = Pick.seeded(int(now) if abs(now) < LATEST else 0)
    actors = [_actor(pick, document, request) for _ in range(pick.number(1, MOST_ACTORS))]
    sent = actors[0] if len(actors) == 1 and pick.chance(1, 2) else actors
    for law in (decide, count):
        law(engine, document, request | {"options": {"actor": sent}}, now)
    everyone = [request | {"subject": one} for one in (request["subject"], *actors)]
    for options, admits in ({}, oracle_searches.admits), (test_decided_filters.DECIDE, oracle_searches.admits_decided):
        answer = engine.filter(test_filters.search_of(request, options=options | {"actor": sent}), now)
        for row in test_filters.rows(Pick.seeded(0), request):
            expected = all(admits(document, test_filters.asked_of(document, one, now, row)) for one in everyone)
            assert oracle_searches.tree_holds(answer["filter"], *row) == expected, f"{options}, {sent}, {row}"


def _actor(pick: Pick, document: Document, request: Document) -> Document:
    """Another subject, or now and then the subject itself. An actor has no name."""
    subject = request["subject"] if pick.chance(1, 4) else drawn_request(pick, document)["subject"]
    return {name: value for name, value in subject.items() if name != "name"}


def search(engine: Engine, document: Document, request: Document, now: float) -> None:
    """Resource, subject and action searches, with the context as it came, none, and an empty one (S2, S3, S5)."""
    for asking in (request, {**request, "context": None}, {**request, "context": {}}):
        test_searches.check_resources(engine, document, asking, now)
        test_searches.check_subjects(engine, document, asking, now)
        test_searches.check_actions(engine, document, asking, now)


LAWS: Final[dict[str, Law]] = {
    "decide": decide,
    "count": count,
    "chain": chain,
    "explain": test_agreement.check,
    "filter": open_filter,
    "decided_filter": decided_filter,
    "search": search,
}
"""By name. `explain` compares the proof, and `allowed` as well."""
