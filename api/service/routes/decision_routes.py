"""The routes that decide and search, and those that say where decisions are."""

from collections.abc import Callable, Iterator
from typing import Final

from ...endpoints.decisions import authorize, discovery, evaluation, evaluations
from ...endpoints.decisions.searches import action_search, resource_search, subject_search
from ...http.openapi.operation import Operation
from .route_row import NONE, READ, Env, RouteRow


def _decision(call: str, handler: Callable[..., object], operation: Operation) -> Iterator[RouteRow]:
    """Yields the routes of a call under `/access/v1`: of the default environment, and of each by its name."""
    yield RouteRow(f"/access/v1/{call}", Env.DEFAULT, handler, {"POST": (READ, operation)})
    named = {"POST": (READ, operation.in_environment())}
    yield RouteRow(f"/environments/{{env}}/access/v1/{call}", Env.NAMED, handler, named)


DECISION_ROUTES: Final[tuple[RouteRow, ...]] = (
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
    RouteRow(authorize.SHORT, Env.DEFAULT, authorize.Authorize, {"POST": (READ, authorize.AUTHORIZE)}),
    RouteRow(
        f"/environments/{{env}}{authorize.SHORT}",
        Env.NAMED,
        authorize.Authorize,
        {"POST": (READ, authorize.AUTHORIZE.in_environment())},
    ),
    *_decision("search/resource", resource_search.ResourceSearches, resource_search.SEARCH),
    *_decision("search/subject", subject_search.SubjectSearches, subject_search.SEARCH),
    *_decision("search/action", action_search.ActionSearches, action_search.SEARCH),
    RouteRow(
        "/.well-known/authzen-configuration",
        Env.DEFAULT,
        discovery.Discovery,
        {"GET": (NONE, discovery.DISCOVER)},
    ),
    RouteRow(
        "/.well-known/authzen-configuration/environments/{env}",
        Env.NAMED,
        discovery.Discovery,
        {"GET": (NONE, discovery.DISCOVER_IN)},
    ),
)
"""The rows of evaluations, searches and AuthZEN's discovery."""
