"""The routes that decide and search, and those that say where decisions are."""

from collections.abc import Callable, Iterator
from typing import Final

from ...endpoints.decisions import authorize, discovery, evaluation, evaluations
from ...endpoints.decisions.searches import actions, resources, subjects
from ...http.openapi.operation import Operation
from .route import NONE, READ, Env, Route, Services


def _decision(call: str, handler: Callable[[Services], object], operation: Operation) -> Iterator[Route]:
    """Yields the routes of a call under `/access/v1`: of the default environment, and of each by its name."""
    yield Route(f"/access/v1/{call}", Env.DEFAULT, handler, {"POST": (READ, operation)})
    named = {"POST": (READ, operation.in_environment())}
    yield Route(f"/environments/{{env}}/access/v1/{call}", Env.NAMED, handler, named)


def _evaluations(given: Services) -> evaluations.Evaluations:
    return evaluations.Evaluations(
        given.engine_of, given.clock, given.bodies, given.deciding, given.limits, given.report, given.decision_log
    )


def _authorize(given: Services) -> authorize.Authorize:
    return authorize.Authorize(given.engine_of, given.bodies, given.deciding, _evaluations(given), given.decision_log)


DECISION_ROUTES: Final[tuple[Route, ...]] = (
    *_decision(
        "evaluation",
        lambda given: evaluation.Evaluation(given.engine_of, given.bodies, given.deciding, given.decision_log),
        evaluation.EVALUATE,
    ),
    *_decision(
        "evaluations",
        _evaluations,
        evaluations.EVALUATE_MANY,
    ),
    Route(authorize.SHORT, Env.DEFAULT, _authorize, {"POST": (READ, authorize.AUTHORIZE)}),
    Route(
        f"/environments/{{env}}{authorize.SHORT}",
        Env.NAMED,
        _authorize,
        {"POST": (READ, authorize.AUTHORIZE.in_environment())},
    ),
    *_decision("search/resource", lambda given: resources.ResourceSearches(given.search), resources.SEARCH),
    *_decision("search/subject", lambda given: subjects.SubjectSearches(given.search), subjects.SEARCH),
    *_decision("search/action", lambda given: actions.ActionSearches(given.search), actions.SEARCH),
    Route(
        "/.well-known/authzen-configuration",
        Env.DEFAULT,
        lambda given: discovery.Discovery(given.public_url),
        {"GET": (NONE, discovery.DISCOVER)},
    ),
    Route(
        "/.well-known/authzen-configuration/environments/{env}",
        Env.NAMED,
        lambda given: discovery.Discovery(given.public_url),
        {"GET": (NONE, discovery.DISCOVER_IN)},
    ),
)
"""The rows of evaluations, searches and AuthZEN's discovery."""
