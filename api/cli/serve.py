"""`writ serve`: starts the decision service on a data directory."""

import time
from functools import partial
from pathlib import Path
from typing import Any

import click

from ..endpoints.gateway.envoy.listener import listener_on, reserved
from ..endpoints.metrics_page.open_address import open_application
from ..endpoints.metrics_page.worker_gauges import WorkerGauges
from ..engines.exports.counts import Exports
from ..engines.live.activation import Activation
from ..engines.live.build import NoSources
from ..engines.live.data_directory import UnusableDirectory, hold, prepare_directory
from ..engines.live.preparations import Preparations
from ..identity.admin_key import UnusableKey
from ..identity.refused_attempts import RefusedAttempts
from ..server.listening import CannotListen, bound_socket, start_listening
from ..server.server import Service, run
from ..server.tls import UnusableTls
from ..service.app import collaborators, create_application
from ..service.routes.table import COUNTED
from ..service.upkeep.audit_upkeep import AuditUpkeep
from ..service.upkeep.expiry_sweep import ExpirySweep
from ..service.upkeep.use_upkeep import UseUpkeep
from ..settings.settings import TABLE, BadSetting
from ..store.errors import Conflict, Stale, StoreUnavailable
from ..store.store import Store
from ..telemetry.metrics.counts import Counts
from .before_workers import audit_upkeep, begin, expiry_sweep, open_engines, opened_store, use_upkeep
from .greeting import tell_address
from .output import CommandFailed, os_sentence
from .server_options import (
    ServerLogs,
    counters_for,
    greet_envoy,
    logs_of,
    metrics_side,
    read_settings,
    server_asked,
    server_options,
    start_worker,
)
from .start_options import StartOptions

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
    """
    if sum(map(bool, (demo, sources, seeds))) > 1:
        raise click.UsageError("use one of `--demo`, `--import` and `--import-if-empty`")
    try:
        server = server_asked(bind, **asked)
        service = _prepare_service(
            StartOptions(directory=directory, sources=sources, seeds=seeds, demo=demo, server=server)
        )
    except START_ERRORS as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    run(service)


def _store_told_of(logs: ServerLogs, store: Store) -> Store:
    """Returns the store. The logs warn of masks for environments that it does not have."""
    logs.decisions.tell_doubts([one.id for one in store.environments()])
    return store


def _prepare_service(options: StartOptions) -> Service:
    """Returns the service, ready to run. It already listens, and has said so on standard error."""
    settings, log = read_settings((server := options.server).log_level, server.log_format)
    prepare_directory(directory := options.directory)
    lock, listener, envoy = hold(directory), bound_socket(server.bind), reserved(server.envoy_bind)
    rates, counts = counters_for(COUNTED, server.workers, settings, log)
    logs = logs_of(settings, server, "writ", counts, directory, log)
    store = _store_told_of(logs, opened_store(directory, settings, counts, log))
    refused, exports, preparations = RefusedAttempts(), Exports(time.time), Preparations(time.time, log)
    upkeep = audit_upkeep(directory, store, settings, refused, exports, log)
    access = begin(options, store, settings, upkeep, log)
    live_engines = open_engines(directory, store, settings, log, preparations, rates)
    start_listening(listener)
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
        own_url=tell_address(listener, options, access, settings, log),
        refused=refused,
        exports=exports,
        preparing=preparations,
        counts=counts,
        decision_log=logs.decisions.log,
        notes_callers=logs.requests.is_on,
    )
    greet_envoy(envoy)
    sweep, uses = expiry_sweep(options, store, settings, activation, log), use_upkeep(parts)
    application = create_application(parts)
    metrics = logs.requests.application(open_application(application.metrics, counts, log))
    checks = logs.requests.checks(application.answering)
    gauges = WorkerGauges(counts, application.recent, live_engines.open_engines, lambda: live_engines.environments)
    return Service(
        app=logs.requests.application(application.asgi),
        lane=logs.requests.lane(application.lane),
        listener=listener,
        limits=settings.limits,
        workers=server.workers,
        log_level=server.log_level,
        log_format=settings.log_format,
        tls=server.tls,
        side=metrics_side(metrics, server.metrics_bind, settings, log),
        held=(lock,),
        beside=listener_on(envoy, checks, application.is_ready, counts, settings.limits),
        worker_starts=partial(start_worker, rates, counts, logs),
        heartbeat=partial(_beat, upkeep, uses, sweep, activation, gauges, logs),
        worker_stops=application.stop,
        worker_ends=partial(_end_worker, upkeep, uses, preparations, sweep, logs),
        worker_gone=partial(_forget_worker, preparations, counts),
        service_ends=partial(_end_service, upkeep, uses),
        refused=logs.requests.refused(counts.refused_early),
        tell_connections=gauges.tell_connections,
        drain_begins=parts.draining.begin,
        drain_seconds=server.drain_seconds,
    )


def _forget_worker(preparations: Preparations, counts: Counts, process: int) -> None:
    preparations.worker_gone(process)
    counts.table.worker_gone(process)


def _beat(
    upkeep: AuditUpkeep,
    uses: UseUpkeep,
    sweep: ExpirySweep,
    activation: Activation,
    gauges: WorkerGauges,
    logs: ServerLogs,
) -> None:
    logs.beat()
    upkeep.beat()
    uses.beat()
    sweep.beat()
    activation.build_missing()
    gauges.beat()


def _end_worker(
    upkeep: AuditUpkeep, uses: UseUpkeep, preparations: Preparations, sweep: ExpirySweep, logs: ServerLogs
) -> None:
    preparations.leave()
    logs.end_worker()
    sweep.end()
    uses.end_worker()
    upkeep.end_worker()


def _end_service(upkeep: AuditUpkeep, uses: UseUpkeep) -> None:
    uses.end_service()
    upkeep.end_service()
