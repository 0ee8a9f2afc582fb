"""The options and settings of every server of Writ, and what it says at its start."""

import logging
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from ..server.listening import UNIX, shown_address
from ..server.server import within_open_files
from ..server.tls import TlsFiles
from ..service.server_program import ServerOptions, ServerProgram
from ..settings.settings import JSON, LOG_FORMAT, LOG_FORMATS, Settings, settings_from
from ..telemetry.log import service_log, take_strangers
from .output import MESSAGES, error_console
from .source_paths import FilePath

MOST_WORKERS: Final = 1_024

MOST_DRAIN_SECONDS: Final = 3_600.0
"""The longest time for which a server goes on after it was asked to stop."""


def server_asked(
    bind: str | None,
    default_bind: str,
    *,
    workers: int | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    tls_client_ca: Path | None,
    **others: Any,
) -> ServerOptions:
    """Returns what the parameters of `server_options` ask for. Raises UnusableTls, UsageError."""
    tls = tls_files(tls_cert, tls_key, tls_client_ca)
    return ServerOptions(bind=bind, default_bind=default_bind, workers=workers or cores(), tls=tls, **others)


def server_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the parameters of all servers: where they listen and log, `workers`, and the files of TLS."""
    path = FilePath()
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


def shown_url(program: ServerProgram) -> str:
    """Returns where a server listens: its URL, or the path of a socket in the file system."""
    return program.address if program.address.startswith(UNIX) else program.url


def greet_envoy(program: ServerProgram) -> None:
    """Prints the address of the listener for Envoy, if there is one."""
    if program.envoy is not None:
        error_console().print(f"Envoy asks over gRPC at {shown_address(program.envoy)}", markup=False)
