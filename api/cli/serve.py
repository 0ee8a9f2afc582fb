"""`writ serve`: starts the decision service on a data directory."""

import time
from functools import partial
from pathlib import Path

import click

from ..app import collaborators, create_application
from ..audit_upkeep import AuditUpkeep
from ..credentials.admin_key import UnusableKey
from ..credentials.refused_attempts import RefusedAttempts
from ..decision_log.starting import DecisionLogService, NoDecisionLog
from ..decisions.shared_rates import SharedRates
from ..expiry_sweep import ExpirySweep
from ..exports.counts import Exports
from ..gateway.envoy.listener import listener_on, reserved
from ..metrics.counts import Counts
from ..routes.table import COUNTED
from ..scraping.open_address import open_application
from ..scraping.worker_gauges import WorkerGauges
from ..serving.activation import Activation
from ..serving.build import NoSources
from ..serving.data_directory import UnusableDirectory, hold, prepare_directory
from ..serving.engine_access import Stale
from ..serving.preparations import Preparations
from ..settings import TABLE, BadSetting
from ..store.errors import Conflict, StoreUnavailable
from ..transport.listening import CannotListen, bound_socket, start_listening
from ..transport.server import Service, run
from ..transport.shares import places_for
from ..transport.tls import UnusableTls
from ..use_upkeep import UseUpkeep
from .before_workers import (
    audit_upkeep,
    expiry_sweep,
    open_engines,
    opened_store,
    record_start,
    use_upkeep,
    wanted_seeds,
)
from .greeting import tell_address
from .output import CommandFailed, os_sentence
from .server_options import (
    cores,
    decision_log_of,
    greet_envoy,
    metrics_side,
    read_settings,
    server_options,
    start_worker,
    tls_files,
)
from .start_model import prepare_model
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
            StartOptions(
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


def _prepare_service(options: StartOptions) -> Service:
    """Returns the service, ready to run. It already listens, and has said so on standard error."""
    settings, log = read_settings(options.log_level)
    prepare_directory(directory := options.directory)
    lock, listener, envoy = hold(directory), bound_socket(options.bind), reserved(options.envoy_bind)
    counts = Counts.shared(COUNTED, places_for(options.workers))
    decisions = decision_log_of(settings, options.decision_log, directory, log)
    store = opened_store(directory, settings, counts, log)
    refused, exports = RefusedAttempts(), Exports(time.time)
    upkeep = audit_upkeep(directory, store, settings, refused, exports, log)
    access = record_start(directory, settings, upkeep)
    prepare_model(directory, store, options.sources or wanted_seeds(options.seeds, store, log), options.demo)
    preparations = Preparations(time.time, log)
    rates = SharedRates(options.workers, settings.rate_bytes, log)
    live_engines = open_engines(directory, store, settings, log, preparations, rates)
    start_listening(listener)
    url = tell_address(listener, options, access, settings, log)
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
    sweep, uses = expiry_sweep(options, store, settings, activation, log), use_upkeep(parts)
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
        heartbeat=partial(_beat, upkeep, uses, sweep, activation, gauges, decisions),
        worker_stops=application.stop,
        worker_ends=partial(_end_worker, upkeep, uses, preparations, sweep, decisions),
        worker_gone=partial(_forget_worker, preparations, counts),
        service_ends=partial(_end_service, upkeep, uses),
        refused=counts.refused_early,
        tell_connections=gauges.tell_connections,
        drain_begins=parts.draining.begin,
        drain_seconds=options.drain_seconds,
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
    decisions: DecisionLogService | NoDecisionLog,
) -> None:
    decisions.beat()
    upkeep.beat()
    uses.beat()
    sweep.beat()
    activation.build_missing()
    gauges.beat()


def _end_worker(
    upkeep: AuditUpkeep,
    uses: UseUpkeep,
    preparations: Preparations,
    sweep: ExpirySweep,
    decisions: DecisionLogService | NoDecisionLog,
) -> None:
    preparations.leave()
    decisions.end_worker()
    sweep.end()
    uses.end_worker()
    upkeep.end_worker()


def _end_service(upkeep: AuditUpkeep, uses: UseUpkeep) -> None:
    uses.end_service()
    upkeep.end_service()
