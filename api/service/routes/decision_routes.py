"""The routes that decide and search, and those that say where decisions are."""

from collections.abc import Callable, Iterator
from typing import Final

from ...endpoints.decisions import authorize, discovery, evaluation, evaluations
from ...endpoints.decisions.searches import actions, resources, subjects
from ...http.openapi.operation import Operation
from .route import NONE, READ, Env, Route


def _decision(call: str, handler: Callable[..., object], operation: Operation) -> Iterator[Route]:
    """Yields the routes of a call under `/access/v1`: of the default environment, and of each by its name."""
    yield Route(f"/access/v1/{call}", Env.DEFAULT, handler, {"POST": (READ, operation)})
    named = {"POST": (READ, operation.in_environment())}
    yield Route(f"/environments/{{env}}/access/v1/{call}", Env.NAMED, handler, named)


DECISION_ROUTES: Final[tuple[Route, ...]] = (
    *_decision(
        "evaluation",
        evaluation.Evaluation,
        evaluation.EVALUATE,
    ),
    *_decision(
        "evaluations",
        evaluations.Evaluations,
        evaluations.EVALUATE_MANY,
    ),
    Route(authorize.SHORT, Env.DEFAULT, authorize.Authorize, {"POST": (READ, authorize.AUTHORIZE)}),
    Route(
        f"/environments/{{env}}{authorize.SHORT}",
        Env.NAMED,
        authorize.Authorize,
        {"POST": (READ, authorize.AUTHORIZE.in_environment())},
    ),
    *_decision("search/resource", resources.ResourceSearches, resources.SEARCH),
    *_decision("search/subject", subjects.SubjectSearches, subjects.SEARCH),
    *_decision("search/action", actions.ActionSearches, actions.SEARCH),
    Route(
        "/.well-known/authzen-configuration",
        Env.DEFAULT,
        discovery.Discovery,
        {"GET": (NONE, discovery.DISCOVER)},
    ),
    Route(
        "/.well-known/authzen-configuration/environments/{env}",
        Env.NAMED,
        discovery.Discovery,
        {"GET": (NONE, discovery.DISCOVER_IN)},
    ),
)
"""The rows of evaluations, searches and AuthZEN's discovery."""
