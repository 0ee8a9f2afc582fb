"""The sink over HTTP: what a collector gets, and what happens if it refuses or is away."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from writ.api.telemetry.decision_log.sinks.collector import CollectorOptions, CollectorSink
from writ.api.telemetry.decision_log.sinks.sink import SinkFailed, SinkRefused

from tests.support.decision_logs import Collector


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector().serving() as started:
        yield started


def sink_to(collector: Collector, authorization: Path | None = None) -> CollectorSink:
    """A sink in a worker that has started."""
    sink = CollectorSink(CollectorOptions(collector.url, authorization=authorization))
    sink.start_worker()
    return sink


def lines(count: int) -> bytes:
    return b"".join(json.dumps({"number": number}).encode() + b"\n" for number in range(count))


def test_a_batch_is_a_compressed_array_with_the_credential_of_the_file(collector: Collector, tmp_path: Path) -> None:
    path = tmp_path / "authorization"
    path.write_text("Bearer first\n")
    sink = sink_to(collector, path)
    sink.send(lines(3))
    path.write_text("Bearer second")
    sink.send(lines(1))
    assert collector.batches == [[{"number": 0}, {"number": 1}, {"number": 2}], [{"number": 0}]]
    assert [one["Authorization"] for one in collector.headers] == ["Bearer first", "Bearer second"]
    assert collector.headers[0]["Content-Encoding"] == "gzip"
    assert collector.headers[0]["Content-Type"] == "application/json"


def test_a_batch_that_is_too_large_goes_in_parts(collector: Collector) -> None:
    collector.most = 40
    sink_to(collector).send(lines(11))
    assert [record["number"] for record in collector.taken] == list(range(11))
    collector.most = 5
    with pytest.raises(SinkRefused, match="413"):
        sink_to(collector).send(lines(2))


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (500, SinkFailed),
        (503, SinkFailed),
        (429, SinkFailed),
        (401, SinkFailed),
        (400, SinkRefused),
        (302, SinkRefused),
    ],
)
def test_a_refusal_that_may_end_is_tried_again(collector: Collector, status: int, error: type[Exception]) -> None:
    collector.status = status
    with pytest.raises(error, match=str(status)):
        sink_to(collector).send(lines(1))


def test_a_collector_that_is_away_and_a_credential_that_is_gone(collector: Collector, tmp_path: Path) -> None:
    away = CollectorSink(CollectorOptions("http://127.0.0.1:9/logs"))
    away.start_worker()
    with pytest.raises(SinkFailed, match="can't be reached"):
        away.send(lines(1))
    path = tmp_path / "authorization"
    path.write_text("Bearer x")
    sink = sink_to(collector, path)
    path.unlink()
    with pytest.raises(SinkFailed):
        sink.send(lines(1))
    path.write_text("Bearer x\r\nX-Other: 1")
    with pytest.raises(SinkFailed):
        sink.send(lines(1))
    assert collector.taken == []
