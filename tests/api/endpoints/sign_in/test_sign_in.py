"""People sign in at a provider: what begins a session, and every answer that must not (OpenID Connect Core 3.1.3.7)."""

import base64
import hmac
import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from writ.api.identity.issuers.key_sets import UNKNOWN_KEY_SECONDS
from writ.api.identity.sign_in.flows import SIGN_IN_SECONDS
from writ.api.identity.sign_in.provider import METADATA_SECONDS

from tests.support.managed import Managed
from tests.support.openid_provider import CLIENT, OpenIdProvider
from tests.support.signing_in import MOST_FAILED, Browser

SESSION, FLOW = "__Host-writ-session", "__Host-writ-sign-in"


def audited(browser: Browser, event: str) -> list[dict[str, Any]]:
    return list(browser.service.simulate_get("/v1/audit", params={"event": event}).json["items"])


def no_session(browser: Browser) -> bool:
    return SESSION not in browser.cookies and not browser.service.simulate_get("/v1/sessions").json["items"]


def test_a_person_signs_in_and_is_named(browser: Browser, provider: OpenIdProvider) -> None:
    answer = browser.signs_in(name="Ann Lee")
    assert answer.status_code == 200
    assert "app/arrived.js" in answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    session = answer.cookies[SESSION]
    assert (session.secure, session.http_only, session.same_site, session.path) == (True, True, "Strict", "/")
    assert (session.max_age, session.domain) == (None, None)
    caller = browser.caller().json
    assert (caller["kind"], caller["name"], caller["scopes"][-1]) == ("person", "Ann Lee", "admin")
    assert browser.call("POST", "/v1/environments", json={"id": "made"}).status_code == 201
    (made,) = [one for one in audited(browser, "environment.created") if one["environment"] == "made"]
    assert (made["actor"], made["actor_name"]) == (f"person:{caller['id']}", "Ann Lee")
    (started,) = audited(browser, "session.started")
    assert (started["details"]["issuer"], started["details"]["subject"]) == (provider.url, "1")
    person = browser.call("GET", f"/v1/people/{caller['id']}").json
    assert (person["name"], person["subject"]) == ("Ann Lee", "1")


def test_the_store_has_no_secret(browser: Browser) -> None:
    browser.signs_in()
    secret = browser.cookies[SESSION]
    files = [one.read_bytes() for one in browser.service.store.directory.rglob("*") if one.is_file()]
    assert files
    assert not any(secret.encode() in one for one in files)


def test_the_provider_is_asked_by_the_rules(browser: Browser, provider: OpenIdProvider) -> None:
    url = browser.begun()
    asked = {name: one[0] for name, one in parse_qs(urlsplit(url).query).items()}
    assert url.startswith(f"{provider.url}/auth?tenant=1&")
    assert (asked["redirect_uri"], asked["scope"]) == ("https://writ.example/console/callback", "openid profile email")
    browser.signs_in()
    form = provider.asked[-1]
    assert 43 <= len(form["code_verifier"]) <= 128
    assert form["code_verifier"] not in str(browser.cookies)
    assert "client_secret" not in form
    pair = base64.b64decode(str(provider.authorization[-1]).removeprefix("Basic ")).decode()
    assert pair == "writ%3Aconsole:a+secret%2Fwith+signs"


def test_the_cookie_of_a_sign_in_is_lax_short_and_gives_nothing_away(browser: Browser) -> None:
    answer = browser.call("GET", "/console/sign-in")
    cookie = answer.cookies[FLOW]
    assert (cookie.secure, cookie.http_only, cookie.same_site, cookie.max_age) == (True, True, "Lax", SIGN_IN_SECONDS)
    asked = parse_qs(urlsplit(answer.headers["location"]).query)
    assert all(asked[name][0] not in cookie.value for name in ("state", "nonce", "code_challenge"))


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("iss", {"iss": "https://other.example"}),
    ("aud", {"aud": "other"}),
    ("no aud", {"aud": None}),
    ("more aud", {"aud": [CLIENT, "other"]}),
    ("azp", {"azp": "other"}),
    ("expired", {"exp": 1_899_999_900}),
    ("no exp", {"exp": None}),
    ("exp is a text", {"exp": "2000000000"}),
    ("future", {"iat": 1_900_000_900}),
    ("old", {"iat": 1_899_990_000}),
    ("no iat", {"iat": None}),
    ("nbf", {"nbf": 1_900_000_900}),
    ("nonce", {"nonce": "other"}),
    ("no nonce", {"nonce": None}),
    ("nonce is a number", {"nonce": 1}),
    ("no sub", {"sub": None}),
    ("empty sub", {"sub": ""}),
    ("long sub", {"sub": "x" * 256}),
    ("sub is a number", {"sub": 7}),
    ("sub is not ascii", {"sub": "\u00e9"}),
]


def test_each_wrong_claim_is_refused(browser: Browser, provider: OpenIdProvider) -> None:
    for name, changed in WRONG:
        provider.changed = changed
        answer = browser.signs_in()
        assert (answer.status_code, no_session(browser)) == (400, True), name
        assert "is not accepted" in answer.text, name
    provider.changed = {"aud": [CLIENT], "azp": CLIENT}
    assert browser.signs_in().status_code == 200


def test_each_wrong_signature_is_refused(browser: Browser, provider: OpenIdProvider) -> None:
    assert browser.signs_in().status_code == 200
    browser.cookies.clear()
    honest = provider.token
    own, other = provider.key, Ed25519PrivateKey.generate()

    def forged(form: dict[str, str], change: Any) -> tuple[int, bytes]:
        status, body = honest(form)
        head, payload, signature = json.loads(body)["id_token"].split(".")
        return status, json.dumps({"token_type": "Bearer", "id_token": change(head, payload, signature)}).encode()

    def encoded(header: dict[str, Any]) -> str:
        return base64.urlsafe_b64encode(json.dumps(header).encode()).rstrip(b"=").decode()

    public = json.dumps(json.loads(jwt.algorithms.OKPAlgorithm.to_jwk(own.public_key()))).encode()

    def by_secret(_: str, payload: str, __: str) -> str:
        signed = f"{encoded({'alg': 'HS256', 'kid': 'k1'})}.{payload}"
        tag = hmac.digest(public, signed.encode(), "sha256")
        return f"{signed}.{base64.urlsafe_b64encode(tag).rstrip(b'=').decode()}"

    changes = {
        "another key": lambda _, payload, __: jwt.PyJWS().encode(
            base64.urlsafe_b64decode(payload + "=="), other, "EdDSA", {"kid": "k1"}
        ),
        "none": lambda _, payload, __: f"{encoded({'alg': 'none'})}.{payload}.",
        "no signature": lambda head, payload, _: f"{head}.{payload}.",
        "the public key as a secret": by_secret,
        "no JWT": lambda *_: "text",
        "too long": lambda head, payload, signature: f"{head}.{payload}{'A' * 70_000}.{signature}",
    }
    for name, change in changes.items():
        provider.token = lambda form, change=change: forged(form, change)  # type: ignore[method-assign]
        assert browser.signs_in().status_code == 400, name
        assert SESSION not in browser.cookies, name


def test_a_new_key_of_the_provider_is_fetched(browser: Browser, provider: OpenIdProvider, monkeypatch: Any) -> None:
    browser.signs_in()
    provider.key, provider.kid = Ed25519PrivateKey.generate(), "k2"
    assert browser.signs_in().status_code == 400, "no fetch soon after another"
    monkeypatch.setattr("writ.api.identity.issuers.key_sets.UNKNOWN_KEY_SECONDS", 0.0)
    assert UNKNOWN_KEY_SECONDS > 0
    assert browser.signs_in().status_code == 200


def test_a_sign_in_belongs_to_its_browser_and_counts_once(browser: Browser, provider: OpenIdProvider) -> None:
    sent = provider.signs_in(browser.begun(), sub="1", groups=["admins"])
    kept = dict(browser.cookies)
    browser.cookies.clear()
    assert browser.came_back(sent).status_code == 400, "another browser"
    browser.cookies = dict(kept)
    assert browser.came_back(sent | {"state": "x"}).status_code == 400
    browser.cookies = dict(kept)
    assert browser.came_back({"code": sent["code"]}).status_code == 400
    browser.cookies = {FLOW: kept[FLOW][:-1] + ("A" if kept[FLOW][-1] != "A" else "B")}
    assert browser.came_back(sent).status_code == 400
    assert not provider.asked, "the code was never sent on"
    browser.cookies = dict(kept)
    assert browser.came_back(sent).status_code == 200
    assert FLOW not in browser.cookies
    again = provider.signs_in("https://x/?" + urlsplit(browser.begun()).query, sub="2", groups=["admins"])
    browser.cookies = dict(kept)  # somebody kept a copy of the first cookie
    assert browser.came_back(again).status_code == 400
    assert len(browser.service.simulate_get("/v1/sessions").json["items"]) == 1


def test_the_same_sign_in_makes_no_second_session(browser: Browser, provider: OpenIdProvider) -> None:
    url = browser.begun()
    kept = dict(browser.cookies)
    assert browser.came_back(provider.signs_in(url, sub="1", groups=["admins"])).status_code == 200
    browser.cookies = dict(kept)
    assert browser.came_back(provider.signs_in(url, sub="1", groups=["admins"])).status_code == 400


def test_a_sign_in_ends_after_ten_minutes(browser: Browser, provider: OpenIdProvider) -> None:
    sent = provider.signs_in(browser.begun(), sub="1", groups=["admins"])
    browser.clock.now += SIGN_IN_SECONDS
    answer = browser.came_back(sent)
    assert (answer.status_code, "took too long" in answer.text) == (400, True)


def test_an_answer_of_another_issuer_is_refused(browser: Browser, provider: OpenIdProvider) -> None:
    provider.metadata = {"authorization_response_iss_parameter_supported": True}
    assert browser.signs_in().status_code == 400, "it says that it names itself"
    provider.extra = {"iss": "https://other.example"}
    assert browser.signs_in().status_code == 400
    assert not provider.asked
    provider.extra = {"iss": provider.url}
    assert browser.signs_in().status_code == 200


def test_what_the_provider_refuses_is_told_without_its_text(browser: Browser, provider: OpenIdProvider) -> None:
    state = provider.signs_in(browser.begun())["state"]
    answer = browser.came_back({"state": state, "error": "access_denied", "error_description": "<b>call 555</b>"})
    assert (answer.status_code, "access_denied" in answer.text, "555" in answer.text) == (400, True, False)
    state = provider.signs_in(browser.begun())["state"]
    answer = browser.came_back({"state": state, "error": "<script>x</script>"})
    assert (answer.status_code, "script>x" in answer.text) == (400, False)


@pytest.mark.parametrize("groups", [[], ["others"], ["admin"], [1, None], "nobody", {"admins": 1}, None])
def test_no_group_no_access_and_the_page_says_whom_to_ask(
    browser: Browser, provider: OpenIdProvider, groups: Any
) -> None:
    answer = browser.came_back(provider.signs_in(browser.begun(), sub="1", groups=groups))
    assert (answer.status_code, no_session(browser)) == (403, True)
    assert "To get access, ask the platform team." in answer.text
    assert browser.caller().status_code == 401


def test_groups_give_scopes_and_environments(browser: Browser) -> None:
    browser.signs_in(groups=["readers", "staging"])  # the first rule counts, not the first group
    caller = browser.caller().json
    assert (caller["scopes"][-1], caller["environments"]) == ("write", ["stage"])
    assert browser.call("GET", "/v1/environments/stage").status_code == 200
    assert browser.call("GET", "/v1/environments/default").status_code == 403
    answer = browser.signs_in(sub="2", groups=["lost"])
    assert (answer.status_code, "None of the environments" in answer.text) == (403, True)
    browser.cookies.clear()
    browser.signs_in(sub="3", groups=["readers"])
    assert browser.call("POST", "/v1/environments", json={"id": "more"}).status_code == 403


def test_a_person_without_a_name_has_another_one(browser: Browser) -> None:
    browser.signs_in(name=" ", preferred_username="ann.lee")
    assert browser.caller().json["name"] == "ann.lee"
    browser.signs_in(name=None, sub="sub-7")
    assert browser.caller().json["name"] == "sub-7"
    browser.signs_in(name="x" * 1_000)
    assert browser.caller().json["name"] == "x" * 256


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://other.example"},
        {"token_endpoint": "http://other.example/token"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"jwks_uri": "file:///etc/passwd"},
        {"jwks_uri": None},
    ],
)
def test_metadata_of_another_or_without_https_is_not_used(
    browser: Browser, provider: OpenIdProvider, metadata: dict[str, Any]
) -> None:
    provider.metadata = metadata
    answer = browser.call("GET", "/console/sign-in")
    assert (answer.status_code, "location" in answer.headers) == (502, False)
    assert "can&#x27;t be used now" in answer.text


def test_a_provider_that_is_away_is_told_and_asked_again(browser: Browser, provider: OpenIdProvider) -> None:
    provider.raw = b"[" * 2_000_000
    assert browser.call("GET", "/console/sign-in").status_code == 502
    provider.raw = None
    assert browser.call("GET", "/console/sign-in").status_code == 502, "not within some seconds"
    assert METADATA_SECONDS > 60


def test_too_many_refused_sign_ins_have_to_wait(browser: Browser, provider: OpenIdProvider) -> None:
    provider.changed = {"nonce": "x"}
    answers = [browser.signs_in() for _ in range(MOST_FAILED + 1)]
    assert [one.status_code for one in answers] == [400] * MOST_FAILED + [429]
    assert int(answers[-1].headers["retry-after"]) > 0


def test_without_an_issuer_there_is_no_sign_in(full: Managed) -> None:
    assert full.simulate_get("/console/sign-in").status_code == 404
    assert full.simulate_get("/console/callback").status_code == 404
    assert full.simulate_get("/console/session").json == {"open": False, "provider": None, "sign_in": None, "ask": None}
