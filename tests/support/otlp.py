"""A collector of OpenTelemetry: it takes traces and metrics over OTLP/HTTP, and reads their protobuf."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class Span(NamedTuple):
    """A span: ids in hexadecimal, times in nanoseconds, `status` 2 for an error."""

    name: str
    trace_id: str
    span_id: str
    parent: str
    kind: int
    start: int
    end: int
    status: int
    attributes: dict[str, Any]
    resource: dict[str, Any]
    trace_state: str


class Point(NamedTuple):
    """A point of a metric: the number of a counter, or the count of a histogram."""

    metric: str
    unit: str
    attributes: dict[str, Any]
    number: int
    resource: dict[str, Any]


class OtlpCollector:
    """Takes what is exported. `contents` are the bodies as they came, and `points` has every export."""

    def __init__(self) -> None:
        self.contents: list[bytes] = []
        self.spans: list[Span] = []
        self.points: list[Point] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())

    @property
    def settings(self) -> dict[str, str]:
        """The variables that let a service export here, soon."""
        return {
            "WRIT_OTEL": "on",
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{self._server.server_port}",
            "OTEL_BSP_SCHEDULE_DELAY": "100",
            "OTEL_METRIC_EXPORT_INTERVAL": "200",
        }

    def latest(self, metric: str) -> dict[tuple[tuple[str, Any], ...], int]:
        """The last number of each series of a metric, summed over the processes."""
        last: dict[tuple[str, tuple[tuple[str, Any], ...]], int] = {}
        for point in self.points:
            if point.metric == metric:
                series = tuple(sorted(point.attributes.items()))
                last[point.resource["service.instance.id"], series] = point.number
        sums: dict[tuple[tuple[str, Any], ...], int] = {}
        for (_, series), number in last.items():
            sums[series] = sums.get(series, 0) + number
        return sums

    @contextmanager
    def serving(self) -> Iterator["OtlpCollector"]:
        """Serve in a thread."""
        thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()

    def take(self, path: str, body: bytes) -> None:
        """Read what was exported to a path."""
        self.contents.append(body)
        if path == "/v1/traces":
            self.spans += _spans(ExportTraceServiceRequest.FromString(body))
        else:
            assert path == "/v1/metrics"
            self.points += _points(ExportMetricsServiceRequest.FromString(body))

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        collector = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                collector.take(self.path, body)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None: ...

        return Handler


def _spans(request: Any) -> Iterator[Span]:
    for group in request.resource_spans:
        resource = _members(group.resource.attributes)
        for scope in group.scope_spans:
            for one in scope.spans:
                yield Span(
                    one.name,
                    one.trace_id.hex(),
                    one.span_id.hex(),
                    one.parent_span_id.hex(),
                    one.kind,
                    one.start_time_unix_nano,
                    one.end_time_unix_nano,
                    one.status.code,
                    _members(one.attributes),
                    resource,
                    one.trace_state,
                )


def _points(request: Any) -> Iterator[Point]:
    for group in request.resource_metrics:
        resource = _members(group.resource.attributes)
        for scope in group.scope_metrics:
            for metric in scope.metrics:
                for one in metric.histogram.data_points:
                    yield Point(metric.name, metric.unit, _members(one.attributes), one.count, resource)
                for one in metric.sum.data_points:
                    yield Point(metric.name, metric.unit, _members(one.attributes), one.as_int, resource)


def _members(attributes: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in attributes}
