"""Envoy's checks over gRPC on a real service: the answers of HTTP, and nothing that lets a request through."""

import json
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.envoy_checks import DECISION, Answer, Envoy, check_request, code_of, envoy, field
from tests.support.gateways import ATTACKS
from tests.support.raw_http import RawConnection
from tests.support.server import KEY, Server, running
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

grpc = pytest.importorskip("grpc", reason="grpcio is not installed")

DEFAULT, OTHER = "/v1/environments/default", "/v1/environments/other"
MODEL: dict[str, Any] = {
    "model": 1,
    "resource_types": [{"id": "doc", "name": "document", "actions": ["read", "update"]}],
    "grants": [
        {
            "id": "alice-d1",
            "subject": {"type": "user", "id": "alice"},
            "resource": {"type": "document", "id": "d1"},
            "actions": ["read"],
        }
    ],
    "policies": [
        {
            "id": "office",
            "effect": "DENY",
            "priority": 9,
            "resource_types": [{"resource_type_id": "doc", "actions": ["*"]}],
            "conditions": {"ip_allowlist": ["203.0.113.9"]},
        },
        {
            "id": "drafts",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "doc", "actions": ["update"]}],
            "conditions": {
                "resource_attrs": [{"key": "mode", "op": "eq", "value": "draft"}],
                "context_attrs": [{"key": "scheme", "op": "eq", "value": "https"}],
            },
        },
    ],
    "routes": [
        {"id": "read", "methods": ["GET"], "path": "/documents/{id}", "resource_type": "doc", "action": "read"},
        {
            "id": "write",
            "methods": ["PUT"],
            "path": "/documents/{id}",
            "hosts": ["shop.example"],
            "resource_type": "doc",
            "action": "update",
            "attributes": {"mode": "query:mode", "tenant": "header:X-Tenant"},
        },
    ],
}
MODEL["grants"][0]["resource"]["type"] = "doc"
SETTINGS: dict[str, Any] = {
    "subject": {"header": "X-Writ-Subject"},
    "trusted_proxies": ["127.0.0.1"],
    "response_headers": {"X-Writ-Policy-Id": "policy_id", "X-User": "subject_id", "X-Team": "attribute:team"},
}
ALICE = ("x-writ-subject", "user:alice")
ISSUER, AUDIENCE = "https://idp.example", "shop"


@pytest.fixture(scope="module")
def signer() -> Ed25519PrivateKey:
    return Ed25519PrivateKey.generate()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, signer: Ed25519PrivateKey) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    public = json.loads(jwt.algorithms.OKPAlgorithm.to_jwk(signer.public_key()))
    (folder / "jwks.json").write_text(json.dumps({"keys": [public | {"kid": "k1", "use": "sig"}]}))
    token = {"issuer": ISSUER, "audience": AUDIENCE, "algorithms": ["EdDSA"], "jwks_file": str(folder / "jwks.json")}
    by_token = {"subject": {"jwt": token | {"attribute_claims": {"team": "team"}}}}
    limits = {"WRIT_MAX_BODY_BYTES": "100000", "WRIT_MAX_MODEL_BYTES": "100000"}
    listens = ("--envoy-bind", "127.0.0.1:0")
    with running(folder / "data", *listens, settings=limits) as started, started.client() as client:
        client.post("/v1/environments", json={"id": "other"}).raise_for_status()
        for env, more in ((DEFAULT, {}), (OTHER, by_token)):
            client.put(f"{env}/model", json=MODEL).raise_for_status()
            client.put(f"{env}/gateway", json=SETTINGS | more).raise_for_status()
        yield started


@pytest.fixture(scope="module")
def gateway(server: Server) -> Iterator[Envoy]:
    with envoy(server.envoy_port, KEY) as client:
        yield client


@pytest.fixture
def admin(server: Server) -> Iterator[httpx.Client]:
    with server.client() as client:
        yield client


def reason(answer: Answer) -> str:
    """Returns the reason code of a denial."""
    assert (answer.code, answer.status) == (7, 403)
    return answer.headers["x-writ-reason-code"]


def test_what_is_allowed_goes_on_with_what_the_backend_may_know(gateway: Envoy) -> None:
    """Each header takes the place of the client's, also if it is empty. Other names of Writ's are removed."""
    forged = [(name, "forged") for name in ("x-user", "x_user", "x-writ-team", "x_writ-policy_id", "x-team", "accept")]
    answer = gateway.ask("GET", "/documents/d1?page=2", ALICE, *forged, ("x-writ-authorization", "Bearer forged"))
    assert (answer.code, answer.status) == (0, 200)
    overwrite = 2
    assert answer.told == {
        "x-writ-policy-id": ("alice-d1", overwrite, True),
        "x-user": ("alice", overwrite, True),
        "x-team": ("", overwrite, True),
    }
    assert answer.removed == ["x-writ-authorization", "x-writ-subject", "x-writ-team", "x_user", "x_writ-policy_id"]


def test_what_is_denied_is_403_with_the_reason_code(gateway: Envoy) -> None:
    answer = gateway.ask("GET", "/documents/d2", ALICE)
    assert reason(answer) == "ACTION_NOT_PERMITTED"
    assert answer.headers["content-type"] == "application/json"
    assert json.loads(answer.body)["error"]
    assert {action for _, action, _ in answer.told.values()} == {2}
    assert reason(gateway.ask("DELETE", "/documents/d1", ALICE)) == "NO_ROUTE"
    assert reason(gateway.ask("PUT", "/documents/d1?mode=draft", ALICE)) == "CONDITION_FAILED"
    assert gateway.ask("PUT", "/documents/d1?mode=draft", ALICE, ("x-forwarded-proto", "https")).status == 200


def test_every_answer_has_the_id_of_its_request(gateway: Envoy) -> None:
    """The id is the client's, or one that Writ makes, on permissions, denials and errors, as over HTTP."""
    own = ("x-request-id", "r-7")
    for path, *more in (("/documents/d1", ALICE), ("/documents/d2", ALICE), ("/documents/d1",), ("/none", ALICE)):
        assert gateway.told_id(check_request("GET", path, [own, *more])) == "r-7"
        made = {gateway.told_id(check_request("GET", path, more)) for _ in range(3)}
        assert len(made) == 3
        assert None not in made
    assert gateway.told_id(check_request("GET", "/documents/d1", [own, ALICE]), key="wrong") == "r-7"


def test_without_a_usable_subject_it_is_401_with_a_challenge(gateway: Envoy) -> None:
    for subject in ("", "alice", ":alice", "user:"):
        answer = gateway.ask("GET", "/documents/d1", ("x-writ-subject", subject))
        assert (answer.code, answer.status) == (16, 401)
        assert answer.headers["www-authenticate"].startswith("Bearer")


def test_the_gateway_needs_a_credential_of_its_own_in_the_metadata(
    server: Server, gateway: Envoy, admin: httpx.Client
) -> None:
    """The client's headers never tell it."""
    asked = check_request("GET", "/documents/d1", [ALICE, ("x-writ-authorization", f"Bearer {KEY}")])
    with envoy(server.envoy_port, None) as nobody:
        with pytest.raises(grpc.RpcError) as failure:
            nobody.send(asked)
        assert code_of(failure) == "UNAUTHENTICATED"
        with pytest.raises(grpc.RpcError) as failure:
            nobody.send(asked, ("authorization", f"Bearer {KEY}"))
        assert code_of(failure) == "UNAUTHENTICATED"
    with pytest.raises(grpc.RpcError) as failure:
        gateway.send(asked, key="wrong")
    assert code_of(failure) == "UNAUTHENTICATED"
    assert reason(gateway.send(asked, ("x-writ-authorization", "Bearer wrong"))) == "REQUEST_REFUSED"
    made = admin.post("/v1/api-keys", json={"name": "k", "scopes": ["read"], "environments": ["other"]}).json()["key"]
    with pytest.raises(grpc.RpcError) as failure:
        gateway.send(asked, key=made)
    assert code_of(failure) == "PERMISSION_DENIED"


def test_the_metadata_say_which_environment_is_asked(gateway: Envoy, signer: Ed25519PrivateKey) -> None:
    def named(*environments: str, token: str) -> Answer:
        told = [("x-writ-environment", name) for name in environments]
        asked = check_request("GET", "/documents/d1", [("authorization", token), ("x-writ-environment", "default")])
        found: Answer = gateway.send(asked, *told)
        return found

    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "alice", "exp": int(time.time()) + 600, "team": "docs"}
    good = "Bearer " + jwt.encode(claims, signer, "EdDSA", headers={"kid": "k1"})
    assert named("other", token=good).headers["x-team"] == "docs"
    assert named("other", token="Bearer a.b.c").status == 401
    assert named(token=good).status == 401
    assert reason(named("other", "default", token=good)) == "REQUEST_REFUSED"
    assert reason(named("../other", token=good)) == "REQUEST_REFUSED"
    with pytest.raises(grpc.RpcError) as failure:
        named("none", token=good)
    assert code_of(failure) == "NOT_FOUND"


def test_a_header_that_was_sent_twice_is_403(gateway: Envoy) -> None:
    bob = ("x-writ-subject", "user:bob")
    assert reason(gateway.ask("GET", "/documents/d1", ALICE, bob)) == "REQUEST_REFUSED"
    assert reason(gateway.ask("GET", "/documents/d1", ALICE, ("X-Writ-Subject", "user:alice"))) == "REQUEST_REFUSED"
    assert reason(gateway.ask("GET", "/documents/d1", ALICE, ("host", "evil.example"))) == "REQUEST_REFUSED"
    for headers in ([("x-writ-subject", "user:alice,user:bob")], [ALICE, bob], [ALICE, ("host", "evil.example")]):
        asked = check_request("GET", "/documents/d1", headers, joined=True)
        assert reason(gateway.send(asked)) == "REQUEST_REFUSED"


def test_joined_headers_are_read_without_commas(gateway: Envoy) -> None:
    """Only `X-Forwarded-For` is a list: the gateway has added the last one. Headers that nobody reads may have any."""
    for forwarded, status in (("203.0.113.9", 403), ("203.0.113.9, 198.51.100.7", 200), ("x,203.0.113.9", 403)):
        headers = [ALICE, ("x-forwarded-for", forwarded), ("accept", "a, b"), (":authority", "evil.example")]
        assert gateway.send(check_request("GET", "/documents/d1", headers, joined=True)).status == status
    headers = [ALICE, ("x-tenant", "a,b"), ("x-forwarded-proto", "https")]
    assert reason(gateway.send(check_request("PUT", "/documents/d1?mode=draft", headers, joined=True)))


def test_a_host_of_another_backend_is_403(gateway: Envoy) -> None:
    told = (ALICE, ("x-forwarded-proto", "https"))
    assert gateway.ask("PUT", "/documents/d1?mode=draft", *told, host="SHOP.example:80").status == 200
    assert reason(gateway.ask("PUT", "/documents/d1?mode=draft", *told, host="evil.example")) == "NO_ROUTE"
    assert reason(gateway.ask("PUT", "/documents/d1?mode=draft", *told, host="a b")) == "REQUEST_REFUSED"


def test_only_a_trusted_peer_tells_who_asks_and_from_where(gateway: Envoy, admin: httpx.Client) -> None:
    admin.put(f"{DEFAULT}/gateway", json=SETTINGS | {"trusted_proxies": ["192.0.2.1"]}).raise_for_status()
    try:
        assert reason(gateway.ask("GET", "/documents/d1", ALICE)) == "REQUEST_REFUSED"
    finally:
        admin.put(f"{DEFAULT}/gateway", json=SETTINGS).raise_for_status()
    assert gateway.ask("GET", "/documents/d1", ALICE).status == 200


@pytest.mark.parametrize(
    "message",
    [
        b"\xff\xff\xff",
        check_request("GET", "/documents/d1", [ALICE])[:-3],
        check_request("GET", "/documents/d1", [ALICE], more=field(7, "page=2")),
        check_request("GET", "/documents/d1", [ALICE], more=field(8, "top")),
        check_request("GET", "/documents/d1", [ALICE], more=field(3, field(1, "x-writ-subject") + field(2, "user:a"))),
        check_request("GET", "/documents/d1", [(b"\xff".decode("latin-1"), "x")]).replace(b"\xc3\xbf", b"\xff\xff"),
    ],
)
def test_a_message_with_two_readings_is_an_error(gateway: Envoy, message: bytes) -> None:
    with pytest.raises(grpc.RpcError) as failure:
        gateway.send(message)
    assert code_of(failure) == "INVALID_ARGUMENT"


def test_a_message_that_asks_nothing_is_403(gateway: Envoy) -> None:
    """Envoy's filter for TCP sends no HTTP request."""
    for message in (b"", field(1, b""), field(1, field(4, field(2, b"")))):
        assert reason(gateway.send(message)) == "REQUEST_REFUSED"


def test_a_message_or_metadata_that_is_too_long_is_an_error(gateway: Envoy) -> None:
    asked = check_request("GET", "/documents/d1", [ALICE, ("x", "x" * 100_000)])
    for compression in (grpc.Compression.NoCompression, grpc.Compression.Gzip):
        with pytest.raises(grpc.RpcError) as failure:
            gateway.send(asked, compression=compression)
        assert code_of(failure) == "RESOURCE_EXHAUSTED"
    with pytest.raises(grpc.RpcError) as failure:
        gateway.send(check_request("GET", "/documents/d1", [ALICE]), ("x-more", "x" * 20_000))
    assert code_of(failure) == "RESOURCE_EXHAUSTED"
    assert gateway.ask("GET", "/documents/d1", ALICE, ("x", "x" * 60_000)).status == 200


def test_a_header_that_is_no_ascii_or_too_long_is_403(gateway: Envoy) -> None:
    for value in (b"user:alice\xff", "user:\u00e4", "user:a\x00", "user:" + "a" * 8_192):
        assert reason(gateway.ask("GET", "/documents/d1", ("x-writ-subject", value))) == "REQUEST_REFUSED"


def test_an_environment_without_settings_lets_nothing_through(gateway: Envoy, admin: httpx.Client) -> None:
    admin.post("/v1/environments", json={"id": "bare"}).raise_for_status()
    asked = check_request("GET", "/documents/d1", [ALICE])
    assert reason(gateway.send(asked, ("x-writ-environment", "bare"))) == "REQUEST_REFUSED"


def test_headers_for_a_cache_do_not_reach_the_backend(gateway: Envoy, admin: httpx.Client) -> None:
    admin.put(f"{DEFAULT}/gateway", json=SETTINGS | {"max_cache_seconds": 60}).raise_for_status()
    try:
        answer = gateway.ask("GET", "/documents/d1", ALICE)
        assert answer.headers.keys() == {"x-writ-policy-id", "x-user", "x-team"}
    finally:
        admin.put(f"{DEFAULT}/gateway", json=SETTINGS).raise_for_status()


def test_the_health_check_needs_no_credential(server: Server) -> None:
    with envoy(server.envoy_port, None) as prober:
        assert prober.health() == prober.health("envoy.service.auth.v3.Authorization") == 1
        with pytest.raises(grpc.RpcError) as failure:
            prober.health("other")
        assert code_of(failure) == "NOT_FOUND"


def test_calls_are_counted_by_the_status_of_their_protocol(server: Server, gateway: Envoy, admin: httpx.Client) -> None:
    """A denial is an answer: its call is `OK`. Requests over HTTP are counted apart.

    A call of an earlier test may be counted late, so these numbers are the least.
    """
    before = counted(admin)
    for document in ("d1", "d2"):
        gateway.ask("GET", f"/documents/{document}", ALICE)
    asked = check_request("GET", "/documents/d1", [ALICE])
    for message, key in ((asked, "wrong"), (b"\xff", KEY)):
        with pytest.raises(grpc.RpcError):
            gateway.send(message, key=key)
    with envoy(server.envoy_port, None) as prober:
        prober.health()
        with pytest.raises(grpc.RpcError):
            prober.health("other")
    check, health = "envoy.service.auth.v3.Authorization/Check", "grpc.health.v1.Health/Check"
    expected = {
        f'writ_grpc_requests_total{{route="{check}",status="OK"}}': 2.0,
        f'writ_grpc_requests_total{{route="{check}",status="UNAUTHENTICATED"}}': 1.0,
        f'writ_grpc_requests_total{{route="{check}",status="INVALID_ARGUMENT"}}': 1.0,
        f'writ_grpc_requests_total{{route="{health}",status="OK"}}': 1.0,
        f'writ_grpc_requests_total{{route="{health}",status="NOT_FOUND"}}': 1.0,
        f'writ_grpc_request_duration_seconds_count{{route="{check}"}}': 4.0,
        f'writ_grpc_request_duration_seconds_count{{route="{health}"}}': 2.0,
    }
    assert wait_until(lambda: counted(admin) - before >= Counter(expected))


def counted(admin: httpx.Client) -> Counter[str]:
    """The numbers of calls over gRPC."""
    lines = admin.get("/metrics").raise_for_status().text.splitlines()
    names = ("writ_grpc_requests_total{", "writ_grpc_request_duration_seconds_count{")
    return Counter(
        {name: float(number) for name, _, number in (x.rpartition(" ") for x in lines if x.startswith(names))}
    )


# -- the law: the contract over HTTP and the one over gRPC give equal answers


@pytest.mark.parametrize("target", ATTACKS)
def test_a_path_trick_reaches_no_document(server: Server, gateway: Envoy, target: str) -> None:
    """It is refused, or decided as the other document that it means, and so over HTTP."""
    answer = gateway.ask("GET", target, ALICE)
    assert answer.status == 403
    expected = over_http(server, "GET", target, "shop.example", [("X-Writ-Subject", "user:alice")])
    assert is_same(answer, expected) if expected.status == 403 else expected.status in (400, 404)


PLAIN = ("documents", "d1", "d2", "%64%31")
ODD = ("..", ".", "%2e%2e", "%2f", "a%5cb", "", "d1;x", "%00", "%c0%af", "%252e")
TARGETS = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(("/documents/d1", "/documents/d2", "/documents", "", "*", "http://evil.example/documents/d1"))
        | st.lists(st.sampled_from(PLAIN + ODD), max_size=4).map(lambda found: "".join(f"/{one}" for one in found)),
        st.sampled_from(("", "?mode=draft", "?mode=draft&mode=final", "?", "?x=%20y", "?mode=dr%61ft", "?mode=%zz")),
    ),
)
NAMES = ("X-Writ-Subject", "X-Forwarded-For", "X-Forwarded-Proto", "X-Tenant", "Accept", "X_Writ_Team")
VALUES = ("user:alice", "user:bob", "alice", "203.0.113.9", "10.0.0.1, 198.51.100.7", "https", "t,u", "")
HEADERS = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES)), max_size=4)
METHODS = st.sampled_from(("GET", "GET", "PUT", "PUT", "DELETE", "get", "PROPFIND"))
HOSTS = st.sampled_from(("shop.example", "SHOP.example:8000", "evil.example", "[::1]"))


def over_http(server: Server, method: str, target: str, host: str, headers: list[tuple[str, str]]) -> Any:
    """Returns the status, the headers and the body of the contract over HTTP."""
    fields = [("Host", host), ("X-Writ-Authorization", f"Bearer {KEY}"), ("Connection", "close"), *headers]
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
    with RawConnection(server.host, server.port) as connection:
        connection.send(f"{method} /gateway/envoy{target} HTTP/1.1\r\n{lines}\r\n".encode("latin-1"))
        return connection.answer()


def is_same(answer: Answer, other: Any) -> bool:
    """Whether both answers say the same. Over HTTP, more headers are for the transport."""
    told = {name: DECISION.sub("named", value) for name, value in other.headers.items() if name in answer.headers}
    return (answer.status, answer.headers, answer.body) == (other.status, told, other.body)


@settings(max_examples=180, deadline=None)
@given(METHODS, TARGETS, HOSTS, HEADERS, st.booleans())
def test_http_and_grpc_give_equal_answers(
    server: Server, gateway: Envoy, method: str, target: str, host: str, headers: list[tuple[str, str]], known: bool
) -> None:
    told = [("X-Writ-Subject", "user:alice"), *headers] if known else headers
    expected = over_http(server, method, target, host, told)
    answer = gateway.ask(method, target, *((name.lower(), value) for name, value in told), host=host)
    if expected.status not in (200, 401, 403):  # no request of the contract: another path, or no method of HTTP
        assert answer.status in (401, 403)
        return
    assert is_same(answer, expected), (answer, expected)
    merged: dict[str, str] = {}
    for name, value in told:
        merged[name.lower()] = f"{merged[name.lower()]},{value}" if name.lower() in merged else value
    joined = gateway.send(check_request(method, target, [*merged.items()], host, joined=True))
    assert joined.status != 200 or expected.status == 200
