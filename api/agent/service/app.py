"""The agent's application: the decision calls of the service, over an engine that a follower keeps fresh."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import falcon.asgi

from ....bundles.errors import BundleError
from ...endpoints.decisions.authorize import SHORT, Authorize
from ...endpoints.decisions.deciding import Deciding
from ...endpoints.decisions.discovery import Discovery
from ...endpoints.decisions.draining import Draining
from ...endpoints.decisions.evaluation import Evaluation
from ...endpoints.decisions.evaluations import Evaluations
from ...endpoints.decisions.health import Health
from ...endpoints.decisions.lane import DECISIONS, DecisionLane, lane_calls
from ...endpoints.errors import ErrorAnswers
from ...endpoints.gateway.answering import Answering as GatewayAnswering
from ...endpoints.gateway.front import GATEWAY_ROUTES, GatewayFront, at_once
from ...endpoints.gateway.gateway import Gateway
from ...endpoints.gateway.issuers import KeySets
from ...endpoints.gateway.user_tokens import UserTokens
from ...endpoints.metrics_page.answering import Answering, NoReadings
from ...endpoints.metrics_page.metrics_page import MetricsPage
from ...engines.live.preparations import unmarked
from ...http.bodies import Bodies
from ...http.raw_paths import RawPaths
from ...http.request_id import RequestId
from ...identity.credential import Credential, Scope, Verifier
from ...identity.failed_attempts import FailedAttempts
from ...identity.guard import Access, Guard
from ...identity.noting_guard import NotingGuard
from ...identity.recent_headers import RecentHeaders
from ...identity.tokens.upstream_tokens import UpstreamTokens
from ...service.server_program import Application
from ...settings.settings import HttpLimits
from ...telemetry.decision_log.decision_log import NO_LOG, Log
from ...telemetry.metrics.counts import Counts
from ...telemetry.metrics.definitions import Where
from ...telemetry.metrics.requests import CountedApplication, CountedRoutes
from .browsers import NoBrowsers
from .callers import Anyone, GivenKeys, Keys
from .engines import AgentEngines, InForce
from .readiness import AgentReadiness
from .revisions import Revisions, revision_line
from .searches import Filters, Unavailable

_ROOTS: Final = ("", "/environments/{env}")
_READ: Final = Access({"POST": Scope.READ})


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentParts:
    """The parts of an agent. `counts` counts for the metrics.

    `keys` are the callers by the digests of their keys, or None to admit everybody.
    `clock` gives epoch seconds. `decision_log` takes the decisions. `draining` tells that the agent is about to stop.
    `notes_callers` says that the callers of requests are noted, for the access log and traces.
    """

    following: InForce
    keys: Keys | None
    limits: HttpLimits
    public_url: str
    clock: Callable[[], float]
    log: logging.Logger
    counts: Counts
    draining: Draining
    decision_log: Log = NO_LOG
    notes_callers: bool = False


def create_agent(parts: AgentParts) -> Application:
    """Returns the application of an agent."""
    log, following = parts.log, parts.following

    def report(error: BundleError) -> None:
        log.error("the bundle in force is damaged: %s", error)

    engines = AgentEngines(following, report)
    errors = ErrorAnswers(log, engines.report_damage)
    recent = RecentHeaders(_Versions(parts), parts.clock)
    guard, bodies = _guard(parts, engines, recent)
    answering = Answering(parts.counts.table, Where.AGENT, NoReadings())
    handlers = _handlers(parts, engines, errors, bodies) | {"/metrics": MetricsPage(answering)}
    paths = RawPaths(most_slashes=max(path.count("/") for path in handlers))
    middleware: list[Any] = [CountedRoutes(), RequestId(), paths, guard, Revisions(engines)]
    if parts.keys is None:
        middleware.insert(1, NoBrowsers())
    app = falcon.asgi.App(middleware=middleware)
    errors.register(app)
    for path, handler in handlers.items():
        app.add_route(path, handler)
    key_sets = KeySets(lambda sentence: log.warning("%s", sentence))
    users = UserTokens(key_sets, lambda: _issuer(following), parts.clock)
    gateway = Gateway(engines.engine, guard, recent, users, parts.clock, parts.counts, parts.decision_log)
    calls, counts, kept = lane_calls(handlers), parts.counts, parts.decision_log
    lane = DecisionLane(
        guard, recent, engines.engine, parts.limits, calls, counts, revision_line, at_once(gateway), kept
    )
    gateways = GatewayAnswering(gateway, Deciding(unmarked, counts), key_sets, errors)

    async def is_ready() -> bool:
        return following.status().is_ready and not parts.draining.begun()

    front = CountedApplication(GatewayFront(app, gateways), counts)
    return Application(app, front, lane, answering, recent, gateways, is_ready)


def _issuer(following: InForce) -> str:
    """Returns the issuer of the service's own tokens, which are no users' tokens, or an empty text."""
    callers = following.callers
    return "" if callers is None else callers.issuer


class _Versions:
    """Tells whether a caller may have come or gone: the list of callers or the file of keys is another one."""

    def __init__(self, parts: AgentParts) -> None:
        self._following, self._keys = parts.following, parts.keys
        self._seen: tuple[object, object] = None, None
        self._number = 0

    def version(self) -> object:
        """See `recent_headers.Watch`. It is a count: a new list may have the `id` of one that is gone."""
        callers, keys = self._following.callers, None if self._keys is None else self._keys()
        if callers is not self._seen[0] or keys is not self._seen[1]:
            self._seen, self._number = (callers, keys), self._number + 1
        return self._number


def _guard(parts: AgentParts, engines: AgentEngines, recent: RecentHeaders) -> tuple[Guard, Bodies]:
    attempts = FailedAttempts(parts.limits.failed_attempts, parts.clock)  # before the fork: all workers share it
    verifiers: list[Verifier] = [Anyone()]
    anonymous: Credential | None = Anyone.CREDENTIAL
    if parts.keys is not None:
        verifiers = [GivenKeys(parts.keys), UpstreamTokens(lambda: parts.following.callers, parts.clock)]
        anonymous = None

    def failed(address: str) -> int | None:
        seconds = attempts.count(address)
        parts.counts.refused_credential(blocked=seconds is not None)
        return seconds

    guards = NotingGuard if parts.notes_callers else Guard
    guard = guards(verifiers, recent, _ACCESS, engines.uuid_of, failed, parts.clock, anonymous)
    return guard, Bodies(parts.limits, guard.confirm)


def _handlers(parts: AgentParts, engines: AgentEngines, errors: ErrorAnswers, bodies: Bodies) -> dict[str, object]:
    """Returns the handler of each path."""
    engine_of, deciding, log = engines.engine, Deciding(unmarked, parts.counts), parts.decision_log
    many = Evaluations(engine_of, parts.clock, bodies, deciding, parts.limits, errors.report, log)
    calls: dict[str, object] = {
        "evaluation": Evaluation(engine_of, bodies, deciding, log),
        "evaluations": many,
        "search/resource": Filters(engine_of, bodies, parts.counts, log),
        "search/subject": Unavailable(bodies),
        "search/action": Unavailable(bodies),
    }
    assert calls.keys() == _CALLS
    decisions = {f"{root}{DECISIONS}{call}": handler for root in _ROOTS for call, handler in calls.items()}
    short = Authorize(engine_of, bodies, deciding, many, log)
    decisions |= {f"{root}{SHORT}": short for root in _ROOTS}
    discovery = Discovery(parts.public_url, _ANSWERED)
    return decisions | {
        "/.well-known/authzen-configuration": discovery,
        "/.well-known/authzen-configuration/environments/{env}": discovery,
        "/healthz": Health(),
        "/readyz": AgentReadiness(parts.following, parts.draining),
    }


_ANSWERED: Final = ("evaluation", "evaluations", "search/resource")
"""The calls that the metadata of an agent names."""

_CALLS: Final = {"evaluation", "evaluations", "search/resource", "search/subject", "search/action"}
_OPEN: Final = Access({"GET": Scope.NONE, "HEAD": Scope.NONE}, one_environment=False)
_READING: Final = (*(f"{DECISIONS}{call}" for call in _CALLS), SHORT)
_ACCESS: Final = {f"{root}{path}": _READ for root in _ROOTS for path in _READING} | dict.fromkeys(
    (
        "/.well-known/authzen-configuration",
        "/.well-known/authzen-configuration/environments/{env}",
        "/healthz",
        "/readyz",
    ),
    _OPEN,
)
_ACCESS["/metrics"] = Access({"GET": Scope.READ}, one_environment=False)

COUNTED: Final = (*((path, method) for path, one in _ACCESS.items() for method in one.scopes), *GATEWAY_ROUTES)
"""The routes that are counted apart: path templates with their methods."""
