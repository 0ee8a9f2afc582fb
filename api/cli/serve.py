"""`writ serve`: starts the decision service on a data directory."""

import logging
import shlex
import socket
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click
import msgspec
from rich.console import Console

from ..app import collaborators, create_application
from ..audit_upkeep import AuditUpkeep
from ..credentials.admin_access import AdminAccess, admin_access, keep_adopted
from ..credentials.admin_key import KEY_FILE, UnusableKey
from ..credentials.keys.ring import KeyRing, KeySealer
from ..credentials.keys.sources import prepare_audit_keys
from ..credentials.refused_attempts import RefusedAttempts
from ..decision_log.starting import DecisionLogService, NoDecisionLog
from ..decisions.shared_rates import SharedRates
from ..demo import demo_questions
from ..expiry_sweep import ExpirySweep
from ..exports.counts import Exports
from ..gateway.envoy.listener import listener_on, reserved
from ..http.public_url import url_warning
from ..metrics.counts import Counts
from ..routes import COUNTED
from ..scraping.open_address import open_application
from ..scraping.worker_gauges import WorkerGauges
from ..serving.activation import Activation
from ..serving.build import NoSources
from ..serving.bundle_files import BundleFiles
from ..serving.data_directory import UnusableDirectory, hold, prepare_directory
from ..serving.engine_access import Stale
from ..serving.live_engines import LiveEngines
from ..serving.preparations import Preparations
from ..settings import TABLE, BadSetting, Settings
from ..store.environment_ids import DEFAULT
from ..store.errors import Conflict, StoreUnavailable
from ..store.store import Store
from ..transport.listening import UNIX, CannotListen, bound_socket, shown_address, start_listening
from ..transport.server import Service, run
from ..transport.shares import places_for
from ..transport.tls import TlsFiles, UnusableTls
from .output import CommandFailed, error_console, os_sentence
from .server_options import (
    cores,
    decision_log_of,
    greet_envoy,
    metrics_side,
    own_url,
    read_settings,
    server_options,
    start_worker,
    tls_files,
)
from .start_model import prepare_model
from .stores.opening import show_admin_key

START_ERRORS = (
    BadSetting,
    CannotListen,
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
    lines = (f"  {row.variable:<30}{row.shown_default}" for row in TABLE.values())
    return "\n".join(("\b", "Settings (environment variables) and their defaults:", *lines))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    """The options of the command line, with their defaults filled in."""

    directory: Path
    sources: tuple[Path, ...]
    seeds: tuple[Path, ...]
    demo: bool
    bind: str
    envoy_bind: str | None
    workers: int
    tls: TlsFiles | None
    metrics_bind: str | None
    drain_seconds: float
    log_level: str
    decision_log: str | None


@click.command("serve", epilog=_settings_help())
@click.option(
    "--data",
    "directory",
    type=click.Path(path_type=Path),
    default=Path("writ-data"),
    show_default=True,
    help="The folder of the store, the bundles and the keys. Made if it does not exist.",
)
@click.option(
    "--import",
    "sources",
    type=click.Path(path_type=Path),
    multiple=True,
    help="Replace the stored model with this document, or with the documents in this folder. Repeatable.",
)
@click.option(
    "--import-if-empty",
    "seeds",
    type=click.Path(path_type=Path),
    multiple=True,
    help="As `--import`, but only if the store never had a model. Repeatable.",
)
@click.option("--demo", is_flag=True, help="Start with the model of a demo organisation.")
@click.option(
    "--bind",
    default="127.0.0.1:8080",
    show_default=True,
    metavar="HOST:PORT|unix:PATH",
    help="The address to listen on.",
)
@server_options
def serve_command(
    directory: Path,
    sources: tuple[Path, ...],
    seeds: tuple[Path, ...],
    demo: bool,
    bind: str,
    envoy_bind: str | None,
    workers: int | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    tls_client_ca: Path | None,
    decision_log: str | None,
    metrics_bind: str | None,
    drain_seconds: float,
    log_level: str,
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
    """
    if sum(map(bool, (demo, sources, seeds))) > 1:
        raise click.UsageError("use one of `--demo`, `--import` and `--import-if-empty`")
    try:
        tls = tls_files(tls_cert, tls_key, tls_client_ca)
        service = _prepare_service(
            _Options(
                directory=directory,
                sources=sources,
                seeds=seeds,
                demo=demo,
                bind=bind,
                envoy_bind=envoy_bind,
                workers=workers or cores(),
                tls=tls,
                metrics_bind=metrics_bind,
                drain_seconds=drain_seconds,
                log_level=log_level,
                decision_log=decision_log,
            )
        )
    except START_ERRORS as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    run(service)


def _prepare_service(options: _Options) -> Service:
    """Returns the service, ready to run. It already listens, and has said so on standard error."""
    settings, log = read_settings(options.log_level)
    prepare_directory(directory := options.directory)
    lock, listener, envoy = hold(directory), bound_socket(options.bind), reserved(options.envoy_bind)
    counts = Counts.shared(COUNTED, places_for(options.workers))
    decisions = decision_log_of(settings, options.decision_log, directory, log)
    store = _opened_store(directory, settings, counts, log)
    refused, exports = RefusedAttempts(), Exports(time.time)
    upkeep = _audit_upkeep(directory, store, settings, refused, exports, log)
    access = _begin(directory, settings, upkeep)
    prepare_model(directory, store, options.sources or _wanted_seeds(options.seeds, store, log), options.demo)
    preparations = Preparations(time.time, log)
    rates = SharedRates(options.workers, settings.rate_bytes, log)
    live_engines = _open_engines(directory, store, settings, log, preparations, rates)
    start_listening(listener)
    url = _tell_address(listener, options, access, settings, log)
    greet_envoy(envoy)
    activation = Activation(directory, live_engines, log, counts)
    parts = collaborators(
        directory,
        store=store,
        settings=settings,
        engines=live_engines,
        activate=activation,
        clock=time.time,
        admin_key=access.digest,
        log=log,
        own_url=url,
        refused=refused,
        exports=exports,
        preparing=preparations,
        counts=counts,
        decision_log=decisions.log,
    )
    sweep = _expiry_sweep(options, store, settings, activation, log)
    application = create_application(parts)
    gauges = WorkerGauges(counts, application.recent, live_engines.open_engines, lambda: live_engines.environments)
    return Service(
        app=application.asgi,
        lane=application.lane,
        listener=listener,
        limits=settings.limits,
        workers=options.workers,
        log_level=options.log_level,
        tls=options.tls,
        side=metrics_side(open_application(application.metrics, counts, log), options.metrics_bind, settings, log),
        held=(lock,),
        beside=listener_on(envoy, application.answering, application.is_ready, counts, settings.limits),
        worker_starts=partial(start_worker, rates, counts, decisions),
        heartbeat=partial(_beat, upkeep, sweep, activation, gauges, decisions),
        worker_stops=application.stop,
        worker_ends=partial(_end_worker, upkeep, preparations, sweep, decisions),
        worker_gone=partial(_forget_worker, preparations, counts),
        service_ends=upkeep.end_service,
        refused=counts.refused_early,
        tell_connections=gauges.tell_connections,
        drain_begins=parts.draining.begin,
        drain_seconds=options.drain_seconds,
    )


def _tell_address(
    listener: socket.socket, options: _Options, access: AdminAccess, settings: Settings, log: logging.Logger
) -> str:
    """Says where the service listens, and returns its URL."""
    place = shown_address(listener)
    url = own_url(place, options.tls)
    _greet(url, place, options.directory, options.workers, access, options.demo, preset=settings.admin_key is not None)
    if settings.public_url is None:
        log.warning("%s", url_warning(url))
    return url


def _opened_store(directory: Path, settings: Settings, counts: Counts, log: logging.Logger) -> Store:
    store = Store.open(directory, settings.synchronous, timed=counts.stored)
    if store.upgraded_from is not None:
        log.info("the store was upgraded; `%s` is a copy from before the upgrade", store.upgraded_from)
    return store


def _wanted_seeds(seeds: tuple[Path, ...], store: Store, log: logging.Logger) -> tuple[Path, ...]:
    """Returns the documents for a store that never had a model, or none."""
    if not seeds or not store.revision_of(DEFAULT):
        return seeds
    log.info("the store has a model, so `--import-if-empty` does nothing")
    return ()


def _forget_worker(preparations: Preparations, counts: Counts, process: int) -> None:
    preparations.worker_gone(process)
    counts.table.worker_gone(process)


def _beat(
    upkeep: AuditUpkeep,
    sweep: ExpirySweep,
    activation: Activation,
    gauges: WorkerGauges,
    decisions: DecisionLogService | NoDecisionLog,
) -> None:
    decisions.beat()
    upkeep.beat()
    sweep.beat()
    activation.build_missing()
    gauges.beat()


def _expiry_sweep(
    options: _Options, store: Store, settings: Settings, activation: Activation, log: logging.Logger
) -> ExpirySweep:
    """Returns the sweep of the store. It removes nothing from the demo, which shows what has expired, too."""
    keep_days = 0 if options.demo else settings.sweep_days
    return ExpirySweep(store.expiring, options.directory, keep_days, activation, time.time, log)


def _end_worker(
    upkeep: AuditUpkeep, preparations: Preparations, sweep: ExpirySweep, decisions: DecisionLogService | NoDecisionLog
) -> None:
    preparations.leave()
    decisions.end_worker()
    sweep.end()
    upkeep.end_worker()


def _begin(directory: Path, settings: Settings, upkeep: AuditUpkeep) -> AdminAccess:
    """Records the start in the audit log and returns the administrator's key.

    This comes before the command line's model replaces the stored one. The audit log records a new key before it is
    kept: a key that was kept first would count as an old one at the next start, and never be recorded.
    """
    access = admin_access(directory, settings.admin_key)
    upkeep.begin_service(new_key=access.is_new)
    keep_adopted(directory, access)
    return access


def _open_engines(
    directory: Path,
    store: Store,
    settings: Settings,
    log: logging.Logger,
    preparations: Preparations,
    rates: SharedRates,
) -> LiveEngines:
    """Returns the engines. The default one is opened before the workers are forked, so that they share its mapping."""
    files = BundleFiles(directory, store)
    live_engines = LiveEngines(
        store, files, settings.stale_seconds, log, preparing=preparations, counters=rates.counters
    )
    live_engines.engine()
    live_engines.close()
    store.close()
    return live_engines


def _greet(url: str, place: str, directory: Path, workers: int, access: AdminAccess, demo: bool, preset: bool) -> None:
    """Prints the service's address, and how to call it."""
    console = error_console()
    console.print(
        f"Writ decides at {place if place.startswith(UNIX) else url} from {directory},"
        f" with {workers} worker{'s' if workers != 1 else ''}",
        markup=False,
    )
    show_admin_key(console, directory, access)
    if demo:
        _show_example(console, url, place, directory, access, preset)


def _audit_upkeep(
    directory: Path,
    store: Store,
    settings: Settings,
    refused: RefusedAttempts,
    exports: Exports,
    log: logging.Logger,
) -> AuditUpkeep:
    keys = prepare_audit_keys(directory, settings.audit_key, time.time, log)
    sealer = KeySealer(KeyRing(keys, log))
    return AuditUpkeep(store.audit, refused, exports, sealer, settings.audit_days, time.time, log)


def _show_example(console: Console, url: str, place: str, directory: Path, access: AdminAccess, preset: bool) -> None:
    question = demo_questions()[0].request | {"options": {"explain": True}}
    body = shlex.quote(msgspec.json.encode(question).decode())
    key_file = directory / KEY_FILE
    key = "$WRIT_ADMIN_KEY"
    if access.fresh_key is not None and console.is_terminal:
        key = access.fresh_key
    elif key_file.exists() and not preset:
        key = f"$(cat {shlex.quote(str(key_file))})"
    through = f"--unix-socket {shlex.quote(place.removeprefix(UNIX))} " if place.startswith(UNIX) else ""
    console.print("Ask for a decision and its explanation:")
    console.print(
        f"  curl -s {through}{url}/access/v1/evaluation \\\n"
        f'    -H "Authorization: Bearer {key}" \\\n'
        f"    -H 'Content-Type: application/json' \\\n"
        f"    -d {body}",
        markup=False,
    )
