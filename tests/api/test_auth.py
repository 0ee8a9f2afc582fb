"""The table of routes, and who gets through it (authzen.md 68, 96, 97; contract 5, 7.2)."""

import logging
from hashlib import sha256
from typing import Any

import falcon
import falcon.asgi
import pytest
from falcon import inspect, testing

from api.auth import ROUTES, AdminKey, Credential, Guard, Scope
from api.errors import ErrorAnswers
from tests.support.server import KEY

CHALLENGE = 'Bearer realm="writ"'


def test_every_route_has_a_row_and_every_row_a_route(app: testing.TestClient) -> None:
    served = {route.path: route for route in inspect.inspect_routes(app.app)}
    assert served.keys() == ROUTES.keys()
    for path, route in served.items():
        own = {method.method for method in route.methods if not method.internal}
        assert own == ROUTES[path].keys(), path


def test_only_health_asks_for_no_credential() -> None:
    public = {path for path, methods in ROUTES.items() if Scope.NONE in methods.values()}
    assert public == {"/healthz", "/readyz"}


def test_management_reads_with_read_writes_with_write_and_makes_environments_with_admin() -> None:
    managed = {path: methods for path, methods in ROUTES.items() if path.startswith("/v1/environments")}
    assert len(managed) == 2 + 3 * 8 + 3
    for path, methods in managed.items():
        for method, scope in methods.items():
            changing = Scope.ADMIN if path in ("/v1/environments", "/v1/environments/{env}") else Scope.WRITE
            assert scope is (Scope.READ if method in ("GET", "HEAD") else changing), (method, path)


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "BREW"])
@pytest.mark.parametrize("path", ["/access/v1/evaluation", "/access/v1/evaluations"])
@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}])
def test_another_method_is_405(app: testing.TestClient, path: str, method: str, headers: dict[str, str]) -> None:
    answer = app.simulate_request(method, path, headers=headers)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
    if method != "HEAD":
        assert answer.json == {"error": f"`{method}` is not served here, only POST"}


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
        assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, CHALLENGE)
        assert answer.json.keys() == {"error"}
        assert answer.headers["X-Request-ID"] == "7"
        assert KEY not in answer.text


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_is_read_in_any_case(app: testing.TestClient, scheme: str) -> None:
    answer = app.simulate_post("/access/v1/evaluation", headers={"Authorization": f"{scheme}  {KEY}"})
    assert answer.status_code == 400  # past the guard, at the body


def test_the_admin_key_is_compared_by_its_digest() -> None:
    key = AdminKey(sha256(b"right").digest())
    assert key.credential(b"right") == Credential(Scope.ADMIN, "admin-key")
    assert key.credential(b"wrong") is None
    assert key.credential(sha256(b"right").digest()) is None


class Tokens:
    """A second kind of credential, as tokens will be: the token is the name of its scope."""

    def credential(self, token: bytes) -> Credential | None:
        return Credential(Scope[token.decode()], "token") if token in (b"READ", b"WRITE", b"ADMIN") else None


class Responder:
    async def on_get(self, _req: falcon.asgi.Request, resp: falcon.asgi.Response, **_params: Any) -> None:
        resp.text = "reached"

    on_post = on_get


TABLE = {
    "/things/{id}": {"GET": Scope.READ, "POST": Scope.WRITE},
    "/clients": {"GET": Scope.ADMIN, "POST": Scope.ADMIN},
    "/open": {"GET": Scope.NONE},
}


def guarded() -> testing.TestClient:
    guard = Guard([AdminKey(sha256(KEY.encode()).digest()), Tokens()], TABLE)
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


def test_a_route_without_a_row_is_never_reached() -> None:
    answer = guarded().simulate_get("/forgotten", headers={"Authorization": f"Bearer {KEY}"})
    assert answer.status_code == 500
