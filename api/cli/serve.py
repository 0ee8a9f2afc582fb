"""`writ serve`: starts the decision service on a data directory."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from ...bundles.system_errors import os_sentence
from ..engines.jobs.starting import TEMPLATE
from ..engines.live.build import NoSources
from ..engines.live.data_directory import UnusableDirectory
from ..engines.work.process_apart import CannotRunPython, require_python
from ..identity.admin_key import UnusableKey
from ..server.listening import CannotListen
from ..server.server import Service, run
from ..server.tls import UnusableTls
from ..service.jobs import JOBS
from ..service.server_program import ServerOptions
from ..service.start import ServiceStart
from ..settings.settings import TABLE, BadSetting
from ..settings.store_url import STORE_URL
from ..store.errors import Conflict, Stale, StoreUnavailable
from .greeting import greet, show_demo
from .output import CommandFailed
from .server_options import greet_envoy, read_settings, server_asked, server_options
from .source_paths import FilePath
from .start_model import prepare_model, wanted_seeds

DEFAULT_BIND: Final = "127.0.0.1:8080"

START_ERRORS = (
    BadSetting,
    CannotListen,
    CannotRunPython,
    Conflict,
    NoSources,
    Stale,
    StoreUnavailable,
    UnusableDirectory,
    UnusableKey,
    UnusableTls,
)
"""The errors that keep the service from starting. Each message is one sentence."""


def _settings_help() -> str:
    """Returns the table of settings for `--help`. Click keeps the lines of a paragraph that begins with `\\b`."""
    width = max(len(row.variable) for row in TABLE.values())
    lines = (f"  {row.variable:<{width}}  {row.shown_default}".rstrip() for row in TABLE.values())
    return "\n".join(("\b", "Settings (environment variables) and their defaults:", *lines))


@click.command("serve", epilog=_settings_help())
@click.option(
    "--data",
    "directory",
    type=FilePath(),
    default=Path("writ-data"),
    show_default=True,
    help="The folder of the store, the bundles and the keys. Made if it does not exist.",
)
@click.option(
    "--import",
    "sources",
    type=FilePath(),
    multiple=True,
    help="Replace the stored model with this document, or with the documents in this folder. Repeatable.",
)
@click.option(
    "--import-if-empty",
    "seeds",
    type=FilePath(),
    multiple=True,
    help="As `--import`, but only if the store never had a model. Repeatable.",
)
@click.option(
    "--store",
    "store_url",
    metavar="URL",
    help="The database of PostgreSQL that has the store, which other servers may share (`WRIT_STORE`).",
)
@click.option("--demo", is_flag=True, help="Start with the model of a demo organisation.")
@click.option(
    "--bind",
    metavar="HOST:PORT|unix:PATH",
    help=f"The address to listen on. The default is {DEFAULT_BIND}, or the socket that systemd hands over.",
)
@server_options
def serve_command(
    directory: Path,
    sources: tuple[Path, ...],
    seeds: tuple[Path, ...],
    demo: bool,
    store_url: str | None,
    bind: str | None,
    **asked: Any,
) -> None:
    """Start the decision service: decisions and their management over HTTP.

    A new store has no model, so Writ denies every request until you import or write one. Exit code 1 if the model has
    errors, 2 if a file can't be read or written, or the address can't be used.

    \b
    Examples:
      writ serve --demo
      writ serve --import-if-empty model.yaml --data /var/lib/writ --bind 0.0.0.0:8080
      writ serve --bind 0.0.0.0:8443 --tls-cert chain.pem --tls-key key.pem
      writ serve --envoy-bind 127.0.0.1:9191
      writ serve --store 'postgresql://writ@db.example.com/writ?sslmode=verify-full' --bind 0.0.0.0:8080
    """
    if sum(map(bool, (demo, sources, seeds))) > 1:
        raise click.UsageError("use one of `--demo`, `--import` and `--import-if-empty`")
    try:
        require_python()
        server = server_asked(bind, DEFAULT_BIND, **asked)
        service = _prepared(directory, sources, seeds, demo, store_url, server)
        TEMPLATE.start(JOBS)  # the workers share its socket
    except START_ERRORS as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    run(service)


def _prepared(
    directory: Path,
    sources: tuple[Path, ...],
    seeds: tuple[Path, ...],
    demo: bool,
    store_url: str | None,
    server: ServerOptions,
) -> Service:
    """Returns the service, ready to run. It already listens, and has said so on standard error."""
    settings, log = read_settings(server.log_level, server.log_format)
    if store_url is not None:
        settings = replace(settings, store=replace(settings.store, url=STORE_URL.read("--store", store_url)))
    if demo:
        settings = replace(settings, sweep_days=0)  # the demo shows what has expired, too
    start = ServiceStart(directory, server, settings, log)
    prepare_model(directory, start.store, sources or wanted_seeds(seeds, start.store, log), demo, log)
    service = start.finish()
    greet(start.program, directory, start.access)
    if demo:
        show_demo(start.program, directory, start.access)
    greet_envoy(start.program)
    return service
