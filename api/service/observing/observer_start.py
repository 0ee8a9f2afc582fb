"""Makes the access log and traces, as the settings ask for them, and runs them in the workers of a server."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ....bundles.wording import quoted
from ...endpoints.decisions.lane import DecisionLane
from ...endpoints.gateway.gateway_answering import GatewayAnswers
from ...server.lane_calls import Lane
from ...settings.setting_readers import BadSetting
from ...settings.settings import ON, Settings
from ...telemetry.metrics.counts import Counts
from .access_log import AccessLog
from .answered import refusal
from .answered_queue import AnsweredQueue, RequestReport
from .application import ObservedApplication
from .checks import ObservedChecks
from .decision_counts import DecisionCounts
from .observed_lane import ObservedLane

OTLP, NOWHERE = "otlp", "none"
"""The exporters that a variable of OpenTelemetry's SDK may name."""

PROTOCOL: Final = "http/protobuf"
"""The protocol of OTLP that Writ speaks."""

MISSING: Final = "`WRIT_OTEL` needs the SDK of OpenTelemetry; install it by `pip install 'writ-pdp[otel]'`"

STOP_SECONDS: Final = 3.0
"""The time that a worker which stops gives to what is not told yet."""


class Observing:
    """Reports the requests of a server. Without tellers it changes nothing: the parts of the server stay as they are.

    `is_on` is whether there are tellers.
    """

    def __init__(self, tellers: Sequence[RequestReport], log: logging.Logger, is_secure: bool) -> None:
        """`is_secure` is whether the server has TLS."""
        self.is_on, self._is_secure = bool(tellers), is_secure
        self._waiting = AnsweredQueue(tellers, log)

    def application(self, behind: Any) -> Any:
        """Returns an ASGI application that reports the requests that `behind` answers."""
        return ObservedApplication(behind, self._waiting) if self.is_on else behind

    def lane(self, lane: DecisionLane) -> Lane:
        """Returns a lane that reports the requests that `lane` answers."""
        return ObservedLane(lane, self._waiting, self._is_secure) if self.is_on else lane

    def checks(self, answering: GatewayAnswers) -> GatewayAnswers:
        """Returns the answering that reports the checks that `answering` answers."""
        return ObservedChecks(answering, self._waiting, self._is_secure) if self.is_on else answering

    def refused(self, status: int, id: bytes) -> None:
        """Report an answer to bytes that are no request."""
        if self.is_on:
            self._waiting.answered(refusal(int(status), self._is_secure, id))

    def start_worker(self, place: int) -> None:
        """Start to tell, in a forked worker, at its place."""
        if self.is_on:
            self._waiting.start_worker(place)

    def end_worker(self) -> None:
        """Report the waiting answers, for `STOP_SECONDS` at most."""
        if self.is_on:
            self._waiting.stop(STOP_SECONDS)


def observing(
    settings: Settings, name: str, counts: Counts, log: logging.Logger, environment: Mapping[str, str], is_secure: bool
) -> Observing:
    """Returns the reports of requests.

    Args:
        settings: whether there is an access log, and telemetry.
        name: the name of the service, for telemetry.
        counts: the counters with the decisions.
        log: where failures are told.
        environment: the variables of OpenTelemetry's SDK, by their names.
        is_secure: whether the server has TLS.

    Raises BadSetting if telemetry is asked for and can't be had.
    """
    tellers: list[RequestReport] = []
    if settings.access_log == ON:
        tellers.append(AccessLog(settings.log_format))
    if settings.telemetry == ON and environment.get("OTEL_SDK_DISABLED", "").strip().lower() != "true":
        tellers.append(_telemetry(name, counts, log, environment))
    return Observing(tellers, log, is_secure)


def _telemetry(name: str, counts: Counts, log: logging.Logger, environment: Mapping[str, str]) -> RequestReport:
    exports = {signal: _is_exported(signal, environment) for signal in ("traces", "metrics")}
    try:
        from .telemetry import Telemetry  # only here, so that no other process needs the extra, its time and its memory
    except ImportError:
        raise BadSetting(MISSING) from None
    return Telemetry(name, DecisionCounts(counts), exports, log)


def _is_exported(signal: str, environment: Mapping[str, str]) -> bool:
    """Returns whether the SDK's variables ask for a signal. Raises BadSetting for what Writ does not have."""
    exporter = f"OTEL_{signal.upper()}_EXPORTER"
    asked = environment.get(exporter, "").strip() or OTLP
    if asked not in (OTLP, NOWHERE):
        raise BadSetting(f"`{exporter}` must be `{OTLP}` or `{NOWHERE}`, not {quoted(asked)}")
    for variable in (f"OTEL_EXPORTER_OTLP_{signal.upper()}_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"):
        protocol = environment.get(variable, "").strip()
        if protocol not in ("", PROTOCOL):
            raise BadSetting(f"`{variable}` must be `{PROTOCOL}`, not {quoted(protocol)}")
    return asked == OTLP
