"""The options that every server of Writ has: worker processes, TLS and the log."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from ..transport.tls import TlsFiles

MOST_WORKERS: Final = 1_024


def server_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the parameters `workers`, `tls_cert`, `tls_key`, `tls_client_ca` and `log_level`."""
    path = click.Path(path_type=Path)
    levels = click.Choice(["debug", "info", "warning", "error"])
    authorities = "Accept only clients with a certificate from one of these authorities (PEM)."
    options = (
        click.option(
            "--workers", type=click.IntRange(1, MOST_WORKERS), help="Worker processes. The default is one per core."
        ),
        click.option("--tls-cert", type=path, help="Serve HTTPS with this certificate chain (PEM)."),
        click.option("--tls-key", type=path, help="The key of the certificate (PEM, not encrypted)."),
        click.option("--tls-client-ca", type=path, help=authorities),
        click.option("--log-level", type=levels, default="info", show_default=True),
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
