"""OpenTelemetry: a span and a duration for each request, and the number of decisions, by the official SDK.

Only this module imports OpenTelemetry. It is imported if the operator asks for it. The SDK reads its own variables.
"""

import logging
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import CallbackOptions, Histogram, Observation
from opentelemetry.propagate import extract
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, StatusCode, Tracer

from ...store.database.versions import program_version
from ...telemetry.log_lines import TRACE
from .answered import TRACE_STATE, Answered
from .decision_counts import DecisionCounts

SAY_SECONDS: Final = 30.0
"""The seconds between two messages of a worker that telemetry can't be exported."""

LONGEST_SAID: Final = 300
"""The characters that it says of the SDK's own message."""

BUCKETS_SECONDS: Final = (
    *(0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5),
    *(0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0),
)
"""The bounds of the durations: those of the semantic conventions, and shorter ones before them, for decisions."""

METHODS: Final = frozenset({"CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"})
OTHER_METHOD: Final = "_OTHER"
"""Stands for any other method, and for that of a request which can't be read, as the semantic conventions say."""

_SCOPE: Final = "writ"
_NANO: Final = 1e9
_FIRST_ERROR: Final = 500
_MILLIS: Final = 1_000


class _Parts(NamedTuple):
    """The parts of a worker's telemetry."""

    traces: TracerProvider
    meters: MeterProvider
    tracer: Tracer
    durations: Histogram


class Telemetry:
    """Reports requests and decisions to a collector (see `RequestReport`). No request waits or fails because of it."""

    def __init__(self, name: str, counts: DecisionCounts, exports: Mapping[str, bool], log: logging.Logger) -> None:
        """`name` is that of the service. `exports` says of `traces` and `metrics` whether they are exported."""
        self._name, self._counts, self._exports, self._log = name, counts, exports, log
        self._parts: _Parts | None = None

    def start_worker(self, place: int) -> None:
        """Sets up the SDK, with its threads. A bad variable of the SDK's own leaves the worker without telemetry."""
        _let_sdk_say(self._log)
        self._counts.start_worker()
        try:
            self._parts = self._made(place)
        except Exception as ex:  # the SDK raises what it likes about its variables
            self._log.error("telemetry is off: %s: %s", type(ex).__name__, ex)

    def take(self, answers: Sequence[Answered]) -> None:
        """See `RequestReport`."""
        if self._parts is not None:
            for one in answers:
                _tell(self._parts, one)

    def finish(self, seconds: float) -> None:
        """See `RequestReport`. The SDK takes no such time, so it is left behind when the time is over."""
        parts = self._parts
        if parts is None:
            return
        ends: list[Callable[[], object]] = [
            parts.traces.shutdown,
            lambda: parts.meters.shutdown(timeout_millis=seconds * _MILLIS),
        ]
        threads = [threading.Thread(target=end, name="telemetry-end", daemon=True) for end in ends]
        until = time.monotonic() + seconds
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _made(self, place: int) -> _Parts:
        resource = Resource.create(_attributes(self._name, place, os.environ))
        traces = TracerProvider(resource=resource, shutdown_on_exit=False)
        if self._exports["traces"]:
            traces.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        readers = [PeriodicExportingMetricReader(OTLPMetricExporter())] if self._exports["metrics"] else []
        meters = MeterProvider(readers, resource, shutdown_on_exit=False)
        meter = meters.get_meter(_SCOPE, program_version())
        durations = meter.create_histogram(
            "http.server.request.duration",
            unit="s",
            description="Duration of HTTP server requests.",
            explicit_bucket_boundaries_advisory=BUCKETS_SECONDS,
        )
        meter.create_observable_counter(
            "writ.decisions", [self._observed], unit="{decision}", description="Decisions, by their outcome and reason."
        )
        return _Parts(traces, meters, traces.get_tracer(_SCOPE, program_version()), durations)

    def _observed(self, _: CallbackOptions) -> Iterable[Observation]:
        for (environment, outcome, reason), number in self._counts.read().items():
            attributes = {"writ.environment": environment, "writ.outcome": outcome}
            yield Observation(number, attributes | ({"writ.reason": reason} if reason else {}))


def _attributes(name: str, place: int, environment: Mapping[str, str]) -> dict[str, str | int]:
    """Returns what the process says of itself, without what the operator says in the SDK's variables."""
    told = {part.partition("=")[0].strip() for part in environment.get("OTEL_RESOURCE_ATTRIBUTES", "").split(",")}
    if environment.get("OTEL_SERVICE_NAME"):
        told.add("service.name")
    own: dict[str, str | int] = {
        "service.name": name,
        "service.version": program_version(),
        "service.instance.id": str(uuid.uuid4()),
        "process.pid": os.getpid(),
        "writ.worker": place,
    }
    return {key: value for key, value in own.items() if key not in told}


def _tell(parts: _Parts, one: Answered) -> None:
    method = one.method if one.method in METHODS else OTHER_METHOD
    shared: dict[str, str | int] = {
        "http.request.method": method,
        "url.scheme": "https" if one.is_secure else "http",
        "http.response.status_code": one.status,
    }
    if one.route:
        shared["http.route"] = one.route
    if one.status >= _FIRST_ERROR:
        shared["error.type"] = str(one.status)
    parts.durations.record(one.taken / _NANO, shared)
    headers = ((TRACE, one.traceparent), (TRACE_STATE, one.tracestate))
    parent = extract({name.decode(): value.decode("latin-1") for name, value in headers if value is not None})
    more: dict[str, str | int] = {"writ.environment": one.environment} if one.environment else {}
    verb = "HTTP" if method == OTHER_METHOD else method
    span = parts.tracer.start_span(
        f"{verb} {one.route}".rstrip(),
        context=parent,
        kind=SpanKind.SERVER,
        attributes=shared | more,
        start_time=one.ended - one.taken,
    )
    if one.status >= _FIRST_ERROR:
        span.set_status(StatusCode.ERROR)
    span.end(one.ended)


class _Said(logging.Handler):
    """Says of all that the SDK says one line every `SAY_SECONDS` at most: a collector may be away for days."""

    def __init__(self, log: logging.Logger) -> None:
        super().__init__(logging.WARNING)
        self._log, self._said_at = log, -SAY_SECONDS

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`."""
        now = time.monotonic()
        if now - self._said_at >= SAY_SECONDS:
            self._said_at = now
            said: Any = record.getMessage().split("\n", 1)[0][:LONGEST_SAID]
            self._log.warning("OpenTelemetry: %s", said)


def _let_sdk_say(log: logging.Logger) -> None:
    sdk = logging.getLogger("opentelemetry")
    sdk.propagate = False
    sdk.handlers = [_Said(log)]
