"""`writ agent`: decides next to an application, from a bundle that it keeps fresh."""

import logging
import socket
import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from ...bundles.manifest import Profile
from ...runtime import Engine
from ..agent.following import Following, OnStatus
from ..agent.options import FollowOptions
from ..agent.service.app import COUNTED, AgentParts, create_agent
from ..agent.service.callers_file import UnusableCallers
from ..agent.service.keys_file import CallerKeys
from ..agent.status import Status
from ..endpoints.decisions.draining import Draining
from ..endpoints.gateway.envoy.listener import listener_on, reserved
from ..endpoints.metrics_page.open_address import open_application
from ..endpoints.metrics_page.worker_gauges import WorkerGauges
from ..http.public_url import url_warning
from ..server.listening import UNIX, CannotListen, bound_socket, shown_address, start_listening
from ..server.server import Service, run
from ..server.tls import UnusableTls
from ..settings.setting_readers import is_loopback
from ..settings.settings import BadSetting
from ..telemetry.metrics.counts import Counts
from ..telemetry.metrics.definitions import LAST_CONTACT
from .output import CommandFailed, error_console, os_sentence
from .server_options import (
    ServerLogs,
    ServerOptions,
    counters_for,
    greet_envoy,
    logs_of,
    metrics_side,
    own_url,
    read_settings,
    server_asked,
    server_options,
    start_worker,
)

_ERRORS: Final = (BadSetting, CannotListen, UnusableCallers, UnusableTls, ValueError, ImportError)
_DECISIONS: Final = ("evaluation", "evaluations")
_FULL: Final = (*_DECISIONS, "search/resource")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """Where the bundle comes from: exactly one of `upstream`, `target` and `bundle` is given."""

    upstream: str | None
    target: str | None
    bundle: Path | None
    token_file: Path | None

    def check(self) -> str:
        """Returns the source for `FollowOptions`. Raises UsageError if the options do not fit together."""
        folder = None if self.target is None else f"{self.target.rstrip('/')}/"
        given = [str(one) for one in (self.upstream, folder, self.bundle) if one is not None]
        if len(given) != 1:
            raise click.UsageError("give one of `--upstream`, `--from` and `--bundle`")
        if (self.upstream is None) != (self.token_file is None):
            raise click.UsageError("`--upstream` and `--token-file` belong together")
        return given[0]


@click.command("agent")
@click.option("--env", "environment", help="The id or the UUID of the environment to decide for.")
@click.option("--upstream", metavar="URL", help="Follow this service.")
@click.option("--token-file", type=click.Path(path_type=Path), help="The file with the agent's API key or token.")
@click.option("--from", "target", metavar="TARGET", help="Follow this folder or URL, which `writ publish` writes.")
@click.option("--bundle", type=click.Path(path_type=Path), help="Follow this bundle file.")
@click.option(
    "--key",
    "keys",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="PUBLIC.pem",
    help="Accept bundles that this key signed. Repeatable, for a rotation.",
)
@click.option("--unsigned", is_flag=True, help="Accept a bundle file without looking at its signature.")
@click.option("--state", type=click.Path(path_type=Path), help="A folder for the last good bundle, to start from.")
@click.option("--callers", type=click.Path(path_type=Path), help="Admit these callers: JSON lines of `name`, `sha256`.")
@click.option(
    "--profile",
    type=click.Choice(["full", "decision"]),
    default="full",
    show_default=True,
    help="The bundle to ask for. A `decision` bundle is smaller, and answers no filters.",
)
@click.option("--max-staleness", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="When /readyz fails.")
@click.option("--min-revision", type=click.IntRange(0), default=0, help="The least revision, for a first start.")
@click.option("--min-epoch", type=click.IntRange(0), default=0, help="The least epoch, for a first start.")
@click.option(
    "--ca-file", type=click.Path(path_type=Path), help="The authorities for the upstream's certificate (PEM)."
)
@click.option("--proxy", metavar="URL", help="Reach the upstream through this HTTP proxy.")
@click.option(
    "--bind",
    default="127.0.0.1:8181",
    show_default=True,
    metavar="HOST:PORT|unix:PATH",
    help="The address to listen on.",
)
@server_options
def agent_command(
    environment: str | None,
    upstream: str | None,
    token_file: Path | None,
    target: str | None,
    bundle: Path | None,
    keys: tuple[Path, ...],
    unsigned: bool,
    state: Path | None,
    callers: Path | None,
    profile: Profile,
    max_staleness: float | None,
    min_revision: int,
    min_epoch: int,
    ca_file: Path | None,
    proxy: str | None,
    bind: str,
    **asked: Any,
) -> None:
    """Start an agent: the decision calls of the service, answered from a signed bundle that it keeps fresh.

    It goes on deciding while its source is away. Callers send the agent's own credential, a key of `--callers`, or an
    access token that the service issued. Exit code 2 if a file can't be read, or the address can't be used.

    \b
    Examples:
      writ agent --upstream https://writ.example --token-file key --env prod --key public.pem --state /var/lib/agent
      writ agent --bundle model.bundle --unsigned
    """
    try:
        options = FollowOptions(
            _Source(upstream=upstream, target=target, bundle=bundle, token_file=token_file).check(),
            environment=environment,
            keys=[path.read_bytes() for path in keys] or None,
            unsigned=unsigned,
            token_file=token_file,
            profile=profile,
            state=state,
            min_epoch=min_epoch,
            min_revision=min_revision,
            max_staleness=max_staleness,
            ca_file=ca_file,
            proxy=proxy,
        )
        server = server_asked(bind, **asked)
        service = _prepare(options, callers, bundle is None or callers is not None, server)
    except _ERRORS as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    run(service)


def _prepare(options: FollowOptions, callers: Path | None, admits: bool, server: ServerOptions) -> Service:
    """Returns the agent, ready to run. It already listens, and has said so on standard error."""
    settings, log = read_settings(server.log_level, server.log_format)
    rates, counts = counters_for(COUNTED, server.workers, settings, log)
    logs = logs_of(settings, server, "writ-agent", counts, None, log)
    following = Following(replace(options, counters=rates.counters), *_telling(log))
    token_file = None if options.token_file is None else Path(options.token_file)
    keys = CallerKeys(callers, token_file, log) if admits else None
    listener = bound_socket(server.bind)
    place = shown_address(listener)
    envoy = reserved(server.envoy_bind)
    if keys is None:
        _refuse_strangers((server.bind, listener), (server.envoy_bind, envoy))
    start_listening(listener)
    url = own_url(place, server.tls)
    shown = place if place.startswith(UNIX) else url
    error_console().print(f"The agent decides at {shown}, from {options.source}", markup=False)
    greet_envoy(envoy)
    if settings.public_url is None:
        log.warning("%s", url_warning(url))
    logs.decisions.tell_doubts(None)
    draining = Draining()
    application = create_agent(
        AgentParts(
            following=following,
            calls=_FULL if options.profile == "full" else _DECISIONS,
            keys=keys,
            limits=settings.limits,
            public_url=settings.public_url or url,
            clock=time.time,
            log=log,
            counts=counts,
            decision_log=logs.decisions.log,
            notes_callers=logs.requests.is_on,
            draining=draining,
        )
    )
    metrics = logs.requests.application(open_application(application.metrics, counts, log))
    checks = logs.requests.checks(application.answering)
    gauges = WorkerGauges(counts, application.recent, lambda: _engines(following))
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
        beside=listener_on(envoy, checks, application.is_ready, counts, settings.limits),
        worker_starts=partial(start_worker, rates, counts, logs),
        heartbeat=partial(_beat, following, counts, gauges, logs),
        worker_ends=partial(_end_worker, following, logs),
        worker_gone=counts.table.worker_gone,
        refused=logs.requests.refused(counts.refused_early),
        tell_connections=gauges.tell_connections,
        drain_begins=draining.begin,
        drain_seconds=server.drain_seconds,
    )


def _refuse_strangers(*listening: tuple[str | None, socket.socket | None]) -> None:
    """Raises CannotListen if other machines reach an address: an agent without callers answers anybody."""
    for address, one in listening:
        if one is not None and not _is_private(shown_address(one)):
            raise CannotListen(f"`{address}` can be reached from other machines; name the callers by `--callers`")


def _engines(following: Following) -> list[Engine]:
    engine = following.newest
    return [] if engine is None else [engine]


def _end_worker(following: Following, logs: ServerLogs) -> None:
    logs.end_worker()
    following.close()


def _beat(following: Following, counts: Counts, gauges: WorkerGauges, logs: ServerLogs) -> None:
    """Measures. The first call starts the thread of a new worker."""
    logs.beat()
    contact = following.status().last_contact
    gauges.beat()
    if contact is not None:
        for engine in _engines(following):
            counts.told(engine, LAST_CONTACT, contact)


def _telling(log: logging.Logger) -> tuple[OnStatus, OnStatus]:
    def changed(status: Status) -> None:
        if status.leads:
            log.info("revision %s is in force", status.revision)

    def failed(status: Status) -> None:
        log.error("the newest revision may not be in force: %s", status.error)

    return changed, failed


def _is_private(place: str) -> bool:
    """Whether only this machine can reach an address."""
    return place.startswith(UNIX) or is_loopback(place.rpartition(":")[0])
