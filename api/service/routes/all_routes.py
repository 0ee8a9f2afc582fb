"""All routes in one table, and what follows from it: access rules, counted paths and the OpenAPI document."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from ...endpoints.gateway.described import GATEWAY_PARAMETERS, gateway_calls
from ...endpoints.gateway.front import GATEWAY_ROUTES
from ...http.openapi import resource
from ...http.openapi.openapi_document import document
from ...http.openapi.operation import TEXT, Parameter
from ...identity.guard import Access
from .decision_routes import DECISION_ROUTES
from .insight_routes import INSIGHT_ROUTES
from .model_routes import MODEL_ROUTES
from .route_row import READ, Env, RouteRow
from .service_routes import SERVICE_ROUTES


@cache
def openapi_document() -> dict[str, Any]:
    """Returns the OpenAPI document of the routes, and of what gateways ask before them."""
    paths = {route.path: route.calls() for route in ROUTES}
    return document(paths | gateway_calls(), {**PATH_PARAMETERS, **GATEWAY_PARAMETERS})


ROUTES: Final[tuple[RouteRow, ...]] = (
    *DECISION_ROUTES,
    *MODEL_ROUTES,
    *INSIGHT_ROUTES,
    *SERVICE_ROUTES,
    RouteRow("/openapi.json", Env.NONE, lambda: resource.OpenApi(openapi_document()), {"GET": (READ, resource.GET)}),
)
"""Every path that is served."""


PATH_PARAMETERS: Final[Mapping[str, Parameter]] = {
    one.name: one
    for one in (
        Parameter("env", "The id of an environment."),
        Parameter("id", "The id. Write a `/` in it as `%2F`.", TEXT | {"minLength": 1}),
        Parameter("client_id", "The id of a client.", TEXT | {"minLength": 1}),
        Parameter("type", "The type. Write a `/` in it as `%2F`.", TEXT | {"minLength": 1}),
        Parameter("member", "The id of the member. Write a `/` in it as `%2F`.", TEXT | {"minLength": 1}),
        Parameter("folder", "A folder of the console's files.", TEXT | {"minLength": 1}),
        Parameter("file", "A file of the console.", TEXT | {"minLength": 1}),
        Parameter("revision", "The number of a revision.", {"type": "integer", "minimum": 1}),
    )
}
"""The parameters of the paths above, by name."""

ACCESS: Final[Mapping[str, Access]] = {route.path: route.access() for route in ROUTES}
"""The access rules of each route, by path."""

WRITES: Final = frozenset((route.path, method) for route in ROUTES for method in route.writes())
"""The path templates and methods of the writes in environments."""

CHANGES: Final = frozenset((route.path, method) for route in ROUTES for method in route.changes())
"""The path templates and methods of all calls that change what is stored."""

COUNTED: Final = (*((route.path, method) for route in ROUTES for method in route.methods), *GATEWAY_ROUTES)
"""The routes that are counted apart: path templates with their methods."""
