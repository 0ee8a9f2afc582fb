"""The agent's application: the decision calls of the service, over an engine that a follower keeps fresh."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ....bundles.errors import BundleError
from ...endpoints.decisions.authorize import SHORT, Authorize
from ...endpoints.decisions.discovery import Discovery
from ...endpoints.decisions.evaluation import Evaluation
from ...endpoints.decisions.evaluations import Evaluations
from ...endpoints.decisions.health import Health
from ...endpoints.decisions.lane import DECISIONS
from ...endpoints.gateway.front import GATEWAY_ROUTES
from ...endpoints.metrics_page.metrics_answering import MetricsAnswering, NoReadings
from ...endpoints.metrics_page.metrics_page import MetricsPage
from ...engines.live.engine_access import EngineOf
from ...http.handlers import made_handler
from ...identity.credential import Credential, Scope, Verifier
from ...identity.guard import Access
from ...identity.recent_headers import RecentHeaders
from ...identity.tokens.upstream_tokens import UpstreamTokens
from ...service.server_parts import Application, ServerParts
from ...telemetry.metrics.metric import MetricServer
from .admitted_callers import Anyone, GivenKeys, Keys
from .agent_searches import Filters, Unavailable
from .all_workers import AllWorkers
from .browsers import NoBrowsers
from .default_environment import DefaultEnvironment
from .engines import AgentEngines, FollowedEngine
from .readiness import AgentReadiness

_ROOTS: Final = ("", "/environments/{env}")
_DECIDING: Final = Access({"POST": Scope.DECIDE})


_ANSWERED: Final = ("access_evaluation_endpoint", "access_evaluations_endpoint", "writ_filter_endpoint")
"""The members of an agent's metadata. Of resource searches it answers only filters, and 501 to the standard's."""


@dataclass(frozen=True, eq=False, kw_only=True)
class AgentParts(ServerParts):
    """The parts of an agent. `keys` are the callers by the digests of their keys, or None to admit everybody.

    `all_workers` is the readiness of all workers, which this process shares.
    """

    following: FollowedEngine
    all_workers: AllWorkers
    keys: Keys | None
    calls: Collection[str] = _ANSWERED

    @cached_property
    def engines(self) -> AgentEngines:
        """The one engine."""

        def report(error: BundleError) -> None:
            self.log.error("the bundle in force is damaged: %s", error)

        return AgentEngines(self.following, report)

    @property
    def engine_of(self) -> EngineOf:
        """Returns the engine of an environment."""
        return self.engines.engine

    @property
    def access(self) -> Mapping[str, Access]:
        """The access rules of each route, by path."""
        return _ACCESS

    @property
    def verifiers(self) -> Sequence[Verifier]:
        """The kinds of credentials: keys and the service's tokens, or none at all."""
        if self.keys is None:
            return [Anyone()]
        return [GivenKeys(self.keys), UpstreamTokens(lambda: self.following.callers, self.clock)]

    @property
    def anonymous(self) -> Credential | None:
        """The credential of a request that has none, or None to refuse it."""
        return Anyone.CREDENTIAL if self.keys is None else None

    @cached_property
    def recent(self) -> RecentHeaders:
        """The credentials that a worker remembers."""
        return RecentHeaders(_Versions(self), self.clock)

    @cached_property
    def metrics(self) -> MetricsAnswering:
        """Answers requests for metrics."""
        return MetricsAnswering(
            self.counts.table, MetricServer.AGENT, NoReadings(), self.deciding.in_thread, self.machine, self.is_ready
        )

    def report_damage(self, environment: str, error: BundleError) -> bool:
        """Reports a damaged bundle. Returns whether to log it."""
        return self.engines.report_damage(environment, error)

    def uuid_of(self, environment: str) -> str | None:
        """Returns the UUID of an environment by its id, or None if the agent does not decide for it."""
        return self.engines.uuid_of(environment)

    def issuer(self) -> str:
        """Returns the issuer of the service's own tokens, which are no users' tokens, or an empty text."""
        callers = self.following.callers
        return "" if callers is None else callers.issuer

    def stop(self) -> None:
        """Do nothing: no client waits."""

    async def is_ready(self) -> bool:
        """Returns whether all workers can decide."""
        is_ready = self.following.status().is_ready and self.all_workers.refusal() is None
        return is_ready and not self.draining.begun()


def create_agent(parts: AgentParts) -> Application:
    """Returns the application of an agent."""
    handlers = {path: made_handler(handler, parts) for path, handler in _HANDLERS.items()}
    before = [NoBrowsers()] if parts.keys is None else []
    return parts.application(handlers, before, [DefaultEnvironment(parts.engines)])


class _Versions:
    """Tells whether callers or engines may have changed: the list of callers, the file of keys or the engine is another
    one.
    """

    def __init__(self, parts: AgentParts) -> None:
        self._following, self._keys = parts.following, parts.keys
        self._seen: tuple[object, object, object] = None, None, None
        self._number = 0

    def version(self) -> object:
        """See `recent_headers.Watch`. It is a count: a new list may have the `id` of one that is gone."""
        now = self._following.callers, None if self._keys is None else self._keys(), self._following.newest
        if any(one is not seen for one, seen in zip(now, self._seen, strict=True)):
            self._seen, self._number = now, self._number + 1
        return self._number


_CALLS: Final[Mapping[str, Callable[..., object]]] = {
    "evaluation": Evaluation,
    "evaluations": Evaluations,
    "search/resource": Filters,
    "search/subject": Unavailable,
    "search/action": Unavailable,
}
_READING: Final = {f"{DECISIONS}{call}": handler for call, handler in _CALLS.items()} | {SHORT: Authorize}
_OPENLY: Final[Mapping[str, Callable[..., object]]] = {
    "/.well-known/authzen-configuration": Discovery,
    "/.well-known/authzen-configuration/environments/{env}": Discovery,
    "/healthz": Health,
    "/readyz": AgentReadiness,
}
_HANDLERS: Final = {
    **{f"{root}{path}": handler for root in _ROOTS for path, handler in _READING.items()},
    **_OPENLY,
    "/metrics": MetricsPage,
}
"""The maker of the handler of each path (see `made_handler`)."""

_OPEN: Final = Access({"GET": Scope.NONE, "HEAD": Scope.NONE}, one_environment=False)
_ACCESS: Final = {
    **{f"{root}{path}": _DECIDING for root in _ROOTS for path in _READING},
    **dict.fromkeys(_OPENLY, _OPEN),
    "/metrics": Access({"GET": Scope.READ}, one_environment=False),
}

COUNTED: Final = (*((path, method) for path, one in _ACCESS.items() for method in one.scopes), *GATEWAY_ROUTES)
"""The routes that are counted apart: path templates with their methods."""
