"""The OpenAPI document is complete: every route and method, all of it described, and nothing else."""

import json
import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from falcon import testing
from writ.api.endpoints.gateway.contracts.all_contracts import CONTRACTS
from writ.api.endpoints.gateway.contracts.contract import GatewayCall
from writ.api.endpoints.gateway.front import asked_in
from writ.api.endpoints.gateway.headers import Headers
from writ.api.http.bodies import FORM
from writ.api.service.routes.all_routes import ACCESS, openapi_document
from writ.api.settings.settings import HttpLimits

from tests.support.managed import MEMBERS, ROOT, Managed

DOCUMENT: dict[str, Any] = json.loads(json.dumps(openapi_document()))
METHODS = {"get", "head", "post", "put", "patch", "delete", "options", "trace"}


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in DOCUMENT["paths"].items():
        yield from ((path, method, item[method]) for method in METHODS & item.keys())


def resolved(part: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in part:
        found: Any = DOCUMENT
        for step in part["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        part = found
    return part


def references(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        if "$ref" in part:
            yield part
        for inner in part.values():
            yield from references(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from references(inner)


def test_the_document_is_served(app: testing.TestClient) -> None:
    assert app.simulate_get("/openapi.json").json == DOCUMENT


def test_every_route_and_method_is_there_and_no_other() -> None:
    """Beside the routes, the paths of gateways: they are served before the routes, with any method."""
    assert {(path, method.upper()) for path, method, _ in operations() if "/gateway/" not in path} == {
        (path, method) for path, access in ACCESS.items() for method in access.scopes
    }


@pytest.mark.parametrize("root", ["", "/environments/other"])
@pytest.mark.parametrize("gateway", CONTRACTS)
@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_path_of_a_gateway_is_there(root: str, gateway: str, method: str) -> None:
    path = f"{root}/gateway/{gateway}" + ("/documents" if CONTRACTS[gateway].prefix else "")
    assert asked_in(path.encode(), method.upper(), Headers({}), "", b"7") is not None, "it is served"
    described = [template for template in DOCUMENT["paths"] if re.fullmatch(pattern(template), path)]
    assert len(described) == 1
    operation = DOCUMENT["paths"][described[0]][method]
    assert operation["security"] == [{"gateway": []}]
    assert operation["responses"].keys() >= {"200", "401", "403", "429", "500", "503"}
    assert "405" not in operation["responses"]


def pattern(template: str) -> str:
    """A regular expression for the paths of a template, with what its parameters may be."""
    parameters = DOCUMENT["paths"][template].get("parameters", [])
    texts = {one["name"]: one["schema"].get("enum", ["[^/]+"]) for one in parameters}
    return re.sub(r"\{(\w+)\}", lambda found: f"({'|'.join(texts[found[1]])})", template)


@pytest.mark.parametrize("gateway", CONTRACTS)
def test_every_header_that_a_gateway_may_tell_by_is_there(gateway: str) -> None:
    """Of each contract, what it reads of a request whose headers are all there."""
    read: list[str] = []

    class Spy(Headers):
        def several(self, names: tuple[str, ...]) -> list[str | None]:
            read.extend(names)
            return ["192.0.2.1" if name == "X-Forwarded-For" else "http" for name in names]

    CONTRACTS[gateway].original(GatewayCall("GET", Spy({}), "/documents", trusted=True))
    path = "/gateway/envoy/{original}" if CONTRACTS[gateway].prefix else "/gateway/{gateway}"
    described = {resolved(one)["name"] for one in DOCUMENT["paths"][path]["get"]["parameters"]}
    assert read
    assert set(read) - {"Host"} <= described


def test_it_has_the_version_of_the_program() -> None:
    assert DOCUMENT["info"]["version"] == version("writ-pdp")


def test_operations_are_named_in_plain_english() -> None:
    ids = {operation["operationId"] for _, _, operation in operations()}
    assert {"listPolicies", "createPolicies", "listResourceTypes", "createPolicy", "patchEnvironment"} <= ids
    assert not {id for id in ids if "ys" in id.replace("Keys", "") or "_" in id}


@pytest.mark.parametrize(
    ("path", "method", "own"),
    [
        ("/access/v1/evaluation", "post", "200 400 401 403 409 413 429"),
        ("/v1/clients", "post", "201 400 401 403 413 415 429"),
        ("/v1/clients/{client_id}/secret", "post", "200 400 401 403 404 409 413 415 429"),
        ("/v1/oauth/token", "post", "200 400 401 429"),
        ("/healthz", "get", "200"),
        ("/v1/environments", "post", "201 400 401 403 409 413 415 429"),
        ("/v1/environments/{env}", "patch", "200 400 401 403 404 409 412 413 415 429"),
        ("/v1/environments/{env}/model", "put", "200 400 401 403 404 409 412 413 415 429"),
        ("/v1/environments/{env}/roles", "get", "200 400 401 403 404 429"),
        ("/v1/environments/{env}/roles", "post", "201 400 401 403 404 409 413 415 429"),
        ("/v1/environments/{env}/roles/{id}", "get", "200 304 400 401 403 404 429"),
        ("/v1/environments/{env}/assignments", "post", "200 201 400 401 403 404 409 413 415 429"),
        ("/v1/environments/{env}/assignments:batch", "post", "200 201 400 401 403 404 409 413 415 429"),
        ("/v1/environments/{env}/roles/{id}", "put", "200 201 400 401 403 404 412 413 415 429"),
        ("/v1/environments/{env}/roles/{id}", "delete", "204 400 401 403 404 409 412 429"),
    ],
)
def test_every_status_that_a_route_gives_is_described(path: str, method: str, own: str) -> None:
    """Beside those that any request can meet: on the connection, by its method, in a failure of the service."""
    always = {"405", "408", "414", "431", "500", "503"}
    assert DOCUMENT["paths"][path][method]["responses"].keys() == always | set(own.split())


def test_every_operation_parameter_and_response_is_described() -> None:
    ids = [operation["operationId"] for _, _, operation in operations()]
    assert len(set(ids)) == len(ids)
    for path, method, operation in operations():
        where = f"{method} {path}"
        assert operation["summary"], where
        assert operation["description"], where
        parameters = [resolved(one) for one in operation["parameters"] + DOCUMENT["paths"][path].get("parameters", [])]
        assert all(one["description"] for one in parameters), where
        in_path = {one["name"] for one in parameters if one["in"] == "path"}
        assert in_path == set(re.findall(r"\{(\w+)\}", path)), where
        for status, answer in operation["responses"].items():
            assert resolved(answer)["description"], (where, status)
            assert all(resolved(one)["description"] for one in resolved(answer)["headers"].values()), (where, status)


def test_every_reference_leads_somewhere_and_every_schema_is_used() -> None:
    used = set()
    for reference in references(DOCUMENT):
        assert resolved(reference)
        used.add(reference["$ref"])
    for section, parts in DOCUMENT["components"].items():
        if section != "securitySchemes":
            unused = {f"#/components/{section}/{name}" for name in parts} - used
            assert not {name for name in unused if not name.endswith("Head")}, unused


def test_what_is_answered_is_what_is_documented(full: Managed) -> None:
    """Every status and header of some telling calls; schemathesis looks for more."""
    for method, path, headers, body in [
        ("POST", f"{ROOT}/roles", {}, {"id": "r"}),
        ("POST", f"{ROOT}/roles", {}, {"id": "r"}),
        ("POST", f"{ROOT}/roles", {}, {"id": 1}),
        ("POST", f"{ROOT}/roles", {"Content-Type": "text/plain"}, None),
        ("PUT", f"{ROOT}/roles/r", {"If-Match": '"x"'}, {"id": "r"}),
        ("PUT", f"{ROOT}/roles/s", {"If-None-Match": "*"}, {"id": "s"}),
        ("POST", f"{ROOT}/assignments", {}, {"role": "editor", "group": "eng"}),
        ("DELETE", f"{ROOT}/roles/editor", {}, None),
        ("DELETE", f"{ROOT}/roles/r", {}, None),
        ("GET", f"{ROOT}/roles/r", {}, None),
        ("GET", f"{ROOT}/model", {"If-None-Match": "*"}, None),
        ("GET", f"{ROOT}/model", {"Authorization": "Bearer x"}, None),
        ("PUT", f"{ROOT}/model", {"If-None-Match": "*"}, {"model": 1}),
        ("PATCH", ROOT, {}, {"protected": False}),
        ("DELETE", ROOT, {}, None),
    ]:
        answer = full.simulate_request(method, path, headers=headers, **({"json": body} if body else {}))
        check_documented(method, path, answer)


def check_documented(method: str, path: str, answer: testing.Result) -> None:
    template = next(one for one in DOCUMENT["paths"] if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", one), path))
    documented = resolved(DOCUMENT["paths"][template][method.lower()]["responses"][str(answer.status_code)])
    required = {name.lower() for name, one in documented["headers"].items() if resolved(one)["required"]}
    assert required <= answer.headers.keys(), (method, path, answer.status_code)


def test_a_guess_too_many_is_answered_as_documented(tmp_path: Path) -> None:
    service = Managed(tmp_path / "data", HttpLimits(failed_attempts=1), clock=lambda: 0.0)
    guess = {"grant_type": "client_credentials", "token": "x", "client_id": "x", "client_secret": "x"}
    calls = [("GET", f"{ROOT}/model"), ("POST", "/v1/oauth/token"), ("POST", "/v1/oauth/revoke")]
    for status, (method, path) in zip((401, 429, 429, 429), (calls[0], *calls), strict=True):
        headers = {"Authorization": "Bearer x", "Content-Type": FORM}
        answer = service.simulate_request(method, path, headers=headers, body=urlencode(guess))
        assert answer.status_code == status
        check_documented(method, path, answer)
    service.store.close()


def test_each_kind_has_a_schema_of_its_elements(full: Managed) -> None:
    for kind in MEMBERS:
        listing = DOCUMENT["paths"][f"/v1/environments/{{env}}/{kind}"]["get"]["responses"]["200"]
        item = resolved(listing["content"]["application/json"]["schema"]["properties"]["items"]["items"])
        if "anyOf" in item:  # a subject, or one without an entry
            item = resolved(item["anyOf"][0])
        assert item["properties"].keys() >= MEMBERS[kind].keys(), kind


def test_who_has_the_document_already_gets_no_other_copy(app: testing.TestClient) -> None:
    tag = app.simulate_get("/openapi.json").headers["ETag"]
    again = app.simulate_get("/openapi.json", headers={"If-None-Match": tag})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    assert app.simulate_get("/openapi.json", headers={"If-None-Match": '"old"'}).json == DOCUMENT
