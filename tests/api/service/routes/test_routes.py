"""The table of routes is whole, and the application, the guard and the OpenAPI document have exactly its rows."""

import re
from collections.abc import Iterator

import pytest
from falcon import inspect, testing
from writ.api.endpoints.gateway.described import gateway_calls
from writ.api.http.openapi.operation import Operation
from writ.api.identity.credential import Scope
from writ.api.service.routes.all_routes import ACCESS, PATH_PARAMETERS, ROUTES, openapi_document
from writ.api.service.routes.route_row import Env, RouteRow

from tests.support.managed import Managed

CALLS = {route.path: {*route.methods} | ({"HEAD"} if "GET" in route.methods else set()) for route in ROUTES}
"""The methods of each path; HEAD follows from GET."""


def path_of(route: RouteRow) -> str:
    return route.path


@pytest.mark.parametrize("route", ROUTES, ids=path_of)
def test_a_row_is_whole(route: RouteRow) -> None:
    assert callable(route.handler)
    assert route.methods
    assert route.methods.keys() <= {"GET", "POST", "PUT", "PATCH", "DELETE"}
    for scope, operation in route.methods.values():
        assert isinstance(scope, Scope)
        assert isinstance(operation, Operation)
        assert operation.id
        assert operation.answers


def test_no_path_and_no_operation_is_there_twice() -> None:
    assert len(CALLS) == len(ROUTES)
    ids = [operation.id for route in ROUTES for _, operation in route.methods.values()]
    assert len(set(ids)) == len(ids)


def test_the_application_serves_the_table(full: Managed) -> None:
    served = {
        route.path: {method.method for method in route.methods if not method.internal}
        for route in inspect.inspect_routes(full.app)
    }
    assert served == CALLS


def test_the_guard_knows_the_table() -> None:
    assert {path: {*access.scopes} for path, access in ACCESS.items()} == CALLS
    for route in ROUTES:
        for method, (scope, _) in route.methods.items():
            assert ACCESS[route.path].scopes[method] is scope
        if "GET" in route.methods:
            assert ACCESS[route.path].scopes["HEAD"] is route.methods["GET"][0]


def test_the_document_describes_the_table() -> None:
    paths = openapi_document()["paths"]
    calls = {path: {name.upper() for name in item if name != "parameters"} for path, item in paths.items()}
    assert {path: methods for path, methods in calls.items() if path not in gateway_calls()} == CALLS
    for route in ROUTES:
        for method, (_, operation) in route.methods.items():
            assert paths[route.path][method.lower()]["operationId"] == operation.id


@pytest.mark.parametrize("route", ROUTES, ids=path_of)
def test_a_route_belongs_to_the_environment_that_its_path_names(route: RouteRow) -> None:
    assert (route.env is Env.NAMED) is ("{env}" in route.path)
    assert ACCESS[route.path].one_environment is (route.env is not Env.NONE)


def test_what_a_credential_bound_to_environments_may_call_everywhere() -> None:
    """Each of these shows and changes only the credential's part."""
    everywhere = {route.path for route in ROUTES if route.env is Env.NONE}
    assert {path for path in everywhere if any(ACCESS[path].scopes.values())} == {
        *("/metrics", "/openapi.json", "/v1/caller", "/v1/environments", "/v1/audit"),
        *("/v1/api-keys", "/v1/api-keys/{id}", "/v1/api-keys/{id}/rotate", "/v1/api-keys/{id}/old-keys"),
        *("/v1/clients", "/v1/clients/{client_id}", "/v1/clients/{client_id}/secret"),
        *("/v1/clients/{client_id}/old-secrets", "/v1/clients/{client_id}/revoke"),
        *("/v1/sessions", "/v1/sessions/{id}", "/console/sign-out"),
        *("/v1/people", "/v1/people/{id}"),  # the list refuses it, and who knows an id has read it in a history
        "/v1/people/{id}/sessions",  # refuses it
    }


def test_every_parameter_of_a_path_is_described_and_no_other() -> None:
    assert {name for path in CALLS for name in re.findall(r"\{(\w+)\}", path)} == PATH_PARAMETERS.keys()


def links(document: dict[str, object]) -> Iterator[str]:
    for name, link in document.items():
        if name not in ("issuer", "policy_decision_point") and str(link).startswith("http"):
            yield re.sub(r"^https?://[^/]+", "", str(link))


@pytest.mark.parametrize(
    ("path", "count"),
    [
        ("/.well-known/oauth-authorization-server", 3),
        ("/.well-known/authzen-configuration", 6),
        ("/.well-known/authzen-configuration/environments/default", 6),
    ],
)
def test_every_url_that_is_handed_out_is_served(full: testing.TestClient, path: str, count: int) -> None:
    found = [
        link.replace("/environments/default/", "/environments/{env}/") for link in links(full.simulate_get(path).json)
    ]
    assert len(found) == count
    assert {*found} <= CALLS.keys()
