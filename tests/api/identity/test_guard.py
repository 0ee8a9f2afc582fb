"""The table of routes, and who gets through it (authzen.md 68, 96, 97; contract 5, 7.2)."""

import logging
import re
from hashlib import sha256
from typing import Any

import falcon
import falcon.asgi
import pytest
from falcon import inspect, testing
from writ.api.endpoints.errors import ErrorAnswers
from writ.api.http.rejections import Forbidden, Unauthenticated
from writ.api.identity.admin_key import AdminKey
from writ.api.identity.admin_keys import AdminKeys
from writ.api.identity.credential import Credential, Scope
from writ.api.identity.guard import Access, Guard
from writ.api.service.routes.all_routes import ACCESS
from writ.api.store.errors import OutOfBounds

from tests.support.managed import Managed
from tests.support.server import KEY

CHALLENGE = 'Bearer realm="writ"'
ROUTES = {path: access.scopes for path, access in ACCESS.items()}


def test_every_route_has_a_row_and_every_row_a_route(app: testing.TestClient) -> None:
    served = {route.path: route for route in inspect.inspect_routes(app.app)}
    assert served.keys() == ROUTES.keys()
    for path, route in served.items():
        own = {method.method for method in route.methods if not method.internal}
        assert own == ROUTES[path].keys(), path


def test_what_asks_for_no_credential() -> None:
    """Tokens are revoked by their client, which says who it is in the form."""
    public = {path for path, methods in ROUTES.items() if Scope.NONE in methods.values()}
    assert {path for path in public if not path.startswith("/.well-known/")} == {
        *("/healthz", "/readyz"),
        *("/v1/oauth/token", "/v1/oauth/revoke"),
        *("/console", "/console/", "/console/{folder}/{file}"),
        *("/console/sign-in", "/console/callback", "/console/session"),
    }
    assert all(set(ROUTES[path].values()) == {Scope.NONE} for path in public)


def test_clients_and_keys_ask_for_admin_whatever_the_method() -> None:
    administered = [path for path in ROUTES if path.startswith(("/v1/clients", "/v1/api-keys"))]
    assert len(administered) == 9
    assert {scope for path in administered for scope in ROUTES[path].values()} == {Scope.ADMIN}


CALLS = [(method, path, scope) for path, methods in ROUTES.items() for method, scope in methods.items()]
KEYS = {"decide": Scope.DECIDE, "read": Scope.READ, "write": Scope.WRITE, "admin": Scope.ADMIN}


def called(service: Managed, method: str, route: str, key: str | None, env: str = "default") -> testing.Result:
    """A call without a body, of an environment, and of elements that are not there."""
    path = re.sub(r"\{\w+\}", "1", route.replace("{env}", env))
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    return testing.TestClient(service.app).simulate_request(method, path, headers=headers)


def test_every_call_asks_for_its_scope(full: Managed) -> None:
    made = {scope: full.simulate_post("/v1/api-keys", json={"name": "k", "scopes": [scope]}).json for scope in KEYS}
    for method, route, needed in CALLS:
        assert (called(full, method, route, None).status_code == 401) is (needed > Scope.NONE), (method, route)
        for scope, key in made.items():
            answer = called(full, method, route, key["key"])
            assert answer.status_code != 401, (method, route, scope)
            assert (answer.status_code == 403) is (KEYS[scope] < needed), (method, route, scope)
            if answer.status_code == 403:
                assert f'scope="{needed.name.lower()}"' in answer.headers["WWW-Authenticate"]


def test_every_call_heeds_what_a_credential_is_bound_to(full: Managed) -> None:
    """Outside, an administrator's too gets 403 everywhere, of what is there and of what is not."""
    full.simulate_post("/v1/environments", json={"id": "stage"})
    body = {"name": "k", "scopes": ["admin"], "environments": ["stage"]}
    key = full.simulate_post("/v1/api-keys", json=body).json["key"]
    everywhere = 0
    for method, route, needed in CALLS:
        if needed is Scope.NONE:
            continue
        if "{env}" in route or route.startswith(("/access/", "/v1/authorize")):
            for env in ("default", "none"):
                assert called(full, method, route, key, env).status_code == 403, (method, route, env)
            if "{env}" in route and (method, route) != ("DELETE", "/v1/environments/{env}"):
                assert called(full, method, route, key, "stage").status_code != 403, (method, route)
        else:
            everywhere += 1
            assert not ACCESS[route].one_environment, "a route of no environment needs a reason to be open to all"
    assert everywhere


def test_decide_covers_decisions_searches_and_bundles_alone() -> None:
    decided = {path for path, methods in ROUTES.items() if Scope.DECIDE in methods.values()}
    own = {path for path in ROUTES if "/access/v1/" in path or path.endswith(("/v1/authorize", "/bundle"))}
    assert decided == own
    assert all({*ROUTES[path].values()} <= {Scope.DECIDE} for path in own if not path.endswith("/bundle"))


ADMINISTERED = ("/v1/environments", "/v1/environments/{env}", "/v1/environments/{env}/gateway")
RESERVED = ("/promotions", "/denials")
"""What only an administrator reads."""

SEARCHES = ("/search/resource", "/search/subject", "/search/action")
ASKING = (
    "/tests:run",
    "/policies:convert",
    "/filters:translate",
    "/explain",
    "/who-can",
    "/rights",
    "/names",
    *SEARCHES,
)
"""What a POST asks, and does not change."""


def test_management_reads_with_read_writes_with_write_and_makes_environments_with_admin() -> None:
    managed = {path: methods for path, methods in ROUTES.items() if path.startswith("/v1/environments")}
    assert len(managed) >= 2 + 3 * 9 + 4 + 7 + 1 + 1 + len(ASKING)
    for path, methods in managed.items():
        for method, scope in methods.items():
            if any(part in path for part in RESERVED):
                assert scope is Scope.ADMIN, (method, path)
                continue
            if path.endswith("/bundle"):
                assert scope is Scope.DECIDE, (method, path)
                continue
            changing = Scope.ADMIN if path in ADMINISTERED else Scope.WRITE
            if path.endswith(ASKING):
                changing = Scope.READ
            assert scope is (Scope.READ if method in ("GET", "HEAD") else changing), (method, path)


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "BREW"])
@pytest.mark.parametrize("path", ["/access/v1/evaluation", "/access/v1/evaluations"])
@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}])
def test_another_method_is_405(app: testing.TestClient, path: str, method: str, headers: dict[str, str]) -> None:
    answer = app.simulate_request(method, path, headers=headers)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
    if method != "HEAD":
        assert answer.json == {"error": f"this path does not support `{method}`, only POST"}


def test_health_serves_get_and_head(app: testing.TestClient) -> None:
    for path in ("/healthz", "/readyz"):
        answer = app.simulate_post(path)
        assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        f"Bearer {KEY}x",
        f"Bearer {KEY[:-1]}",
        f"Bearer {KEY} {KEY}",
        f"Basic {KEY}",
        KEY,
        f"Bearer{KEY}",
        f"Token {KEY}",
        f"Bearer {KEY},Bearer {KEY}",
        "Bearer \u00e6\u00ff",
    ],
)
def test_no_or_a_wrong_credential_is_401(app: testing.TestClient, header: str | None) -> None:
    headers = {"Authorization": header, "X-Request-ID": "7"}
    for path in ("/access/v1/evaluation", "/access/v1/evaluations"):
        answer = testing.TestClient(app.app).simulate_post(
            path, headers={name: value for name, value in headers.items() if value is not None}
        )
        sent = header is not None and header.startswith("Bearer") and not header.startswith(f"Bearer{KEY}")
        challenge = CHALLENGE + ', error="invalid_token"' * sent  # RFC 6750, 3.1
        assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, challenge)
        assert answer.json.keys() == {"error"}
        assert answer.headers["X-Request-ID"] == "7"
        assert KEY not in answer.text


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_is_read_in_any_case(app: testing.TestClient, scheme: str) -> None:
    answer = app.simulate_post("/access/v1/evaluation", headers={"Authorization": f"{scheme}  {KEY}"})
    assert answer.status_code == 400  # past the guard, at the body


def test_the_admin_key_is_compared_by_its_digest() -> None:
    key = AdminKeys(lambda: [AdminKey(sha256(b"right").digest())])
    assert key.credential(b"right") == Credential(Scope.ADMIN, "admin-key")
    assert key.credential(b"wrong") is None
    assert key.credential(sha256(b"right").digest()) is None


class Tokens:
    """A second kind of credential, as tokens will be: the token is the name of its scope."""

    def credential(self, token: bytes) -> Credential | None:
        return Credential(Scope[token.decode()], "token") if token in (b"READ", b"WRITE", b"ADMIN") else None

    def was_issued(self, _token: bytes) -> bool:
        return False


class Forgetful:
    """Remembers no header."""

    def version(self) -> None:
        return None

    def credential(self, _header: str, _version: object) -> None:
        return None

    def keep(self, _header: str, _credential: Credential, _version: object) -> None:
        pass


class Responder:
    async def on_get(self, _req: falcon.asgi.Request, resp: falcon.asgi.Response, **_params: Any) -> None:
        resp.text = "reached"

    on_post = on_get


TABLE = {
    "/things/{id}": Access({"GET": Scope.READ, "POST": Scope.WRITE}),
    "/clients": Access({"GET": Scope.ADMIN, "POST": Scope.ADMIN}),
    "/open": Access({"GET": Scope.NONE}),
}


def guarded() -> testing.TestClient:
    guard = Guard([AdminKeys(lambda: [AdminKey(sha256(KEY.encode()).digest())]), Tokens()], Forgetful(), TABLE)
    application = falcon.asgi.App(middleware=[guard])
    ErrorAnswers(logging.getLogger("tests")).register(application)
    for path in TABLE:
        application.add_route(path, Responder())
    application.add_route("/forgotten", Responder())
    return testing.TestClient(application)


@pytest.mark.parametrize(
    ("token", "reached"),
    [
        (None, {"GET /open"}),
        ("READ", {"GET /open", "GET /things/1"}),
        ("WRITE", {"GET /open", "GET /things/1", "POST /things/1"}),
        ("ADMIN", {"GET /open", "GET /things/1", "POST /things/1", "GET /clients", "POST /clients"}),
        (KEY, {"GET /open", "GET /things/1", "POST /things/1", "GET /clients", "POST /clients"}),
    ],
)
def test_scopes_are_cumulative(token: str | None, reached: set[str]) -> None:
    client = guarded()
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    statuses = {
        f"{method} {path}": client.simulate_request(method, path, headers=headers).status_code
        for method, path in [("GET", "/open"), *((m, p) for p in ("/things/1", "/clients") for m in ("GET", "POST"))]
    }
    assert {call for call, status in statuses.items() if status == 200} == reached
    assert {status for status in statuses.values() if status != 200} <= ({401} if token is None else {403})


def test_403_says_what_is_needed() -> None:
    answer = guarded().simulate_get("/clients", headers={"Authorization": "Bearer READ"})
    assert answer.json == {"error": "this needs a credential of the scope `admin`"}
    assert answer.headers["WWW-Authenticate"] == f'{CHALLENGE}, error="insufficient_scope", scope="admin"'


def test_a_server_other_than_falcon_may_ask_the_guard() -> None:
    guard, addresses = Guard([Tokens()], Forgetful(), TABLE), list[str]()
    assert guard.admitted("Bearer READ", lambda: "192.0.2.1", Scope.READ, "default", None).scope is Scope.READ
    with pytest.raises(Forbidden):
        guard.admitted("Bearer READ", lambda: "192.0.2.1", Scope.WRITE, None, None)
    with pytest.raises(Unauthenticated):
        guard.admitted(None, lambda: "192.0.2.1", Scope.READ, None, None)
    told = Guard([Tokens()], Forgetful(), TABLE, failed=addresses.append)
    with pytest.raises(Unauthenticated):
        told.admitted("Bearer wrong", lambda: "192.0.2.1", Scope.READ, None, None)
    assert addresses == ["192.0.2.1"]


def test_a_credential_bound_to_environments_is_held_to_the_one_of_the_call() -> None:
    class Bound(Tokens):
        def credential(self, _token: bytes) -> Credential | None:
            return Credential(Scope.READ, "token", frozenset({"uuid-of-stage"}))

    guard = Guard([Bound()], Forgetful(), TABLE, lambda env: f"uuid-of-{env}")
    for env in ("stage", None):
        assert guard.admitted("Bearer x", lambda: "", Scope.READ, env, None)
    with pytest.raises(OutOfBounds):
        guard.admitted("Bearer x", lambda: "", Scope.READ, "default", None)


def test_a_route_without_a_row_is_never_reached() -> None:
    answer = guarded().simulate_get("/forgotten", headers={"Authorization": f"Bearer {KEY}"})
    assert answer.status_code == 500
