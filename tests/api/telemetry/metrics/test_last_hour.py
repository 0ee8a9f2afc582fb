"""The decisions by minute are exact, whatever becomes of the workers and the clock."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.api.telemetry.metrics import counter_layout
from writ.api.telemetry.metrics.counts import Counts
from writ.api.telemetry.metrics.last_hour import MINUTE_SECONDS, MINUTES
from writ.bundles.manifest import Environment
from writ.runtime.rules.reasons import ReasonCode

from tests.api.telemetry.metrics.test_counts import engine_of
from tests.support.clock import Clock

NOON = 1_800_000_000.0 // MINUTE_SECONDS * MINUTE_SECONDS
PLACES = 2
ENVIRONMENTS = ("prod", "staging")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("wait"), st.integers(1, 59) | st.integers(60, 5000), st.just("")),
        st.tuples(st.just("end"), st.integers(0, PLACES - 1), st.just("")),
        st.tuples(st.just("start"), st.integers(0, PLACES - 1), st.just("")),
        st.tuples(st.sampled_from(ENVIRONMENTS), st.integers(0, PLACES - 1), st.sampled_from([*ReasonCode])),
    ),
    max_size=40,
)


class Workers:
    """Workers of one server that a test starts and ends, on a clock that it sets."""

    def __init__(self) -> None:
        self.clock = Clock(NOON + 30)
        self.table = Counts.shared((), PLACES, self.clock).table
        self.living: dict[int, Counts] = {}

    def start(self, place: int) -> Counts:
        """Starts a worker, unless its place is taken."""
        if place not in self.living:
            self.living[place] = Counts(self.table)
            self.living[place].start_worker(place)
        return self.living[place]

    def advance(self, seconds: float) -> None:
        """Sets the clock on. Those that live have their heartbeat then."""
        self.clock.now += seconds
        for counts in self.living.values():
            counts.sample_minute()

    def minutes(self, environment: str) -> list[tuple[int, Counter[str]]]:
        """The decisions by reason code, with the start of each minute."""
        found = self.table.hour.read(f"uuid-of-{environment}")
        assert found.is_whole
        return [
            (one.start, Counter({code: count for (_, code), count in one.counts.items() if count}))
            for one in found.minutes
        ]

    def decided(self, environment: str) -> list[int]:
        """The decisions of each minute."""
        return [counts.total() for _, counts in self.minutes(environment)]


def decide(counts: Counts, environment: str, code: str = "ALLOWED", times: int = 1) -> None:
    counts.decided_many(engine_of(environment), [code] * times)


@given(STEPS)
def test_every_decision_is_in_its_minute(steps: list[tuple[str, int, str]]) -> None:
    workers = Workers()
    expected: dict[tuple[str, int], Counter[str]] = {}
    for step, number, code in steps:
        minute = int(workers.clock.now) // MINUTE_SECONDS * MINUTE_SECONDS
        match step:
            case "wait":
                workers.advance(number)
            case "end":
                workers.living.pop(number, None)
            case "start":
                workers.start(number)
            case environment:
                decide(workers.start(number), environment, code)
                expected.setdefault((environment, minute), Counter())[code] += 1
    for environment in ENVIRONMENTS:
        found = workers.minutes(environment)
        first = max(int(NOON), int(workers.clock.now) // MINUTE_SECONDS * MINUTE_SECONDS - 59 * MINUTE_SECONDS)
        assert [start for start, _ in found] == [*range(first, int(workers.clock.now) + 1, MINUTE_SECONDS)]
        assert found == [(start, expected.get((environment, start), Counter())) for start, _ in found]


def test_a_young_service_tells_since_when_it_counts() -> None:
    workers = Workers()
    decide(workers.start(0), "prod")
    hour = workers.table.hour.read("uuid-of-prod")
    assert (hour.since, hour.until, len(hour.minutes)) == (NOON + 30, NOON + 30, 1)
    workers.advance(59 * MINUTE_SECONDS)
    assert workers.table.hour.read("uuid-of-prod").since == NOON + 30
    workers.advance(MINUTE_SECONDS)
    hour = workers.table.hour.read("uuid-of-prod")
    assert (hour.since, len(hour.minutes)) == (NOON + MINUTE_SECONDS, MINUTES)
    assert sum(sum(one.counts.values()) for one in hour.minutes) == 0


def test_a_decision_before_the_heartbeat_of_a_minute_counts_once() -> None:
    workers = Workers()
    counts = workers.start(0)
    decide(counts, "prod")
    workers.clock.now = NOON + MINUTE_SECONDS  # no heartbeat yet
    decide(counts, "prod", times=2)
    assert workers.decided("prod") == [3, 0]
    workers.advance(0.9)
    assert workers.decided("prod") == [3, 0]
    decide(counts, "prod", times=4)
    assert workers.decided("prod") == [3, 4]


def test_a_clock_that_is_set_back_begins_the_hour_anew() -> None:
    workers = Workers()
    for _ in range(5):
        decide(workers.start(0), "prod", times=10)
        workers.advance(MINUTE_SECONDS)
    workers.advance(-3 * MINUTE_SECONDS)
    decide(workers.start(0), "prod", times=3)
    hour = workers.table.hour.read("uuid-of-prod")
    assert hour.since == workers.clock.now
    assert workers.decided("prod") == [3]
    workers.advance(MINUTE_SECONDS)
    decide(workers.start(0), "prod", times=4)
    assert workers.decided("prod") == [3, 4]


def test_an_environment_in_the_place_of_a_deleted_one_begins_with_nothing() -> None:
    workers = Workers()
    counts = workers.start(0)
    for _ in range(3):
        decide(counts, "prod", times=10)
        workers.advance(MINUTE_SECONDS)
    counts.keep_environments({"uuid-of-staging"})
    decide(counts, "staging", times=2)
    assert workers.decided("prod") == [0, 0, 0, 0]
    assert workers.decided("staging") == [0, 0, 0, 2]
    workers.advance(MINUTE_SECONDS)
    assert workers.decided("staging") == [0, 0, 0, 2, 0]


def test_what_is_counted_with_others_is_not_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counter_layout, "MOST_ENVIRONMENTS", 1)
    workers = Workers()
    decide(workers.start(0), "prod")
    assert workers.table.hour.read("uuid-of-staging").is_whole
    decide(workers.start(0), "staging")
    assert workers.table.hour.read("uuid-of-prod").is_whole
    assert not workers.table.hour.read("uuid-of-staging").is_whole


def test_an_item_that_could_not_be_decided_has_its_own_series() -> None:
    workers = Workers()
    engine: Any = engine_of("prod")
    assert engine.manifest.environment == Environment("prod", "uuid-of-prod")
    workers.start(0).decided_many(engine, [None, "ALLOWED", None])
    (minute,) = workers.table.hour.read("uuid-of-prod").minutes
    assert {series: count for series, count in minute.counts.items() if count} == {
        ("error", ""): 2,
        ("allow", "ALLOWED"): 1,
    }
