"""What every server of Writ has: its options, its settings and log, and its own URL."""

import logging
import os
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from ..endpoints.decisions.batch import merged
from ..endpoints.decisions.shared_rates import SharedRates
from ..endpoints.metrics_page.open_address import PATH, open_address
from ..server.listening import UNIX, shown_address
from ..server.owner import Side
from ..server.server import within_open_files
from ..server.shares import places_for
from ..server.tls import TlsFiles
from ..service.observing.starting import Observing, observing
from ..settings.settings import JSON, LOG_FORMAT, LOG_FORMATS, Settings, settings_from
from ..telemetry.decision_log.starting import DecisionLogService, NoDecisionLog, decision_log
from ..telemetry.log import service_log, take_strangers
from ..telemetry.log_lines import HERE
from ..telemetry.metrics.counts import Counts
from .output import MESSAGES, error_console

MOST_WORKERS: Final = 1_024

MOST_DRAIN_SECONDS: Final = 3_600.0
"""The longest time for which a server goes on after it was asked to stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """How a server is asked to serve, with the defaults filled in. None: the setting of the same name counts."""

    bind: str
    envoy_bind: str | None
    workers: int
    tls: TlsFiles | None
    decision_log: str | None
    metrics_bind: str | None
    drain_seconds: float
    log_level: str
    log_format: str | None


def server_asked(
    bind: str,
    *,
    workers: int | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    tls_client_ca: Path | None,
    **others: Any,
) -> ServerOptions:
    """Returns what the parameters of `server_options` ask for. Raises UnusableTls, UsageError."""
    tls = tls_files(tls_cert, tls_key, tls_client_ca)
    return ServerOptions(bind=bind, workers=workers or cores(), tls=tls, **others)


def server_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the parameters of all servers: where they listen and log, `workers`, and the files of TLS."""
    path = click.Path(path_type=Path)
    levels = click.Choice(["debug", "info", "warning", "error"])
    authorities = "Accept only clients with a certificate from one of these authorities (PEM)."
    envoy = "Also answer Envoy's checks over gRPC, at this address. Needs the extra `envoy`."
    options = (
        click.option("--envoy-bind", metavar="HOST:PORT", help=envoy),
        click.option(
            "--workers", type=click.IntRange(1, MOST_WORKERS), help="Worker processes. The default is one per core."
        ),
        click.option("--tls-cert", type=path, help="Serve HTTPS with this certificate chain (PEM)."),
        click.option("--tls-key", type=path, help="The key of the certificate (PEM, not encrypted)."),
        click.option("--tls-client-ca", type=path, help=authorities),
        click.option("--decision-log", metavar="FILE|-|URL", help="Log each decision there (`WRIT_DECISION_LOG`)."),
        click.option("--metrics-bind", metavar="HOST:PORT", help="Serve the metrics here too, without a credential."),
        click.option(
            "--drain-seconds",
            type=click.FloatRange(0, MOST_DRAIN_SECONDS),
            default=0.0,
            metavar="SECONDS",
            help="At SIGTERM, serve on for so long while /readyz fails. The default is 0.",
        ),
        click.option("--log-level", type=levels, default="info", show_default=True),
        click.option("--log-format", type=click.Choice(LOG_FORMATS), help="The lines of the log. The default is text."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def metrics_side(application: Any, asked: str | None, settings: Settings, log: logging.Logger) -> Side | None:
    """Returns what serves the metrics without a credential, or None if nobody asks for that. It listens already.

    `application` is an ASGI application, `asked` the address of the command line. Raises CannotListen.
    """
    address = asked or settings.metrics_bind
    if address is None:
        return None
    side = open_address(application, address)
    place = shown_address(side.socket)
    shown = place if place.startswith(UNIX) else f"http://{place}{PATH}"
    log.info("the metrics are at %s, without a credential", shown)
    return side


def tls_files(certificate: Path | None, key: Path | None, client_ca: Path | None) -> TlsFiles | None:
    """Returns the files for TLS, tried once, or None if TLS is not asked for. Raises UnusableTls."""
    if certificate is None or key is None:
        if certificate or key or client_ca:
            raise click.UsageError("TLS needs both `--tls-cert` and `--tls-key`")
        return None
    files = TlsFiles(certificate, key, client_ca)
    files.context()
    return files


def cores() -> int:
    """Returns the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def read_settings(log_level: str, log_format: str | None) -> tuple[Settings, logging.Logger]:
    """Returns the settings of the environment, with limits that the system allows, and the log. Raises BadSetting.

    `log_format` is the option of the command line, which counts before the setting.
    """
    if (log_format or os.environ.get(LOG_FORMAT)) == JSON:
        MESSAGES.log = service_log(log_level, JSON)  # first of all, so that a setting which can't be used is said there
    settings = settings_from(os.environ)
    settings = replace(settings, log_format=log_format or settings.log_format)
    log = service_log(log_level, settings.log_format)
    take_strangers(settings.log_format)
    for warning in settings.warnings:
        log.warning("%s", warning)
    return replace(settings, limits=within_open_files(settings.limits, log)), log


def greet_envoy(place: socket.socket | None) -> None:
    """Prints the address of the listener for Envoy, if there is one."""
    if place is not None:
        error_console().print(f"Envoy asks over gRPC at {shown_address(place)}", markup=False)


class ServerLogs(NamedTuple):
    """What a server tells of its work: the decisions, and the requests."""

    decisions: DecisionLogService | NoDecisionLog
    requests: Observing

    def start_worker(self, place: int, counts: Counts) -> None:
        """Start to write, in a forked worker with these counters, at its place."""
        HERE.worker = place
        self.decisions.start_worker(counts)
        self.requests.start_worker(place)

    def beat(self) -> None:
        """Tell which decisions were dropped."""
        self.decisions.beat()

    def end_worker(self) -> None:
        """Write what waits, for a bounded time."""
        self.decisions.end_worker()
        self.requests.end_worker()


def logs_of(
    settings: Settings, server: ServerOptions, name: str, counts: Counts, directory: Path | None, log: logging.Logger
) -> ServerLogs:
    """Returns what tells of decisions and requests. `name` is that of the service, for telemetry.

    `directory` has the key for hashes of the decision log.

    Raises BadSetting, OSError.
    """
    target = server.decision_log
    asked = settings.decision_log if target is None else replace(settings.decision_log, target=target)
    requests = observing(settings, name, counts, log, os.environ, server.tls is not None)
    return ServerLogs(decision_log(asked, directory, merged, log), requests)


def counters_for(
    routes: Iterable[tuple[str, str]], workers: int, settings: Settings, log: logging.Logger
) -> tuple[SharedRates, Counts]:
    """Returns what counts in all workers together: for rate limits, and for the metrics of these routes."""
    return SharedRates(workers, settings.rate_bytes, log), Counts.shared(routes, places_for(workers))


def start_worker(rates: SharedRates, counts: Counts, logs: ServerLogs, place: int) -> None:
    """Starts what a worker counts and logs with, in the place that no other living worker has."""
    rates.start_worker(place)
    counts.start_worker(place)
    logs.start_worker(place, counts)


def own_url(place: str, tls: TlsFiles | None) -> str:
    """Returns the URL of a server that listens at `place`, as `shown_address` gives it."""
    return f"{'https' if tls else 'http'}://{'localhost' if place.startswith(UNIX) else place}"
