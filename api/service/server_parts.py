"""The parts of an application that decides, the service's or an agent's, and the application that they make."""

import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import falcon.asgi

from ...bundles.errors import BundleError
from ...runtime.rates.server_share import ServerShare
from ..endpoints.decisions.admissions import Admissions
from ..endpoints.decisions.deciding import Deciding
from ..endpoints.decisions.discovery import CALLS
from ..endpoints.decisions.draining import Draining
from ..endpoints.decisions.evaluations import Evaluations
from ..endpoints.decisions.lane import DecisionLane, lane_calls
from ..endpoints.errors import ErrorAnswers
from ..endpoints.gateway.front import GatewayFront, at_once
from ..endpoints.gateway.gateway import Gateway
from ..endpoints.gateway.gateway_answering import GatewayAnswering
from ..endpoints.metrics_page.machine_readings import MachineReadings
from ..endpoints.metrics_page.metrics_answering import MetricsAnswering
from ..engines.live.engine_access import EngineOf
from ..engines.live.preparing_threads import PreparingThreads
from ..http.bodies import Bodies
from ..http.handlers import made_handler
from ..http.raw_paths import RawPaths
from ..http.request_id import RequestId
from ..http.revision_tokens import DecisionHeaders
from ..identity.credential import Credential, Sessions, Verifier
from ..identity.failed_attempts import FailedAttempts
from ..identity.guard import Access, Guard
from ..identity.issuers.key_sets import KeySets
from ..identity.issuers.user_tokens import UserTokens
from ..identity.noting_guard import NotingGuard
from ..identity.recent_headers import RecentHeaders
from ..settings.settings import HttpLimits, Settings
from ..telemetry.decision_log.decision_log import NO_LOG, Log
from ..telemetry.metrics.counts import Counts
from ..telemetry.metrics.requests import CountedApplication, CountedRoutes


@dataclass(frozen=True, slots=True)
class Application:
    """The ASGI application, Falcon's within it, and the lane that answers its hot decision calls without it.

    `metrics` answers requests for metrics, and `recent` are the credentials that a worker remembers. `answering`
    answers gateways, and `is_ready` tells whether the worker can decide: both are for other protocols than HTTP. `stop`
    lets clients go that wait, because the worker ends.
    """

    falcon: falcon.asgi.App[Any, Any]
    asgi: CountedApplication
    lane: DecisionLane
    metrics: MetricsAnswering
    recent: RecentHeaders
    answering: GatewayAnswering
    is_ready: Callable[[], Awaitable[bool]]
    stop: Callable[[], None]


@dataclass(frozen=True, eq=False, kw_only=True)
class ServerParts(ABC):
    """The parts of an application. Each is made once, when the application is: before the workers are forked.

    `clock` gives epoch seconds. `own_url` is the public URL if the settings name none. `counts` counts for the metrics.
    `calls` are the members of the metadata. `draining` tells that the server is about to stop. `preparing` surrounds
    what prepares an environment. `notes_callers` says that the callers of requests are noted, for the access log.
    `share` is the part of limits that this server of several allows. `machine` is that of `ServerProgram`.
    """

    settings: Settings
    clock: Callable[[], float]
    log: logging.Logger
    own_url: str
    counts: Counts
    decision_log: Log = NO_LOG
    calls: Collection[str] = tuple(CALLS)
    draining: Draining = field(default_factory=Draining)
    preparing: PreparingThreads = field(default_factory=PreparingThreads)
    notes_callers: bool = False
    share: ServerShare | None = None
    machine: MachineReadings = field(default_factory=MachineReadings)

    def __post_init__(self) -> None:
        """Make now what the workers share in memory. Made after the fork, each worker would have its own."""
        _ = self.attempts

    @property
    @abstractmethod
    def engine_of(self) -> EngineOf:
        """Returns the engine of an environment."""

    @property
    @abstractmethod
    def access(self) -> Mapping[str, Access]:
        """The access rules of each route, by path."""

    @property
    @abstractmethod
    def verifiers(self) -> Sequence[Verifier]:
        """The kinds of credentials."""

    @property
    @abstractmethod
    def recent(self) -> RecentHeaders:
        """The credentials that a worker remembers."""

    @property
    @abstractmethod
    def metrics(self) -> MetricsAnswering:
        """Answers requests for metrics."""

    @abstractmethod
    def report_damage(self, environment: str, error: BundleError) -> bool:
        """Takes a damaged bundle out of use. Returns False if that was done before."""

    @abstractmethod
    def uuid_of(self, environment: str) -> str | None:
        """Returns the UUID of an environment by its id, or None if there is none."""

    @abstractmethod
    def issuer(self) -> str:
        """Returns the issuer of Writ's own tokens, which are no users' tokens, or an empty text."""

    @abstractmethod
    async def is_ready(self) -> bool:
        """Returns whether this worker can decide."""

    @abstractmethod
    def stop(self) -> None:
        """Let clients go that wait, because the worker ends."""

    @property
    def anonymous(self) -> Credential | None:
        """The credential of a request that has none, or None to refuse it."""
        return None

    @property
    def sessions(self) -> Sessions | None:
        """The sessions of people, or None if they have no sign-in here."""
        return None

    @property
    def limits(self) -> HttpLimits:
        """The limits of requests."""
        return self.settings.limits

    @property
    def public_url(self) -> str:
        """The base of every URL that the server hands out."""
        return self.settings.public_url or self.own_url

    @cached_property
    def errors(self) -> ErrorAnswers:
        """Answers errors."""
        return ErrorAnswers(self.log, self.report_damage)

    @property
    def report(self) -> Callable[[Exception, str], None]:
        """Logs a failure of the server in an environment."""
        return self.errors.report

    @cached_property
    def attempts(self) -> FailedAttempts:
        """Failed attempts by address. All workers share them."""
        return FailedAttempts(self.limits.failed_attempts, self.clock, self.share)

    def wrong_secret(self, address: str) -> int | None:
        """Counts a wrong secret from an address. Returns the seconds to wait after too many, or else None."""
        seconds = self.attempts.count(address)
        self.counts.refused_credential(blocked=seconds is not None)
        return seconds

    def wrong_credential(self, address: str) -> int | None:
        """Counts a wrong credential of a request, as `wrong_secret`."""
        return self.wrong_secret(address)

    @cached_property
    def guard(self) -> Guard:
        """Admits callers."""
        guards = NotingGuard if self.notes_callers else Guard
        access, failed = self.access, self.wrong_credential
        anonymous, sessions = self.anonymous, self.sessions
        return guards(self.verifiers, self.recent, access, self.uuid_of, failed, self.clock, anonymous, sessions)

    @cached_property
    def admissions(self) -> Admissions:
        """Admits callers to engines, and remembers that."""
        return Admissions(self.guard, self.recent, self.engine_of)

    @cached_property
    def bodies(self) -> Bodies:
        """Reads the bodies of requests."""
        return Bodies(self.limits, self.guard.confirm)

    @cached_property
    def deciding(self) -> Deciding:
        """Evaluates."""
        return Deciding(self.preparing, self.counts)

    @cached_property
    def evaluations(self) -> Evaluations:
        """Decides batches."""
        handler: Evaluations = made_handler(Evaluations, self)
        return handler

    def application(
        self,
        handlers: Mapping[str, Any],
        before: Sequence[object] = (),
        after: Sequence[object] = (),
        suffixes: Mapping[str, str] = MappingProxyType({}),
    ) -> Application:
        """Returns the application with a handler for each path. All of them, and the lane, share the guard.

        `before` and `after` are middleware around the guard. `suffixes` are those of Falcon's handlers, by path.
        """
        app = self._falcon(handlers, before, after, suffixes)
        key_sets = KeySets(lambda sentence: self.log.warning("%s", sentence))
        gateway = self._gateway(key_sets)
        answering = GatewayAnswering(gateway, self.deciding, key_sets, self.errors)
        calls, gateways = lane_calls(handlers), at_once(gateway)
        lane = DecisionLane(self.admissions, calls, self.counts, gateways, self.decision_log)
        front = CountedApplication(GatewayFront(app, answering), self.counts)
        return Application(app, front, lane, self.metrics, self.recent, answering, self.is_ready, self.stop)

    def _falcon(
        self,
        handlers: Mapping[str, Any],
        before: Sequence[object],
        after: Sequence[object],
        suffixes: Mapping[str, str],
    ) -> falcon.asgi.App[Any, Any]:
        paths = RawPaths(most_slashes=max(path.count("/") for path in handlers))
        middleware: list[Any] = [CountedRoutes(), *before, DecisionHeaders(), RequestId(), paths, self.guard, *after]
        app = falcon.asgi.App(middleware=middleware)
        self.errors.register(app)
        for path, handler in handlers.items():
            app.add_route(path, handler, suffix=suffixes.get(path))
        return app

    def _gateway(self, key_sets: KeySets) -> Gateway:
        users = UserTokens(key_sets, self.issuer, self.clock)
        return Gateway(self.admissions, users, self.clock, self.counts, self.decision_log)
