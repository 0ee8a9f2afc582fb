"""`writ serve`: the decision service, from a data directory, model documents or the demo."""

import logging
import os
import shlex
import sys
import time
from pathlib import Path
from typing import Final

import click
import msgspec
from rich.console import Console

from ...compiler.source import Source
from ..app import Collaborators, create_app
from ..audit_upkeep import AuditUpkeep
from ..credentials.admin_access import AdminAccess, admin_access, keep_adopted
from ..credentials.admin_key import KEY_FILE, UnusableKey
from ..credentials.keys.ring import KeyRing, KeySealer
from ..credentials.keys.sources import prepare_audit_keys, prepare_signing_keys
from ..credentials.refused_attempts import RefusedAttempts
from ..demo import demo_questions, demo_sources
from ..http.public_url import url_warning
from ..log import service_log
from ..serving.activation import Activation
from ..serving.build import InvalidModel, NoSources, sources_of
from ..serving.bundle_files import BundleFiles
from ..serving.data_directory import UnusableDirectory, hold, prepare_directory
from ..serving.import_model import check_model, ensure_bundle, store_model
from ..serving.live_engines import LiveEngines, Stale
from ..settings import TABLE, BadSetting, Settings, settings_from
from ..store.actor import COMMAND_LINE
from ..store.database.private_files import read_or_create_secret
from ..store.environments import DEFAULT
from ..store.errors import StoreUnavailable
from ..store.store import Store
from ..transport.listening import CannotListen, bound_socket, shown_address, start_listening
from ..transport.server import Service, run, within_open_files
from ..transport.tls import TlsFiles, UnusableTls
from .output import Unreadable, error_console, os_sentence, progress_bar, summary
from .stores.opening import hand_over

_PAGE_KEY: Final = "page-tokens.key"
"""In the data directory: random bytes that sign the tokens of pages, so that these outlast a restart."""

MOST_WORKERS = 1_024
REFUSALS = (
    BadSetting,
    CannotListen,
    NoSources,
    Stale,
    StoreUnavailable,
    UnusableDirectory,
    UnusableKey,
    UnusableTls,
)
"""What keeps the service from starting, in a sentence."""


def _settings_help() -> str:
    """Returns the table of settings for `--help`; click keeps the lines of a paragraph that begins with `\\b`."""
    lines = (f"  {row.variable:<30}{_default(row.default)}" for row in TABLE.values())
    return "\n".join(("\b", "Settings (environment variables) and their defaults:", *lines))


def _default(value: object) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


@click.command("serve", epilog=_settings_help())
@click.option(
    "--data",
    "directory",
    type=click.Path(path_type=Path),
    default=Path("writ-data"),
    show_default=True,
    help="Where the service keeps its store, its bundles and its administrator's key.",
)
@click.option(
    "--import",
    "sources",
    type=click.Path(path_type=Path),
    multiple=True,
    help="Replace the stored model by this document, or folder of them, read together; may be repeated.",
)
@click.option("--demo", is_flag=True, help="Replace the stored model by a demo organisation.")
@click.option("--bind", default="127.0.0.1:8080", show_default=True, metavar="HOST:PORT", help="Where to listen.")
@click.option("--workers", type=click.IntRange(1, MOST_WORKERS), help="Worker processes; one a core if left out.")
@click.option("--tls-cert", type=click.Path(path_type=Path), help="Serve HTTPS with this certificate chain (PEM).")
@click.option("--tls-key", type=click.Path(path_type=Path), help="The key of the certificate (PEM, not encrypted).")
@click.option(
    "--tls-client-ca",
    type=click.Path(path_type=Path),
    help="Require of every client a certificate that one of these authorities signed (PEM).",
)
@click.option(
    "--log-level", type=click.Choice(["debug", "info", "warning", "error"]), default="info", show_default=True
)
def serve_command(
    directory: Path,
    sources: tuple[Path, ...],
    demo: bool,
    bind: str,
    workers: int | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    tls_client_ca: Path | None,
    log_level: str,
) -> None:
    """Serve decisions and their management over HTTP, from the store in the data directory.

    A new store has no model, so everything is denied until one is imported or written. Exit code 1 when a model has
    errors, 2 where something can't be read, written or listened on.

    \b
    Examples:
      writ serve --demo
      writ serve --import model.yaml --data /var/lib/writ --bind 0.0.0.0:8080
      writ serve --bind 0.0.0.0:8443 --tls-cert chain.pem --tls-key key.pem
    """
    if demo and sources:
        raise click.UsageError("`--demo` and `--import` exclude each other")
    try:
        tls = _tls_files(tls_cert, tls_key, tls_client_ca)
        service = _get_ready(directory, sources, demo, bind, workers or _cores(), tls, log_level)
    except REFUSALS as ex:
        raise Unreadable(str(ex)) from None
    except OSError as ex:
        raise Unreadable(os_sentence(ex)) from None
    run(service)


def _tls_files(certificate: Path | None, key: Path | None, client_ca: Path | None) -> TlsFiles | None:
    """What to serve TLS with, if it is asked for; proven to be usable."""
    if certificate is None or key is None:
        if certificate or key or client_ca:
            raise click.UsageError("TLS needs both `--tls-cert` and `--tls-key`")
        return None
    files = TlsFiles(certificate, key, client_ca)
    files.context()
    return files


def _get_ready(
    directory: Path,
    sources: tuple[Path, ...],
    demo: bool,
    bind: str,
    workers: int,
    tls: TlsFiles | None,
    log_level: str,
) -> Service:
    settings = settings_from(os.environ)
    log = service_log(log_level)
    for warning in settings.warnings:
        log.warning("%s", warning)
    limits = within_open_files(settings.limits, log)
    prepare_directory(directory)
    lock = hold(directory)
    listener = bound_socket(bind)
    store = Store.open(directory, settings.synchronous)
    refused = RefusedAttempts()
    upkeep = _audit_upkeep(directory, store, settings, refused, log)
    # All before the model that is there is replaced; told before it is kept, or an untold key would be an old one.
    access = admin_access(directory, settings.admin_key)
    upkeep.begin_service(new_key=access.is_new)
    keep_adopted(directory, access)
    _prepare(directory, store, sources, demo)
    files = BundleFiles(directory, store)
    live_engines = LiveEngines(store, files, settings.stale_seconds, log)
    live_engines.engine()  # opened once, before the workers are forked; they share the mapping
    live_engines.close()
    store.close()
    start_listening(listener)
    url = f"{'https' if tls else 'http'}://{shown_address(listener)}"
    _greet(url, directory, workers, access, demo, preset=settings.admin_key is not None)
    if settings.public_url is None:
        log.warning("%s", url_warning(url))
    activation = Activation(directory, live_engines, log)
    parts = Collaborators(
        store,
        live_engines.engine,
        activation,
        time.time,
        access.digest,
        limits,
        log,
        live_engines.report_damage,
        settings.public_url or url,
        settings.stale_seconds,
        prepare_signing_keys(directory, settings.signing_key, settings.signing_algorithm, time.time, log),
        refused,
        read_or_create_secret(directory / _PAGE_KEY),
    )

    def heartbeat() -> None:
        upkeep.beat()
        activation.build_missing()

    ends = {"worker_ends": upkeep.end_worker, "service_ends": upkeep.end_service}
    return Service(create_app(parts), listener, limits, workers, log_level, tls, (lock,), heartbeat, **ends)


def _greet(url: str, directory: Path, workers: int, access: AdminAccess, demo: bool, preset: bool) -> None:
    """Say what is served, and how to call it."""
    console = error_console()
    console.print(
        f"Writ decides at {url} from {directory}, with {workers} worker{'s' if workers != 1 else ''}", markup=False
    )
    hand_over(console, directory, access)
    if demo:
        _show_example(console, url, directory, access, preset)


def _audit_upkeep(
    directory: Path, store: Store, settings: Settings, refused: RefusedAttempts, log: logging.Logger
) -> AuditUpkeep:
    keys = prepare_audit_keys(directory, settings.audit_key, time.time, log)
    sealer = KeySealer(KeyRing(keys, log))
    return AuditUpkeep(store.audit, refused, sealer, settings.audit_days, time.time, log)


def _prepare(directory: Path, store: Store, sources: tuple[Path, ...], demo: bool) -> None:
    """Store the model that was asked for, and see that there is a bundle to start from."""
    shown, known = "", None
    try:
        with progress_bar() as progress:
            documents = _demo_of(directory, store) if demo else sources_of(sources)
            if documents:
                checked, submitted = check_model(documents, progress)
                known = store_model(store, DEFAULT, submitted, progress)
                shown = checked.shown
                del documents, submitted  # the bundle needs the memory
            for environment in store.environments():
                ensure_bundle(directory, store, environment.id, progress, known)
    except InvalidModel as ex:
        click.echo(ex.checked.shown, nl=False, err=True)
        error_console().print(summary(ex.checked.diagnostics))
        sys.exit(1)
    click.echo(shown, nl=False, err=True)
    if not store.revision_of(DEFAULT):
        error_console().print("there is no model yet, so all is denied; give one with --import, --demo or the API")


def _demo_of(directory: Path, store: Store) -> list[Source]:
    """The demo's documents, none where it is stored already.

    Raises UnusableDirectory where they would replace a model of the user's own.
    """
    documents = [Source(*document) for document in demo_sources()]
    if not store.revision_of(DEFAULT):
        return documents
    if store.put_model(DEFAULT, COMMAND_LINE, documents, dry_run=True).changes:
        raise UnusableDirectory(
            f"`{directory}` has a model that is not the demo's; choose another directory with `--data`"
        )
    return []


def _show_example(console: Console, url: str, directory: Path, access: AdminAccess, preset: bool) -> None:
    question = demo_questions()[0].request | {"options": {"explain": True}}
    body = shlex.quote(msgspec.json.encode(question).decode())
    key_file = directory / KEY_FILE
    key = "$WRIT_ADMIN_KEY"
    if access.fresh_key is not None and console.is_terminal:
        key = access.fresh_key
    elif key_file.exists() and not preset:
        key = f"$(cat {shlex.quote(str(key_file))})"
    console.print("Ask for a decision, and the reason of it:")
    console.print(
        f"  curl -s {url}/access/v1/evaluation \\\n"
        f'    -H "Authorization: Bearer {key}" \\\n'
        f"    -H 'Content-Type: application/json' \\\n"
        f"    -d {body}",
        markup=False,
    )


def _cores() -> int:
    """The cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
