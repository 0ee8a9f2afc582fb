"""Real gateways with the example configurations, in front of a real service and a real backend."""

import json
import signal
import socket
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from ssl import SSLContext
from typing import Any, NamedTuple

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.support.gateways import ATTACKS, GRPC, PRODUCTS, Filled, backend, gateway
from tests.support.pages import page
from tests.support.ports import free_port
from tests.support.processes import children
from tests.support.raw_http import Answer, RawConnection
from tests.support.server import Server, running

pytestmark = pytest.mark.gateway

ISSUER, AUDIENCE = "https://idp.example", "shop"
SETTINGS = "/v1/environments/default/gateway"
ALICE = {"subject": {"type": "user", "id": "alice"}}
ROUTE = {"path": "/documents/{id}", "resource_type": "document"}
MODEL: dict[str, Any] = {
    "model": 1,
    "resource_types": [{"id": "document", "actions": ["read", "update"]}],
    "grants": [ALICE | {"id": "alice-d1", "resource": {"type": "document", "id": "d1"}, "actions": ["read"]}],
    "policies": [
        {
            "id": "docs-team-updates",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "document", "actions": ["update"]}],
            "conditions": {
                "subject_attrs": [{"key": "team", "op": "eq", "value": "docs"}],
                "context_attrs": [{"key": "scheme", "op": "eq", "value": "http"}],
                "ip_allowlist": ["127.0.0.1"],
            },
        }
    ],
    "routes": [
        ROUTE | {"id": "read", "methods": ["GET"], "action": "read", "hosts": ["shop.example"]},
        ROUTE | {"id": "update", "methods": ["PUT"], "action": "update", "hosts": ["shop.example"]},
    ],
}
RESPONSE_HEADERS = {
    "X-Writ-Subject-Id": "subject_id",
    "X-Writ-Policy-Id": "policy_id",
    "X-Writ-Team": "attribute:team",
}
FORGED = {
    "X-Writ-Subject": "user:mallory",
    "X-Writ-Subject-Id": "mallory",
    "X-Writ-Policy-Id": "forged",
    "X-Writ-Team": "forged",
    "X-Writ-Authorization": "Bearer forged",
    "X-Forwarded-For": "203.0.113.9",
    "X-Forwarded-Host": "evil.example",
    "X-Forwarded-Method": "POST",
    "X-Forwarded-Prefix": "/forged",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Uri": "/documents/forged",
    "X-Original-Host": "evil.example",
    "X-Original-Method": "POST",
    "X-Original-URI": "/documents/forged",
    "X-Original-URL": "/documents/forged",
    "X-Rewrite-URL": "/documents/forged",
    "X-HTTP-Method-Override": "DELETE",
    "X-Real-IP": "203.0.113.9",
    "Forwarded": "for=203.0.113.9",
}
"""What a client invents. None of its values may decide anything, or reach the backend."""

HOP_BY_HOP = ("Connection", "Proxy-Connection", "Keep-Alive", "TE", "Trailer")
"""Headers between two programs that name other headers, or that some program reads so."""

ORDINARY = {
    "Accept": "application/json",
    "Accept-Language": "no",
    "Cookie": "session=7",
    "If-None-Match": '"7"',
    "Origin": "https://shop.example",
    "Referer": "https://shop.example/",
    "User-Agent": "browser",
    "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
}
"""What a browser or an application tells the backend."""


class Behind(NamedTuple):
    """What is behind the gateways: the service, the port of the backend, the gateway's key, and who signs tokens."""

    server: Server
    backend: int
    key: str
    signer: Ed25519PrivateKey
    jwks: Path

    def filled(self, name: str, listen: int, key: str | None = None) -> Filled:
        """Returns what to fill into the example of a gateway that listens on the port `listen`."""
        port = self.server.envoy_port if name == GRPC else self.server.port
        return Filled(listen, port, self.backend, self.key if key is None else key)

    def settings(self) -> dict[str, Any]:
        """Returns the settings of the page: the subject is the holder of a token."""
        token = {"issuer": ISSUER, "audience": AUDIENCE, "algorithms": ["EdDSA"], "jwks_file": str(self.jwks)}
        subject = {"jwt": token | {"attribute_claims": {"team": "team"}}}
        return {"subject": subject, "trusted_proxies": ["127.0.0.1"], "response_headers": RESPONSE_HEADERS}

    def token(self, **claims: str) -> str:
        """Returns a token of alice as it stands in `Authorization`; `claims` are other ones."""
        told = {"iss": ISSUER, "aud": AUDIENCE, "sub": "alice", "exp": int(time.time()) + 600, **claims}
        return "Bearer " + jwt.encode(told, self.signer, "EdDSA", headers={"kid": "k1"})


Ask = Callable[..., Answer]


@contextmanager
def served(folder: Path, *options: str, trust: SSLContext | None = None) -> Iterator[Behind]:
    """A service with the model and the settings, and a backend; `trust` is for a service with TLS."""
    signer, jwks = Ed25519PrivateKey.generate(), folder / "jwks.json"
    public = json.loads(jwt.algorithms.OKPAlgorithm.to_jwk(signer.public_key()))
    jwks.write_text(json.dumps({"keys": [public | {"kid": "k1", "use": "sig"}]}))
    line = (folder / "data", "--envoy-bind", "127.0.0.1:0", *options)
    with running(*line, trust=trust) as server, server.client() as admin, backend() as port:
        made = admin.post("/v1/api-keys", json={"name": "gateway", "scopes": ["read"], "environments": ["default"]})
        found = Behind(server, port, made.json()["key"], signer, jwks)
        for path, body in (("/v1/environments/default/model", MODEL), (SETTINGS, found.settings())):
            answer = admin.put(path, json=body)
            assert answer.is_success, answer.text
        yield found


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:
    with served(tmp_path_factory.mktemp("behind")) as found:
        yield found


@pytest.fixture(scope="module", params=PRODUCTS)
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    if PRODUCTS[found].program() is None:
        pytest.skip(f"{found} is not installed")
    return found


@pytest.fixture(scope="module")
def ask(name: str, behind: Behind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Sends a request to the gateway."""
    port = free_port()
    folder = tmp_path_factory.mktemp("gateway") / name
    with gateway(name, folder, behind.filled(name, port)):
        yield lambda *request, **headers: sent(port, *request, **headers)


def sent(port: int, method: str, target: str, *fields: tuple[str, str], body: str = "", **headers: str) -> Answer:
    """Returns the answer to a request that is sent exactly as it is written here."""
    named = [*({"Host": "shop.example", "Connection": "close"} | headers).items(), *fields]
    if body:
        named.append(("Content-Length", str(len(body))))
    lines = "".join(f"{name}: {value}\r\n" for name, value in named)
    with RawConnection("127.0.0.1", port) as connection:
        connection.send(f"{method} {target} HTTP/1.1\r\n{lines}\r\n{body}".encode("latin-1"))
        return connection.answer()


def underscored(name: str, first: int) -> str:
    """Returns the name of a header with `_` for each `-` from the `first` one on.

    >>> underscored("X-Writ-Team", 2)
    'X-Writ_Team'
    """
    parts = name.split("-")
    return "-".join(parts[:first]) + "_" + "_".join(parts[first:])


def got(answer: Answer) -> dict[str, list[str]]:
    """Returns the headers that the backend got, by lower-case name."""
    assert answer.status == 200, answer
    headers: dict[str, list[str]] = {}
    for name, value in json.loads(answer.body)["headers"]:
        headers.setdefault(name.lower(), []).append(value)
    return headers


def test_what_writ_allows_reaches_the_backend_with_what_writ_tells_it(ask: Ask, behind: Behind) -> None:
    answer = ask("GET", "/documents/d1?page=2&x=%20y", Authorization=behind.token(team="docs"))
    headers = got(answer)
    assert (answer.json["method"], answer.json["target"]) == ("GET", "/documents/d1?page=2&x=%20y")
    assert (headers["x-writ-subject-id"], headers["x-writ-team"]) == (["alice"], ["docs"])
    assert (headers["host"], headers["x-forwarded-for"]) == (["shop.example"], ["127.0.0.1"])
    assert "x-writ-authorization" not in headers


def test_the_body_reaches_the_backend_and_the_policy_its_header(ask: Ask, behind: Behind) -> None:
    """The policy asks for the address and the scheme that the gateway tells."""
    answer = ask("PUT", "/documents/d2", body="x" * 100_000, Authorization=behind.token(team="docs"))
    assert got(answer)["x-writ-policy-id"] == ["docs-team-updates"]
    assert answer.json["body"] == "x" * 100_000


def test_what_writ_denies_is_403_with_the_reason_code(ask: Ask, behind: Behind) -> None:
    for method, target, code in (
        ("GET", "/documents/d2", "ACTION_NOT_PERMITTED"),
        ("PUT", "/documents/d1", "CONDITION_FAILED"),
        ("DELETE", "/documents/d1", "NO_ROUTE"),
    ):
        answer = ask(method, target, Authorization=behind.token())
        assert (answer.status, answer.headers["x-writ-reason-code"]) == (403, code), target


def test_without_a_usable_token_it_is_401_with_a_challenge(ask: Ask, behind: Behind) -> None:
    for headers in ({}, {"Authorization": "Bearer a.b.c"}, {"Authorization": behind.token(aud="other")}):
        answer = ask("GET", "/documents/d1", **headers)
        assert (answer.status, answer.headers["www-authenticate"].split()[0]) == (401, "Bearer")


def test_what_a_client_forges_is_not_believed_and_does_not_reach_the_backend(ask: Ask, behind: Behind) -> None:
    answer = ask("GET", "/documents/d1", *FORGED.items(), Authorization=behind.token())
    headers = got(answer)
    assert headers["x-writ-subject-id"] == ["alice"]
    for name, value in FORGED.items():
        assert value not in ",".join(headers.get(name.lower(), [])), name
    assert ask("GET", "/documents/d2", *FORGED.items(), Authorization=behind.token()).status == 403
    assert ask("GET", "/documents/d1", *FORGED.items()).status == 401


def test_a_forged_name_with_underscores_does_not_reach_the_backend(ask: Ask, behind: Behind) -> None:
    """Backends that speak WSGI or CGI read `X_Writ_Team` as `X-Writ-Team`."""
    for first in range(1, 4):
        fields = [(underscored(name, first), value) for name, value in FORGED.items() if name.count("-") >= first]
        answer = ask("GET", "/documents/d1", *fields, Authorization=behind.token())
        assert answer.status == 400 or not [name for name in got(answer) if "_" in name], fields


@pytest.mark.parametrize("through", HOP_BY_HOP)
@pytest.mark.parametrize("named", [*RESPONSE_HEADERS, ", ".join(RESPONSE_HEADERS), "x_writ_team, X-Writ-Subject-Id"])
def test_a_client_takes_no_header_away_that_writ_tells(ask: Ask, behind: Behind, through: str, named: str) -> None:
    """A proxy removes the headers that `Connection` names (RFC 9110, 7.6.1), but only those of the client."""
    for value in (named, f"close, {named}", f"keep-alive,{named}", f"Upgrade, {named}"):
        fields = [(through, value), ("Upgrade", "websocket")] if "Upgrade" in value else [(through, value)]
        answer = ask("GET", "/documents/d1", *fields, Connection="close", Authorization=behind.token(team="docs"))
        if answer.status not in (400, 403):
            headers = got(answer)
            told = [headers.get(name.lower()) for name in RESPONSE_HEADERS]
            assert told == [["alice"], ["alice-d1"], ["docs"]], value


@pytest.mark.parametrize("named", [*FORGED, "Authorization", "Host"])
def test_what_a_client_takes_away_makes_no_request_allowed(ask: Ask, behind: Behind, named: str) -> None:
    """Writ is asked about the same request, or refuses one that lacks what it needs."""
    alice, mallory = behind.token(team="docs"), behind.token(sub="mallory")
    for fields in ([("Connection", f"close, {named}")], [("Connection", named), (named, FORGED.get(named, ""))]):
        fields = [field for field in fields if field[0] not in ("Authorization", "Host")]
        assert ask("GET", "/documents/d2", *fields, Connection="close", Authorization=alice).status in (400, 401, 403)
        assert ask("GET", "/documents/d1", *fields, Connection="close", Authorization=mallory).status in (400, 401, 403)
        answer = ask("PUT", "/documents/d1", *fields, Connection="close", Authorization=alice)
        assert answer.status in (400, 401, 403) or "x-writ-authorization" not in got(answer)


def test_no_other_header_with_the_prefix_reaches_the_backend(ask: Ask, behind: Behind) -> None:
    """Writ may tell it tomorrow, or a backend may believe it."""
    for name in ("X-Writ-Anything", "x-writ-scope"):
        answer = ask("GET", "/documents/d1", (name, "forged"), Authorization=behind.token())
        assert answer.status == 400 or name.lower() not in got(answer)


def test_ordinary_headers_reach_the_backend(ask: Ask, behind: Behind) -> None:
    headers = got(ask("GET", "/documents/d1", *ORDINARY.items(), Authorization=behind.token()))
    assert {name: headers.get(name.lower()) for name in ORDINARY} == {name: [value] for name, value in ORDINARY.items()}


def test_forged_headers_make_no_request_allowed(ask: Ask, behind: Behind) -> None:
    """Each tells of the document that alice may read, or of the user who may read it."""
    told = {"Method": "GET", "Uri": "/documents/d1", "URI": "/documents/d1", "Host": "shop.example", "For": "127.0.0.1"}
    fields = [(f"X-{kind}-{part}", value) for kind in ("Forwarded", "Original") for part, value in told.items()]
    for extra in ([], fields, [("X_Forwarded_Uri", "/documents/d1"), ("X_Writ_Subject", "user:alice")]):
        assert ask("GET", "/documents/d2", *extra, Authorization=behind.token()).status in (400, 403)
    assert ask("GET", "/documents/d1", ("X-Writ-Authorization", f"Bearer {behind.key}")).status == 401


def test_the_gateway_removes_a_subject_that_the_client_names(ask: Ask, behind: Behind) -> None:
    """Even where the settings believe `X-Writ-Subject` from the gateway."""
    with behind.server.client() as admin:
        by_header = behind.settings() | {"subject": {"header": "X-Writ-Subject"}}
        admin.put(SETTINGS, json=by_header).raise_for_status()
        try:
            assert ask("GET", "/documents/d1", ("X-Writ-Subject", "user:alice")).status == 401
            assert ask("GET", "/documents/d1", ("X_Writ_Subject", "user:alice")).status in (400, 401)
            named = ("Connection", "X-Writ-Subject, X-Writ-Authorization, X-Original-URI, X-Forwarded-Uri")
            assert ask("GET", "/documents/d1", ("X-Writ-Subject", "user:alice"), named).status in (400, 401, 403)
        finally:
            admin.put(SETTINGS, json=behind.settings()).raise_for_status()


@pytest.mark.parametrize("target", ATTACKS)
def test_a_path_trick_reaches_no_document(name: str, ask: Ask, behind: Behind, target: str) -> None:
    """The gateway or Writ refuses it, or it is decided as the other document that it means.

    Traefik has no route for `*`. It takes the second slash of `//` away for Writ and the backend alike.
    """
    answer = ask("GET", target, Authorization=behind.token())
    if name == "traefik" and answer.status == 200:
        assert (target.replace("//", "/"), answer.json["target"]) == 2 * ("/documents/d1",)
    else:
        assert answer.status in ((400, 403, 404) if (name, target) == ("traefik", "*") else (400, 403)), target


def test_an_escape_that_means_only_one_path_passes(ask: Ask, behind: Behind) -> None:
    assert ask("GET", "/documents/%64%31", Authorization=behind.token()).status == 200


def test_two_tokens_are_never_two_users(ask: Ask, behind: Behind) -> None:
    """What the gateway lets through, the backend reads as the user that Writ has decided on."""
    alice, mallory = behind.token(), behind.token(sub="mallory")
    for first, second in ((alice, mallory), (mallory, alice)):
        answer = ask("GET", "/documents/d1", ("Authorization", first), ("Authorization", second))
        assert answer.status in (400, 401, 403) or got(answer)["authorization"] == [alice]


def test_two_hosts_are_never_two_backends(ask: Ask, behind: Behind) -> None:
    """The routes are those of `shop.example`. The backend gets the host that Writ has decided about."""
    token = behind.token()
    assert ask("GET", "/documents/d1", Host="evil.example", Authorization=token).status == 403
    assert ask("GET", "/documents/d1", ("Host", "evil.example"), Authorization=token).status in (400, 403)
    answer = ask("GET", "http://shop.example/documents/d1", Host="evil.example", Authorization=token)
    assert answer.status in (400, 403) or got(answer)["host"] == ["shop.example"]


def test_many_users_at_once_get_their_own_answers(ask: Ask, behind: Behind) -> None:
    """Gateways ask over few connections, which they keep open."""
    tokens = {"alice": behind.token(), "mallory": behind.token(sub="mallory"), "zoe": behind.token(sub="zoe")}

    def status(user: str) -> tuple[str, int]:
        answer = ask("GET", "/documents/d1", Authorization=tokens[user])
        assert answer.status == 403 or got(answer)["x-writ-subject-id"] == [user]
        return user, answer.status

    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(status, [*tokens] * 50))
    assert found == {("alice", 200), ("mallory", 403), ("zoe", 403)}


def test_a_gateway_that_is_not_trusted_tells_nothing(name: str, ask: Ask, behind: Behind) -> None:
    """Envoy's request itself tells the method, the host and the path, but not the address that the policy asks for."""
    token = behind.token(team="docs")
    with behind.server.client() as admin:
        admin.put(SETTINGS, json=behind.settings() | {"trusted_proxies": ["192.0.2.1"]}).raise_for_status()
        try:
            read, update = (ask(method, "/documents/d1", Authorization=token) for method in ("GET", "PUT"))
        finally:
            admin.put(SETTINGS, json=behind.settings()).raise_for_status()
    if name in ("envoy", GRPC):
        assert (read.status, update.status, update.headers["x-writ-reason-code"]) == (200, 403, "CONDITION_FAILED")
    else:
        codes = {(answer.status, answer.headers["x-writ-reason-code"]) for answer in (read, update)}
        assert codes == {(403, "REQUEST_REFUSED")}


def test_writ_down_is_denied(name: str, behind: Behind, tmp_path: Path) -> None:
    port = free_port()
    with gateway(name, tmp_path / name, Filled(port, free_port(), behind.backend, behind.key)):
        assert sent(port, "GET", "/documents/d1", Authorization=behind.token()).status in (403, 500, 502, 503, 504)


def test_a_writ_that_does_not_answer_is_denied(name: str, behind: Behind, tmp_path: Path) -> None:
    if name == "traefik":
        pytest.skip("it denies after 30 s, which no setting of its own shortens")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = free_port()
        with gateway(name, tmp_path / name, Filled(port, silent.getsockname()[1], behind.backend, behind.key)):
            started = time.monotonic()
            answer = sent(port, "GET", "/documents/d1", Authorization=behind.token())
            assert answer.status in (403, 500, 502, 503, 504)
            assert time.monotonic() - started < 20


def test_a_wrong_key_is_denied(name: str, behind: Behind, tmp_path: Path) -> None:
    """Writ answers the gateway itself with 401. That is no challenge to the user, but nothing goes on.

    Over gRPC, it is an error of the call, for which Envoy has its own status.
    """
    port = free_port()
    with gateway(name, tmp_path / name, behind.filled(name, port, "wrong")):
        status = sent(port, "GET", "/documents/d1", Authorization=behind.token()).status
        assert status == (403 if name == GRPC else 401)


def _envoy_installed() -> None:
    if PRODUCTS[GRPC].program() is None:
        pytest.skip("envoy is not installed")


def test_envoy_without_raw_headers_is_answered_too(behind: Behind, tmp_path: Path) -> None:
    """Envoy then joins headers of one name. Writ reads none that may have been sent twice."""
    _envoy_installed()
    port, alice = free_port(), behind.token()
    less = ["                      encode_raw_headers: true\n"]
    with gateway(GRPC, tmp_path / "envoy", behind.filled(GRPC, port), less=less):
        answer = sent(port, "GET", "/documents/d1", ("Accept", "a"), ("Accept", "b"), Authorization=alice)
        assert got(answer)["x-writ-subject-id"] == ["alice"]
        assert sent(port, "PUT", "/documents/d2", Authorization=behind.token(team="docs")).status == 200
        twice = (("Authorization", alice), ("Authorization", behind.token(sub="mallory")))
        assert sent(port, "GET", "/documents/d1", *twice).status in (401, 403)


def test_a_reload_of_writ_denies_no_request_of_envoy(behind: Behind, tmp_path: Path) -> None:
    """Over gRPC, new workers listen beside the old ones, and connections that end say so first.

    grpcio cancels a call that comes after that. The example lets Envoy ask again.
    """
    _envoy_installed()
    port, alice = free_port(), behind.token()
    master = behind.server.process
    statuses: list[int] = []

    def ask() -> None:
        while set(children(master.pid)) & old:
            statuses.append(sent(port, "GET", "/documents/d1", Authorization=alice).status)

    with gateway(GRPC, tmp_path / "envoy", behind.filled(GRPC, port)):
        old = set(children(master.pid))
        assert sent(port, "GET", "/documents/d1", Authorization=alice).status == 200
        master.send_signal(signal.SIGHUP)
        with ThreadPoolExecutor(3) as pool:
            for task in [pool.submit(ask) for _ in range(3)]:
                task.result()
        assert sent(port, "GET", "/documents/d1", Authorization=alice).status == 200
    assert len(statuses) > 10
    assert set(statuses) == {200}


def test_nginx_may_sign_users_in(behind: Behind, tmp_path: Path) -> None:
    """With the lines of the page in the example. nginx checks the password before it asks Writ."""
    if PRODUCTS["nginx"].program() is None:
        pytest.skip("nginx is not installed")
    (tmp_path / "users").write_text("alice:{PLAIN}secret\nbob:{PLAIN}secret\n")
    shown, port = page("api/GATEWAYS.md"), free_port()
    filled = Filled(port, behind.server.port, behind.backend, behind.key)
    lines = {
        "    location / {\n": shown.marked("nginx signs in").replace("/etc/nginx/users", str(tmp_path / "users")),
        "    location = /writ-decides {\n": shown.marked("nginx names the user"),
    }

    def ask(target: str, login: str, *fields: tuple[str, str]) -> int:
        basic = "Basic " + b64encode(login.encode()).decode()
        return sent(port, "GET", target, *fields, Authorization=basic).status

    with behind.server.client() as admin:
        by_header = behind.settings() | {"subject": {"header": "X-Writ-Subject"}}
        admin.put(SETTINGS, json=by_header).raise_for_status()
        try:
            with gateway("nginx", tmp_path / "nginx", filled, lines):
                assert ask("/documents/d1", "alice:secret") == 200
                assert ask("/documents/d1", "bob:secret") == 403
                assert ask("/documents/d1", "bob:secret", ("X-Writ-Subject", "user:alice")) == 403
                assert ask("/documents/d2", "alice:wrong") == 401
                assert sent(port, "GET", "/documents/d1").status == 401
        finally:
            admin.put(SETTINGS, json=behind.settings()).raise_for_status()
