"""Requests without a credential: a marked route asks for the anonymous subject, and nothing else lets them in (E11)."""

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.support.server import KEY, Server, running

pytestmark = pytest.mark.service

MODEL: dict[str, Any] = {
    "model": 1,
    "resource_types": [{"id": "page", "actions": ["read", "edit"]}],
    "roles": [{"id": "editor"}],
    "assignments": [{"role": "editor", "subject": {"type": "user", "id": "alice"}}],
    "policies": [
        {
            "id": "everyone",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "page", "actions": ["read"]}],
        },
        {
            "id": "editors",
            "effect": "ALLOW",
            "roles": ["editor"],
            "resource_types": [{"resource_type_id": "page", "actions": ["edit"]}],
        },
    ],
    "routes": [
        {
            "id": "public",
            "methods": ["GET", "OPTIONS"],
            "path": "/public/{id}",
            "resource_type": "page",
            "action": "read",
            "anonymous": True,
        },
        {
            "id": "edit",
            "methods": ["PUT"],
            "path": "/public/{id}",
            "resource_type": "page",
            "action": "edit",
            "anonymous": True,
        },
        {"id": "inner", "methods": ["GET"], "path": "/inner/{id}", "resource_type": "page", "action": "read"},
    ],
}
SETTINGS: dict[str, Any] = {
    "trusted_proxies": ["127.0.0.1"],
    "anonymous": {"type": "visitor", "id": "anyone"},
    "max_cache_seconds": 60,
    "response_headers": {"X-Type": "subject_type", "X-User": "subject_id", "X-Team": "attribute:team"},
}
BY_HEADER = SETTINGS | {"subject": {"header": "X-Writ-Subject"}}
ISSUER, AUDIENCE = "https://idp.example", "shop"
ENVIRONMENTS = ("default", "tokens", "plain", "unmarked")


@pytest.fixture(scope="module")
def signer() -> Ed25519PrivateKey:
    return Ed25519PrivateKey.generate()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, signer: Ed25519PrivateKey) -> Iterator[Server]:
    """`default` names the subject in a header, `tokens` by a token. `plain` has no setting, `unmarked` no mark."""
    folder = tmp_path_factory.mktemp("anonymous")
    key = json.loads(jwt.algorithms.OKPAlgorithm.to_jwk(signer.public_key()))
    (folder / "jwks.json").write_text(json.dumps({"keys": [key | {"kid": "k1", "use": "sig"}]}))
    token = {"issuer": ISSUER, "audience": AUDIENCE, "algorithms": ["EdDSA"], "jwks_file": str(folder / "jwks.json")}
    by_token = SETTINGS | {"subject": {"jwt": token}}
    without = {name: value for name, value in by_token.items() if name != "anonymous"}
    unmarked = [{name: value for name, value in route.items() if name != "anonymous"} for route in MODEL["routes"]]
    with running(folder / "data") as started, started.client() as client:
        for env, model, settings in (
            ("default", MODEL, BY_HEADER),
            ("tokens", MODEL, by_token),
            ("plain", MODEL, without),
            ("unmarked", MODEL | {"routes": unmarked}, by_token),
        ):
            if env != "default":
                client.post("/v1/environments", json={"id": env}).raise_for_status()
            client.put(f"/v1/environments/{env}/model", json=model).raise_for_status()
            client.put(f"/v1/environments/{env}/gateway", json=settings).raise_for_status()
        yield started


@pytest.fixture(scope="module")
def http(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, headers={"X-Writ-Authorization": f"Bearer {KEY}"}, timeout=30) as client:
        yield client


def ask(http: httpx.Client, env: str, method: str, target: str, **more: str) -> httpx.Response:
    told = {"X-Original-Method": method, "X-Original-Host": "shop.example", "X-Original-URI": target}
    return http.get(f"/environments/{env}/gateway/nginx", headers=told | more)


def as_envoy(http: httpx.Client, env: str, method: str, target: str, **more: str) -> httpx.Response:
    return http.request(method, f"/environments/{env}/gateway/envoy{target}", headers=more)


def signed(signer: Ed25519PrivateKey, **claims: Any) -> str:
    stated = {"iss": ISSUER, "aud": AUDIENCE, "sub": "alice", "exp": int(time.time()) + 600} | claims
    return f"Bearer {jwt.encode(stated, signer, 'EdDSA', {'kid': 'k1'})}"


@pytest.mark.parametrize("asks", [ask, as_envoy])
@pytest.mark.parametrize("env", ["default", "tokens"])
@pytest.mark.parametrize("method", ["GET", "OPTIONS"])
def test_a_marked_route_asks_for_the_anonymous_subject(http: httpx.Client, env: str, method: str, asks: Any) -> None:
    answer = asks(http, env, method, "/public/p1")
    told = {name: answer.headers.get(name) for name in ("X-Type", "X-User", "X-Team")}
    assert (answer.status_code, told) == (200, {"X-Type": "visitor", "X-User": "anyone", "X-Team": ""})


@pytest.mark.parametrize("env", ["default", "tokens"])
@pytest.mark.parametrize("other", ["Basic YTpi", "basic", "Digest", "Negotiate YII=", "token-of.another~scheme x"])
def test_another_scheme_counts_as_none(http: httpx.Client, env: str, other: str) -> None:
    for _ in range(2):  # the second one may be remembered
        answer = ask(http, env, "GET", "/public/p1", Authorization=other)
        assert (answer.status_code, answer.headers["X-User"]) == (200, "anyone")


@pytest.mark.parametrize("env", ["default", "tokens"])
@pytest.mark.parametrize("broken", ["Bearer", "bearer", "Bearer x", "BEARER a b", "Bearerabc", "", "a@b c", "=="])
def test_a_broken_or_empty_bearer_token_is_401(http: httpx.Client, env: str, broken: str) -> None:
    assert ask(http, env, "GET", "/public/p1").status_code == 200  # what is remembered of this one does not count
    answer = ask(http, env, "GET", "/public/p1", Authorization=broken)
    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, 'Bearer realm="writ"')


@pytest.mark.parametrize("subject", ["", "alice", "user:", ":x"])
def test_a_broken_or_empty_subject_header_is_401(http: httpx.Client, subject: str) -> None:
    assert ask(http, "default", "GET", "/public/p1", **{"X-Writ-Subject": subject}).status_code == 401


def test_a_name_that_some_backend_reads_as_the_subject_s_is_no_way_round(http: httpx.Client) -> None:
    answer = ask(http, "default", "GET", "/public/p1", **{"X.Writ.Subject": "user:alice"})
    assert (answer.status_code, answer.headers["X-Writ-Reason-Code"]) == (403, "REQUEST_REFUSED")


def test_a_token_that_is_not_accepted_is_401(http: httpx.Client, signer: Ed25519PrivateKey) -> None:
    stranger = Ed25519PrivateKey.generate()
    tokens = (signed(signer, aud="other"), signed(signer, exp=1), signed(signer, sub=""), signed(stranger))
    for token in tokens:
        assert ask(http, "tokens", "GET", "/public/p1", Authorization=token).status_code == 401


def test_who_is_signed_in_is_never_anonymous(http: httpx.Client, signer: Ed25519PrivateKey) -> None:
    by_token = ask(http, "tokens", "PUT", "/public/p1", Authorization=signed(signer))
    by_header = ask(http, "default", "PUT", "/public/p1", **{"X-Writ-Subject": "user:alice"})
    assert [(one.status_code, one.headers["X-User"]) for one in (by_token, by_header)] == [(200, "alice")] * 2


@pytest.mark.parametrize("env", ["default", "tokens"])
def test_the_policies_decide_for_the_anonymous_subject(http: httpx.Client, env: str) -> None:
    answer = ask(http, env, "PUT", "/public/p1")
    assert (answer.status_code, answer.headers["X-Writ-Reason-Code"]) == (403, "ACTION_NOT_PERMITTED")


@pytest.mark.parametrize("env", ENVIRONMENTS)
def test_any_other_request_without_a_credential_is_401_as_before(http: httpx.Client, env: str) -> None:
    """It learns nothing about routes, whether there is one, none, or a target that nobody can read."""
    targets = [("GET", "/inner/p1"), ("GET", "/nowhere"), ("POST", "/public/p1"), ("GET", "/public/../inner/p1")]
    targets += [("GET", "/public/p1")] if env in ("plain", "unmarked") else []
    for method, target in targets:
        answer = ask(http, env, method, target)
        assert (answer.status_code, answer.headers["Cache-Control"]) == (401, "no-store"), target
        missing = "no user is signed in" if env == "default" else "the user's token is missing"
        assert answer.json() == {"error": missing}


def test_answers_that_are_cached_vary_by_the_credential(http: httpx.Client, signer: Ed25519PrivateKey) -> None:
    mine, alice = ask(http, "tokens", "GET", "/public/p1"), {"Authorization": signed(signer)}
    hers = ask(http, "tokens", "GET", "/public/p1", **alice)
    assert [one.headers["Vary"] for one in (mine, hers)] == ["Authorization"] * 2
    by_header = ask(http, "default", "GET", "/public/p1")
    assert by_header.headers["Vary"] == "Authorization, X-Writ-Subject"
    assert by_header.headers["Cache-Control"] == "private, max-age=60"
    for env in ("plain", "unmarked"):  # as before
        answer = ask(http, env, "GET", "/public/p1", **alice)
        assert (answer.status_code, answer.headers.get("Vary")) == (200, None)


def test_all_anonymous_callers_share_the_limits_of_the_subject(http: httpx.Client, server: Server) -> None:
    limited = json.loads(json.dumps(MODEL))
    limited["policies"][0]["conditions"] = {"rate_limit": {"limit": 2, "window_seconds": 3600}}
    with server.client() as admin:
        admin.post("/v1/environments", json={"id": "limited"}).raise_for_status()
        admin.put("/v1/environments/limited/model", json=limited).raise_for_status()
        admin.put("/v1/environments/limited/gateway", json=BY_HEADER).raise_for_status()
    peers = [ask(http, "limited", "GET", f"/public/p{n}", **{"X-Forwarded-For": f"192.0.2.{n}"}) for n in range(8)]
    assert sorted({one.status_code for one in peers}) == [200, 403]
    assert peers[-1].headers["X-Writ-Reason-Code"] == "CONDITION_FAILED"
    assert ask(http, "limited", "GET", "/public/p1", **{"X-Writ-Subject": "user:bob"}).status_code == 200
