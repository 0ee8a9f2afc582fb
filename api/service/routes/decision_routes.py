"""The routes that decide and search, and those that say where decisions are."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from ...endpoints.decisions import authorize, discovery, evaluation, evaluations
from ...endpoints.decisions.searches import action_search, resource_search, subject_search
from ...http.openapi.operation import Operation
from ...http.revision_tokens import deciding
from .route_row import DECIDE, NONE, READ, Env, RouteRow


def _decision(call: str, handler: Callable[..., object], operation: Operation) -> Iterator[RouteRow]:
    """Yields the routes of a call under `/access/v1`: of the default environment, and of each by its name."""
    yield from _both(f"/access/v1/{call}", handler, operation)


def _both(path: str, handler: Callable[..., object], operation: Operation) -> Iterator[RouteRow]:
    asking = deciding(operation)
    yield RouteRow(path, Env.DEFAULT, handler, {"POST": (DECIDE, asking)})
    yield RouteRow(f"/environments/{{env}}{path}", Env.NAMED, handler, {"POST": (DECIDE, asking.in_environment())})


def _search(kind: str, handler: Callable[..., object], operation: Operation) -> Iterator[RouteRow]:
    """Yields the routes of a search. One of them is below `/v1/`, where the sessions of people count."""
    yield from _decision(f"search/{kind}", handler, operation)
    own = replace(deciding(operation), id=f"{operation.id}OfEnvironment")
    yield RouteRow(f"/v1/environments/{{env}}/search/{kind}", Env.NAMED, handler, {"POST": (READ, own)})


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
    *_both(authorize.SHORT, authorize.Authorize, authorize.AUTHORIZE),
    *_search("resource", resource_search.ResourceSearches, resource_search.SEARCH),
    *_search("subject", subject_search.SubjectSearches, subject_search.SEARCH),
    *_search("action", action_search.ActionSearches, action_search.SEARCH),
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
