"""Gateways ask a real service: who is believed, what is decided, and what is refused."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from writ.bundles.routing.settings import RESPONSE_VALUES

from tests.support.server import KEY, Server, running

pytestmark = pytest.mark.service

MODEL: dict[str, Any] = {
    "model": 1,
    "resource_types": [
        {"id": "doc", "name": "document", "actions": ["read", "update"]},
        {"id": "http", "actions": ["get"]},
    ],
    "roles": [{"id": "reader"}],
    "assignments": [{"role": "reader", "subject": {"type": "user", "id": "alice"}}],
    "policies": [
        {
            "id": "readers",
            "effect": "ALLOW",
            "roles": ["reader"],
            "resource_types": [{"resource_type_id": "doc", "actions": ["read"]}],
        },
        {
            "id": "drafts",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "doc", "actions": ["update"]}],
            "conditions": {
                "resource_attrs": [{"key": "mode", "op": "eq", "value": "draft"}],
                "subject_attrs": [{"key": "team", "op": "eq", "value": "docs"}],
            },
        },
        {
            "id": "office",
            "effect": "DENY",
            "priority": 9,
            "resource_types": [{"resource_type_id": "doc", "actions": ["*"]}],
            "conditions": {"ip_allowlist": ["203.0.113.9"]},
        },
    ],
    "routes": [
        {"id": "page", "methods": ["GET"], "path": "/documents/{id}/pages/*", "resource_type": "doc", "action": "read"},
        {"id": "read", "methods": ["GET"], "path": "/documents/{id}", "resource_type": "doc", "action": "read"},
        {
            "id": "write",
            "methods": ["PUT"],
            "path": "/documents/{id}",
            "resource_type": "doc",
            "action": "update",
            "attributes": {"mode": "query:mode", "tenant": "header:X-Tenant"},
        },
    ],
}
BY_HEADER: dict[str, Any] = {
    "subject": {"header": "X-Writ-Subject"},
    "trusted_proxies": ["127.0.0.1"],
    "response_headers": {"X-Policy": "policy_id", "X-User": "subject_id", "X-Team": "attribute:team"},
}
ISSUER, AUDIENCE = "https://idp.example", "shop"
DEFAULT, OTHER = "/v1/environments/default", "/v1/environments/other"


@pytest.fixture(scope="module")
def signer() -> Ed25519PrivateKey:
    return Ed25519PrivateKey.generate()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, signer: Ed25519PrivateKey) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    key = json.loads(jwt.algorithms.OKPAlgorithm.to_jwk(signer.public_key()))
    (folder / "jwks.json").write_text(json.dumps({"keys": [key | {"kid": "k1", "use": "sig"}]}))
    with running(folder / "data") as started, started.client() as client:
        client.post("/v1/environments", json={"id": "other"}).raise_for_status()
        for env in (DEFAULT, OTHER):
            client.put(f"{env}/model", json=MODEL).raise_for_status()
        client.put(f"{DEFAULT}/gateway", json=BY_HEADER).raise_for_status()
        client.put(f"{OTHER}/gateway", json=by_token(folder / "jwks.json")).raise_for_status()
        yield started


def by_token(jwks: Path) -> dict[str, Any]:
    token = {"issuer": ISSUER, "audience": AUDIENCE, "algorithms": ["EdDSA"], "jwks_file": str(jwks)}
    return BY_HEADER | {"subject": {"jwt": token | {"attribute_claims": {"team": "team"}}}}


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, headers={"X-Writ-Authorization": f"Bearer {KEY}"}, timeout=30) as client:
        yield client


@pytest.fixture
def admin(server: Server) -> Iterator[httpx.Client]:
    with server.client() as client:
        yield client


def told(contract: str, method: str, target: str, **more: str) -> tuple[str, str, dict[str, str]]:
    """Method, path and headers of a gateway that asks about a request."""
    if contract == "envoy":
        return method, f"/gateway/envoy{target}", {"X-Writ-Subject": "user:alice", **more}
    names = (
        ("X-Original-Method", "X-Original-URI", "X-Original-Host")
        if contract == "nginx"
        else (
            "X-Forwarded-Method",
            "X-Forwarded-Uri",
            "X-Forwarded-Host",
        )
    )
    headers = dict(zip(names, (method, target, "shop.example"), strict=True))
    return "GET", f"/gateway/{contract}", headers | {"X-Writ-Subject": "user:alice", **more}


def ask(http: httpx.Client, contract: str, method: str, target: str, **more: str) -> httpx.Response:
    sent, path, headers = told(contract, method, target, **more)
    request = http.build_request(sent, "/", headers=headers)
    request.extensions["target"] = path.encode()  # as it is: httpx would resolve dot segments
    return http.send(request)


CONTRACTS = ("envoy", "nginx", "traefik", "caddy", "apisix")
each_contract = pytest.mark.parametrize("contract", CONTRACTS)


@each_contract
def test_what_a_route_allows_goes_on_with_what_the_backend_may_know(http: httpx.Client, contract: str) -> None:
    answer = ask(http, contract, "GET", "/documents/d1/pages/3?x=1")
    assert (answer.status_code, answer.content) == (200, b"")
    assert (answer.headers["X-Policy"], answer.headers["X-User"], answer.headers["X-Team"]) == ("readers", "alice", "")
    assert answer.headers["Cache-Control"] == "no-store"


@each_contract
def test_what_is_denied_is_403_with_the_reason_code(http: httpx.Client, contract: str) -> None:
    answer = ask(http, contract, "PUT", "/documents/d1")
    assert (answer.status_code, answer.headers["X-Writ-Reason-Code"]) == (403, "CONDITION_FAILED")
    answer = ask(http, contract, "GET", "/documents/d1", **{"X-Writ-Subject": "user:mallory"})
    assert (answer.status_code, answer.headers["X-Writ-Reason-Code"]) == (403, "ACTION_NOT_PERMITTED")


@each_contract
def test_a_request_without_a_route_is_403(http: httpx.Client, contract: str) -> None:
    for method, target in (("GET", "/"), ("DELETE", "/documents/d1"), ("GET", "/documents/d1/")):
        answer = ask(http, contract, method, target)
        assert (answer.status_code, answer.headers["X-Writ-Reason-Code"]) == (403, "NO_ROUTE")


@each_contract
def test_a_request_without_a_subject_is_401_with_a_challenge(http: httpx.Client, contract: str) -> None:
    for subject in ("", "alice", ":alice", "user:"):
        answer = ask(http, contract, "GET", "/documents/d1", **{"X-Writ-Subject": subject})
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


@each_contract
@pytest.mark.parametrize(
    "target",
    [
        "/documents/d1/../d2",
        "/documents/%2e%2e/d2",
        "/documents/a%2fb",
        "/documents/a%5cb",
        "/documents//d1",
        "/documents/d1;x=1",
        "/documents/%00",
        "/documents/%c0%af",
        "/documents/%252e%252e",
        "/documents/d1%0d%0a",
        "/documents/d1?mode=draft&mode=final",
    ],
)
def test_a_target_with_two_readings_is_403(http: httpx.Client, contract: str, target: str) -> None:
    method = "PUT" if "mode" in target else "GET"
    answer = ask(http, contract, method, target)
    assert (answer.status_code, answer.headers["X-Writ-Reason-Code"]) == (403, "REQUEST_REFUSED"), target


@pytest.mark.parametrize("contract", CONTRACTS[1:])
@pytest.mark.parametrize(
    "target", ["http://evil.example/documents/d1", "documents/d1", "*", "/documents/d1#x", "//documents/d1"]
)
def test_another_form_of_target_is_403(http: httpx.Client, contract: str, target: str) -> None:
    assert ask(http, contract, "GET", target).status_code == 403


@pytest.mark.parametrize("contract", CONTRACTS)
def test_a_header_that_is_sent_twice_is_403(http: httpx.Client, contract: str) -> None:
    method, path, headers = told(contract, "GET", "/documents/d1")
    for name in headers:
        twice = [*headers.items(), (name, "user:alice")]
        answer = http.request(method, path, headers=twice)
        assert (answer.status_code, answer.headers["X-Writ-Reason-Code"]) == (403, "REQUEST_REFUSED"), name


def test_the_gateway_needs_a_credential_of_its_own(http: httpx.Client, server: Server, admin: httpx.Client) -> None:
    method, path, headers = told("nginx", "GET", "/documents/d1")
    for own in ({}, {"Authorization": f"Bearer {KEY}"}, {"X-Writ-Authorization": "Bearer wrong"}):
        answer = httpx.request(method, f"{server.url}{path}", headers=headers | own)
        assert (answer.status_code, "X-Policy" in answer.headers) == (401, False)
    made = admin.post("/v1/api-keys", json={"name": "k", "scopes": ["read"], "environments": ["other"]})
    own = {"X-Writ-Authorization": f"Bearer {made.json()['key']}"}
    assert httpx.request(method, f"{server.url}{path}", headers=headers | own).status_code == 403


def test_a_wrong_credential_counts_once(tmp_path: Path) -> None:
    """The lane and the application both see it, but only one of them counts it."""
    method, path, headers = told("nginx", "GET", "/documents/d1")
    answers = []
    with running(tmp_path / "data", workers=1, settings={"WRIT_MAX_FAILED_ATTEMPTS": "4"}) as started:
        wrong = headers | {"X-Writ-Authorization": "Bearer wrong"}
        for address in ("127.0.0.11", "127.0.0.12"):  # two, since a minute may end in one
            with httpx.Client(transport=httpx.HTTPTransport(local_address=address)) as client:
                url = f"{started.url}{path}"
                answers.append([client.request(method, url, headers=wrong).status_code for _ in range(6)])
    assert [401, 401, 401, 401, 429, 429] in answers


def test_only_a_trusted_peer_tells_who_asks_what_and_from_where(http: httpx.Client, admin: httpx.Client) -> None:
    admin.put(f"{DEFAULT}/gateway", json=BY_HEADER | {"trusted_proxies": ["192.0.2.1"]}).raise_for_status()
    try:
        for contract in CONTRACTS:
            answer = ask(http, contract, "GET", "/documents/d1")
            assert (answer.status_code, answer.headers["X-Writ-Reason-Code"]) == (403, "REQUEST_REFUSED")
    finally:
        admin.put(f"{DEFAULT}/gateway", json=BY_HEADER).raise_for_status()
    assert ask(http, "caddy", "GET", "/documents/d1").status_code == 200


def test_the_address_is_the_last_one_that_the_gateway_added(http: httpx.Client) -> None:
    for forwarded, status in (
        ("203.0.113.9", 403),
        ("203.0.113.9, 198.51.100.7", 200),
        ("x, 203.0.113.9", 403),
        ("203.0.113.9:41234", 403),
        ("203.0.113.9:1, 198.51.100.7:41234", 200),
    ):
        answer = ask(http, "traefik", "GET", "/documents/d1", **{"X-Forwarded-For": forwarded})
        assert answer.status_code == status, forwarded
    assert ask(http, "traefik", "GET", "/documents/d1", **{"X-Forwarded-For": "evil"}).status_code == 403


def test_an_environment_without_settings_lets_nothing_through(http: httpx.Client, admin: httpx.Client) -> None:
    admin.post("/v1/environments", json={"id": "bare"}).raise_for_status()
    method, path, headers = told("caddy", "GET", "/documents/d1")
    answer = http.request(method, f"/environments/bare{path}", headers=headers)
    assert (answer.status_code, "/v1/environments/bare/gateway" in answer.json()["error"]) == (403, True)
    assert http.request(method, f"/environments/none{path}", headers=headers).status_code == 404


def test_another_gateway_or_path_is_404(http: httpx.Client) -> None:
    for path in ("/gateway/haproxy", "/gateway/", "/gateway", "/gatewayx/nginx"):
        assert http.get(path, headers={"Authorization": f"Bearer {KEY}"}).status_code == 404


def test_a_user_s_token_says_who_asks(http: httpx.Client, signer: Ed25519PrivateKey) -> None:
    """Issuer, audience, algorithm, key, times and claims of the token are checked."""
    now = int(time.time())
    good = {"iss": ISSUER, "aud": AUDIENCE, "sub": "alice", "exp": now + 600, "team": "docs"}

    def answer(claims: dict[str, Any], key: Any = signer, algorithm: str = "EdDSA", kid: str = "k1") -> int:
        token = jwt.encode(claims, key, algorithm, headers={"kid": kid})
        method, path, headers = told("caddy", "PUT", "/documents/d1?mode=draft", Authorization=f"Bearer {token}")
        return http.request(method, f"/environments/other{path}", headers=headers).status_code

    assert answer(good) == 200
    assert answer(good) == 200, "a token that was verified before"
    assert answer(good | {"team": "sales"}) == 403
    assert answer(good | {"exp": now - 60}) == 401
    assert answer(good | {"nbf": now + 600}) == 401
    assert answer(good | {"iss": "https://evil.example"}) == 401
    assert answer(good | {"aud": "other"}) == 401
    assert answer({name: good[name] for name in good if name != "exp"}) == 401
    assert answer({name: good[name] for name in good if name != "sub"}) == 401
    assert answer(good | {"sub": 7}) in (401, 403)
    assert answer(good, Ed25519PrivateKey.generate()) == 401
    assert answer(good, kid="k2") == 401
    assert answer(good, "a secret of more than thirty-two bytes", "HS256") == 401


def test_without_a_user_s_token_or_with_writ_s_own_it_is_401(
    http: httpx.Client, server: Server, admin: httpx.Client
) -> None:
    client = admin.post("/v1/clients", json={"name": "c", "scopes": ["read"]}).json()
    form = {"grant_type": "client_credentials"} | {name: client[name] for name in ("client_id", "client_secret")}
    own = httpx.post(f"{server.url}/v1/oauth/token", data=form).json()["access_token"]
    for authorization in ("", "Basic x", f"Bearer {own}", f"Bearer {KEY}", "Bearer", "Bearer a.b.c"):
        method, path, headers = told("caddy", "GET", "/documents/d1", Authorization=authorization)
        assert http.request(method, f"/environments/other{path}", headers=headers).status_code == 401


def test_a_change_of_the_routes_counts_for_the_next_request(http: httpx.Client, admin: httpx.Client) -> None:
    assert ask(http, "nginx", "GET", "/reports/r1").status_code == 403
    route = {"methods": ["GET"], "path": "/reports/{id}", "resource_type": "doc", "action": "read"}
    admin.post(f"{DEFAULT}/routes", json=route | {"id": "reports"}).raise_for_status()
    assert ask(http, "nginx", "GET", "/reports/r1").status_code == 200
    admin.delete(f"{DEFAULT}/routes/reports").raise_for_status()
    assert ask(http, "nginx", "GET", "/reports/r1").status_code == 403


def test_without_routes_the_request_itself_is_the_resource(http: httpx.Client, admin: httpx.Client) -> None:
    everyone = {
        "id": "reports",
        "effect": "ALLOW",
        "resource_types": [{"resource_type_id": "http", "actions": ["get"]}],
        "conditions": {
            "resource_attrs": [
                {"key": "path", "op": "regex", "value": "^/reports/"},
                {"key": "host", "op": "eq", "value": "shop.example"},
            ]
        },
    }
    admin.post("/v1/environments", json={"id": "plain"}).raise_for_status()
    admin.put(
        "/v1/environments/plain/model",
        json={"model": 1, "resource_types": MODEL["resource_types"], "policies": [everyone]},
    )
    admin.put("/v1/environments/plain/gateway", json=BY_HEADER).raise_for_status()
    for target, status in (("/reports/1", 200), ("/admin", 403)):
        method, path, headers = told("traefik", "GET", target)
        answer = http.request(method, f"/environments/plain{path}", headers=headers)
        assert answer.status_code == status


def test_the_action_and_the_resource_may_be_named_by_a_trusted_gateway(http: httpx.Client, admin: httpx.Client) -> None:
    named = BY_HEADER | {"action_header": "X-Writ-Action", "resource_header": "X-Writ-Resource"}
    admin.put(f"{DEFAULT}/gateway", json=named).raise_for_status()
    try:
        more = {"X-Writ-Action": "read", "X-Writ-Resource": "document:d1"}
        assert ask(http, "nginx", "POST", "/anything", **more).status_code == 200
        assert ask(http, "nginx", "POST", "/anything", **more | {"X-Writ-Action": "update"}).status_code == 403
        assert ask(http, "nginx", "POST", "/anything", **more | {"X-Writ-Resource": "d1"}).status_code == 403
    finally:
        admin.put(f"{DEFAULT}/gateway", json=BY_HEADER).raise_for_status()


def test_any_method_is_asked_of_envoy_and_a_head_has_no_body(http: httpx.Client) -> None:
    for method in ("POST", "PATCH", "OPTIONS", "PROPFIND", "HEAD", "BREW", "CONNECT"):
        answer = ask(http, "envoy", method, "/documents/d1")
        assert answer.status_code == 403
        assert (answer.content == b"") is (method == "HEAD")
    answer = http.post("/gateway/envoy/documents/d1", headers={"X-Writ-Subject": "user:alice"}, content=b"x" * 100_000)
    assert answer.status_code == 403
    assert ask(http, "envoy", "GET", "/documents/d1").status_code == 200


def test_an_answer_may_be_cached_until_the_clock_changes_it(http: httpx.Client, admin: httpx.Client) -> None:
    """`no-store` unless the environment asks for more, then the lesser of its limit and of what is known."""
    assert ask(http, "nginx", "GET", "/documents/d1").headers["Cache-Control"] == "no-store"
    admin.put(f"{DEFAULT}/gateway", json=BY_HEADER | {"max_cache_seconds": 60}).raise_for_status()
    ends = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 50))
    holder = {"id": "soon", "role": "reader", "subject": {"type": "user", "id": "zoe"}, "expires_at": ends}
    admin.post(f"{DEFAULT}/assignments", json=holder).raise_for_status()
    try:
        revision = str(admin.get(DEFAULT).json()["revision"])
        answer = ask(http, "nginx", "GET", "/documents/d1")
        assert answer.headers["Cache-Control"] == "private, max-age=60"
        assert answer.headers["Writ-Revision"].endswith(f".{revision}")
        assert "Writ-Valid-Until" not in answer.headers
        answer = ask(http, "nginx", "GET", "/documents/d1", **{"X-Writ-Subject": "user:zoe"})
        assert answer.headers["Writ-Valid-Until"] == ends
        assert 10 <= int(answer.headers["Cache-Control"].removeprefix("private, max-age=")) < 50
        assert ask(http, "nginx", "PUT", "/documents/d1").headers["Cache-Control"] == "no-store"
    finally:
        admin.put(f"{DEFAULT}/gateway", json=BY_HEADER).raise_for_status()


def test_every_response_value_of_the_settings_tells_something(http: httpx.Client, admin: httpx.Client) -> None:
    headers = {f"X-{value.replace('_', '-')}": value for value in RESPONSE_VALUES}
    admin.put(f"{DEFAULT}/gateway", json=BY_HEADER | {"response_headers": headers}).raise_for_status()
    try:
        answer = ask(http, "nginx", "GET", "/documents/d1")
        assert {name: answer.headers[name] for name in headers} == {
            "X-access-path": "role",
            "X-policy-id": "readers",
            "X-reason-code": "ALLOWED",
            "X-revision": str(admin.get(DEFAULT).json()["revision"]),
            "X-subject-id": "alice",
            "X-subject-type": "user",
        }
    finally:
        admin.put(f"{DEFAULT}/gateway", json=BY_HEADER).raise_for_status()
