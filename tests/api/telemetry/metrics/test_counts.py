"""The table of counters, the blocks of environments, and the text that is made of them."""

import os
import threading
from contextlib import suppress
from time import perf_counter_ns
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.openmetrics import parser as openmetrics
from prometheus_client.parser import text_string_to_metric_families
from writ.api.telemetry.metrics import counter_layout
from writ.api.telemetry.metrics.blocks import OTHERS
from writ.api.telemetry.metrics.counter_layout import BOUNDS_SECONDS, LAST, MOST_ENVIRONMENTS, SUM
from writ.api.telemetry.metrics.counts import NO_ENVIRONMENT, Counts
from writ.api.telemetry.metrics.definitions import BUILD_INFO, CACHE_ENTRIES, METRICS, STATUSES
from writ.api.telemetry.metrics.exposition import MetricsScope, Readings, exposition
from writ.api.telemetry.metrics.metric import MetricServer, MetricType, Split
from writ.bundles.manifest import Environment
from writ.runtime.rules.reasons import ReasonCode

ROUTE = ("/access/v1/evaluation", "POST")
SERVICE = MetricsScope(where=MetricServer.SERVICE)
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def engine_of(id: str | None, uuid: str | None = None, revision: int = 1) -> Any:
    """What counting needs of an engine."""
    environment = None if id is None else Environment(id, uuid or f"uuid-of-{id}")
    return SimpleNamespace(manifest=SimpleNamespace(environment=environment), revision=revision)


def text_of(counts: Counts, asked: MetricsScope = SERVICE, readings: Readings | None = None) -> str:
    return exposition(counts.table, readings or {}, asked, "")[0].decode()


def samples(counts: Counts, asked: MetricsScope = SERVICE) -> Samples:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text_of(counts, asked))
        for sample in family.samples
    }


def value(found: Samples, name: str, **labels: str) -> float:
    """The sum of the samples with these labels."""
    return sum(number for (one, have), number in found.items() if one == name and labels.items() <= dict(have).items())


def test_every_metric_has_a_name_a_unit_and_a_help_by_the_conventions() -> None:
    assert len({metric.name for metric in METRICS}) == len(METRICS)
    for metric in METRICS:
        assert metric.name.startswith(("writ_", "process_"))
        assert metric.help.endswith(".")
        assert metric.unit or metric.name.endswith("_info")
        assert (metric.kind is MetricType.COUNTER) == metric.name.endswith("_total")
        if metric.unit in ("seconds", "bytes"):
            assert metric.name.removesuffix("_total").endswith(f"_{metric.unit}")
        assert len(set(metric.series)) == len(metric.series)
        if metric.split is not Split.READ:
            assert all(len(series) == len(metric.labels) for series in metric.series)


def test_every_reason_code_has_a_series() -> None:
    counts, engine = Counts.apart(), engine_of("prod")
    for code in ReasonCode:
        counts.decided(engine, code.value)
    found = samples(counts)
    assert {value(found, "writ_decisions_total", reason_code=code.value) for code in ReasonCode} == {1.0}
    assert value(found, "writ_decisions_total", outcome="allow") == 1


def test_the_text_parses_in_both_formats_and_has_help_for_every_metric() -> None:
    counts = Counts.apart([ROUTE])
    counts.answered(counts.cells_of(ROUTE, 200), perf_counter_ns())
    counts.decided(engine_of("prod"), "ALLOWED")
    readings: Readings = {BUILD_INFO: {("1",): 1.0}}
    for where in (MetricServer.SERVICE, MetricServer.AGENT):
        asked = MetricsScope(where=where)
        plain, content_type = exposition(counts.table, readings, asked, "")
        assert content_type.startswith("text/plain")
        shown = [metric for metric in METRICS if metric.where in (where, MetricServer.BOTH)]
        assert [line.split()[2] for line in plain.decode().splitlines() if line.startswith("# HELP")] == [
            metric.name for metric in shown
        ]
        assert len(list(text_string_to_metric_families(plain.decode()))) == len(shown)
        accept = "application/openmetrics-text; version=1.0.0"
        open_text, content_type = exposition(counts.table, readings, asked, accept)
        assert content_type.startswith("application/openmetrics-text")
        assert len(list(openmetrics.text_string_to_metric_families(open_text.decode()))) == len(shown)
        assert "# UNIT writ_http_request_duration_seconds seconds" in open_text.decode()


@given(st.lists(st.sampled_from([200, 201, 204, 404, 302, 500, 418]), max_size=20))
def test_each_answer_counts_once_by_its_status(statuses: list[int]) -> None:
    counts = Counts.apart([ROUTE])
    for status in statuses:
        counts.answered(counts.cells_of(ROUTE, status), perf_counter_ns())
    found = samples(counts)
    for status in set(statuses):
        shown = str(status) if status in STATUSES else "other"
        same = [one for one in statuses if (str(one) if one in STATUSES else "other") == shown]
        assert value(found, "writ_http_requests_total", route=ROUTE[0], status=shown) == len(same)
    for class_ in ("2xx", "3xx", "4xx", "5xx"):
        expected = sum(str(status).startswith(class_[0]) for status in statuses)
        assert value(found, "writ_http_request_duration_seconds_count", status_class=class_) == expected
    assert value(found, "writ_http_requests_total") == len(statuses)


@given(st.integers(0, 10**12))
def test_a_time_is_in_the_bucket_of_its_bounds(taken: int) -> None:
    counts = Counts.apart()
    counts.committed(taken / 1e9)
    (at,) = (bucket for bucket in range(SUM) if counts.table.sums()[counts.table.layout.at(_commits()) + bucket])
    exact = int(taken / 1e9 * 10**9) / 1e9
    assert at == LAST or exact < BOUNDS_SECONDS[at]
    assert at == 0 or exact >= BOUNDS_SECONDS[at - 1]


def _commits() -> Any:
    return next(metric for metric in METRICS if metric.name == "writ_commit_to_in_force_seconds")


def test_a_route_that_is_not_in_the_table_counts_as_none() -> None:
    counts = Counts.apart([ROUTE])
    counts.answered(counts.cells_of(("/made/up", "BREW"), 404), perf_counter_ns())
    assert value(samples(counts), "writ_http_requests_total", route="", method="", status="404") == 1
    assert "/made/up" not in text_of(counts)


def test_workers_add_up_and_a_new_worker_counts_on_in_its_row() -> None:
    first, second = Counts.shared([ROUTE], 3), None
    engine = engine_of("prod")
    first.decided(engine, "ALLOWED")  # before the fork
    second = Counts(first.table)
    first.start_worker(0)
    second.start_worker(1)
    for counts in (first, second, second):
        counts.decided(engine, "ALLOWED")
    again = Counts(first.table)
    again.start_worker(1)
    again.decided(engine, "ALLOWED")
    assert value(samples(first), "writ_decisions_total", reason_code="ALLOWED") == 5


def test_the_gauges_of_a_worker_that_is_gone_are_forgotten_and_its_counters_stay() -> None:
    counts, engine = Counts.shared([], 2), engine_of("prod", revision=7)
    counts.start_worker(0)
    counts.set(CACHE_ENTRIES, ("filters",), 5)
    counts.in_force(engine, 1_000.0)
    counts.decided(engine, "ALLOWED")
    before = samples(counts)
    assert value(before, "writ_workers") == 1
    assert value(before, "writ_cache_entries", cache="filters") == 5
    assert value(before, "writ_revision", environment="prod") == 7
    counts.table.worker_gone(os.getpid())
    after = samples(counts)
    assert value(after, "writ_workers") == value(after, "writ_cache_entries") == 0
    assert [name for name, _ in after if name == "writ_revision"] == []
    assert value(after, "writ_decisions_total") == 1


def test_the_revision_is_that_of_the_worker_that_is_furthest_behind() -> None:
    one = Counts.shared([], 2)
    other = Counts(one.table)
    one.start_worker(0)
    other.start_worker(1)
    one.in_force(engine_of("prod", revision=8), 200.0)
    other.in_force(engine_of("prod", revision=0), 100.0)
    other.in_force(engine_of("prod", revision=0), 150.0)  # the same revision: since 100
    found = samples(one)
    assert value(found, "writ_revision", environment="prod") == 0
    assert value(found, "writ_revision_in_force_timestamp_seconds", environment="prod") == 100


def test_further_environments_count_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counter_layout, "MOST_ENVIRONMENTS", 2)
    counts = Counts.apart()
    for number in range(5):
        counts.decided(engine_of(f"env{number}"), "ALLOWED")
    found = samples(counts)
    assert value(found, "writ_decisions_total", environment="env1") == 1
    assert value(found, "writ_decisions_total", environment=OTHERS) == 3
    assert value(found, "writ_decisions_total") == 5


def test_the_block_of_a_deleted_environment_is_given_away_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counter_layout, "MOST_ENVIRONMENTS", 1)
    counts = Counts.apart()
    counts.decided(engine_of("old", "1"), "ALLOWED")
    counts.decided(engine_of("new", "2"), "ALLOWED")
    counts.keep_environments(frozenset({"2"}))
    assert value(samples(counts), "writ_decisions_total", environment="old") == 0
    counts.decided(engine_of("new", "2"), "ALLOWED")
    found = samples(counts)
    assert value(found, "writ_decisions_total", environment="new") == 1
    assert value(found, "writ_decisions_total", environment=OTHERS) == 1


def test_an_environment_that_does_not_exist_any_more_is_not_shown() -> None:
    counts = Counts.apart()
    counts.decided(engine_of("prod", "old-uuid"), "ALLOWED")
    counts.decided(engine_of("prod", "new-uuid"), "NO_POLICY_MATCH")
    found = samples(counts, MetricsScope(where=MetricServer.SERVICE, existing={"new-uuid": "prod"}))
    assert value(found, "writ_decisions_total") == 1
    assert value(found, "writ_decisions_total", environment="prod", outcome="deny") == 1


def test_bounds_show_their_environments_alone() -> None:
    counts = Counts.apart([ROUTE])
    for id in ("prod", "staging", None):
        counts.decided(engine_of(id), "ALLOWED")
    counts.answered(counts.cells_of(ROUTE, 200), perf_counter_ns())
    text = text_of(
        counts,
        MetricsScope(
            where=MetricServer.SERVICE, bounds=frozenset({"uuid-of-prod", "", OTHERS}.difference({"", OTHERS}))
        ),
    )
    assert 'environment="prod"' in text
    assert "staging" not in text
    assert NO_ENVIRONMENT not in text
    named = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
    assert named == {
        metric.name
        for metric in METRICS
        if metric.split is Split.ENVIRONMENT and metric.where is not MetricServer.AGENT
    }
    assert 'environment="' not in text_of(counts, MetricsScope(where=MetricServer.SERVICE, bounds=frozenset()))


@pytest.mark.parametrize("written", range(0, 48, 3))
def test_a_block_that_was_changing_hands_when_its_worker_died_is_free_again(
    monkeypatch: pytest.MonkeyPatch, written: int
) -> None:
    """However many words the dead worker had written."""
    monkeypatch.setattr(counter_layout, "MOST_ENVIRONMENTS", 1)
    dead = Counts.apart()
    dead.row = dead._blocks._row = Dying(dead.row, written)  # type: ignore[assignment]  # it is indexed alone
    with suppress(Killed):
        dead.decided(engine_of("prod"), "ALLOWED")
    counts = Counts(dead.table)
    counts.decided(engine_of("staging"), "ALLOWED")
    counts.keep_environments(frozenset({"uuid-of-staging"}))
    counts.decided(engine_of("staging"), "ALLOWED")
    found = samples(counts)
    assert value(found, "writ_decisions_total", environment="staging") >= 1
    assert value(found, "writ_decisions_total", environment="prod") == 0
    assert value(found, "writ_decisions_total") == 2


class Killed(BaseException):
    """The worker ends in the middle of its work."""


class Dying:
    """A row of a worker that is killed after some writes."""

    def __init__(self, row: memoryview, writes: int) -> None:
        self._row, self._left = row, writes

    def __getitem__(self, at: Any) -> Any:
        return self._row[at]

    def __setitem__(self, at: int, word: int) -> None:
        if not self._left:
            raise Killed
        self._left -= 1
        self._row[at] = word


def test_names_of_any_length_that_an_environment_may_have() -> None:
    counts, long = Counts.apart(), "x" * 64
    counts.decided(engine_of(long, "12345678-1234-1234-1234-123456789012"), "ALLOWED")
    assert value(samples(counts), "writ_decisions_total", environment=long) == 1


def test_threads_may_count_transactions() -> None:
    counts = Counts.apart()
    threads = [threading.Thread(target=lambda: [counts.stored(True, 0.001) for _ in range(2_000)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert value(samples(counts), "writ_store_transaction_duration_seconds_count", access="write") == 8_000


def test_no_series_can_be_made_up() -> None:
    """Labels have values of the code, routes of the table, and environments up to a limit."""
    counts = Counts.apart([ROUTE])
    most = sum(
        len(metric.series) * {Split.ROUTE: 2, Split.ENVIRONMENT: MOST_ENVIRONMENTS + 1}.get(metric.split, 1)
        for metric in METRICS
    )
    for status in range(100, 600):
        counts.answered(counts.cells_of((f"/made/up/{status}", "X"), status), perf_counter_ns())
    for number in range(MOST_ENVIRONMENTS + 50):
        counts.decided(engine_of(f"env{number}"), "ALLOWED")
    families = text_string_to_metric_families(text_of(counts))
    series = {
        (sample.name.removesuffix("_count"), *sorted(sample.labels.items()))
        for family in families
        for sample in family.samples
        if not sample.name.endswith(("_bucket", "_sum"))
    }
    assert len(series) <= most


def test_a_write_is_counted_by_its_wait_for_other_servers() -> None:
    counts = Counts.apart()
    counts.confirmed(0.25, lapsed=False)
    counts.confirmed(2.0, lapsed=True)
    found = samples(counts)
    assert value(found, "writ_confirmation_seconds_count") == 2
    assert value(found, "writ_confirmation_seconds_sum") == 2.25
    assert value(found, "writ_confirmation_timeouts_total") == 1
