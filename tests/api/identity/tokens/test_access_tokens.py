"""Tokens are verified strictly: algorithm, type, key, claims, times (RFC 8725, RFC 9068)."""

import base64
import hmac
import json
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import jwt
import pytest
from writ.api.identity.credential import Credential, Scope
from writ.api.identity.credential_shapes import LONGEST_LIFETIME, MOST_ENVIRONMENTS
from writ.api.identity.keys.ring import KeyRing
from writ.api.identity.keys.signing_keys import MAKERS, Key, new_key
from writ.api.identity.keys.sources import SuppliedKeys
from writ.api.identity.known_credentials import KnownCredentials
from writ.api.identity.secret_format import new_secret
from writ.api.identity.tokens import access_tokens
from writ.api.identity.tokens.access_tokens import AccessTokens, TokenTooLong
from writ.api.identity.tokens.token_claims import LONGEST_HEADER, LONGEST_TOKEN, SKEW_SECONDS
from writ.api.store.credential_rows import Client
from writ.api.store.credentials.credentials import ClientSpec
from writ.api.store.database.sqlite.watch import SqliteWatch
from writ.api.store.store import Store

from tests.support.closing import closed_later
from tests.support.managed import LOG
from tests.support.stored import ACTOR

ISSUER, NOW = "https://writ.example", 1_800_000_000.0


class Issuing:
    """Tokens of one client, with a key of `algorithm`."""

    def __init__(self, directory: Path, algorithm: str = "EdDSA") -> None:
        self.now = NOW
        self.whole = closed_later(Store.open(directory))
        self.store = self.whole.credentials
        self.client = self.store.add_client(ACTOR, ClientSpec("app", ["write"], 60), new_secret("x")[1])
        self.key, self.pem = new_key(algorithm)
        self.tokens = self.with_keys(self.pem)

    def with_keys(self, *pems: bytes, issuer: str = ISSUER) -> AccessTokens:
        ring = KeyRing(SuppliedKeys(b"".join(pems).decode()), LOG)
        return AccessTokens(ring, self.store, issuer, lambda: self.now)

    def issue(self) -> str:
        return self.tokens.issue(self.client, ["read"]).text

    def signed(self, key: Key | None = None, header: dict[str, Any] | None = None, **claims: Any) -> str:
        """A token with other claims, or without those that are None."""
        key = key or self.key
        genuine = jwt.decode(self.issue(), options={"verify_signature": False})
        payload = {name: value for name, value in (genuine | claims).items() if value is not None}
        return jwt.encode(
            payload, key.private, key.algorithm, headers={"typ": "at+jwt", "kid": key.id} | (header or {})
        )


@pytest.fixture
def issuing(tmp_path: Path) -> Iterator[Issuing]:
    found = Issuing(tmp_path)
    yield found
    found.whole.close()


def known(tokens: AccessTokens, token: str) -> Credential | None:
    return tokens.credential(token.encode(), sha256(token.encode()).digest())


@pytest.mark.parametrize("algorithm", list(MAKERS))
def test_a_token_is_a_jwt_that_anybody_can_verify(tmp_path: Path, algorithm: str) -> None:
    issuing = Issuing(tmp_path, algorithm)
    token = issuing.issue()
    key = jwt.PyJWK(issuing.key.jwk())
    assert jwt.get_unverified_header(token) == {"typ": "at+jwt", "alg": algorithm, "kid": issuing.key.id}
    options: Any = {"verify_exp": False, "verify_iat": False}
    claims = jwt.decode(token, key, algorithms=[algorithm], audience=ISSUER, issuer=ISSUER, options=options)
    jti = claims.pop("jti")
    id = issuing.client.id
    assert claims == {
        "iss": ISSUER,
        "aud": ISSUER,
        "sub": id,
        "client_id": id,
        "scope": "read",
        "iat": int(NOW),
        "exp": int(NOW) + 60,
    }
    since, until = int(NOW) - SKEW_SECONDS, int(NOW) + 61
    assert known(issuing.tokens, token) == Credential(Scope.READ, f"client:{id}", None, until, jti, since)
    issuing.whole.close()


def test_many_tokens_of_a_client_take_the_room_of_one_set_of_environments(issuing: Issuing) -> None:
    bound = [str(number) for number in range(100)]
    first, second = (known(issuing.tokens, issuing.signed(environments=bound)) for _ in range(2))
    assert first is not None
    assert second is not None
    assert first.token != second.token
    assert first.bounds is second.bounds


def test_genuine_tokens_made_here_pass(issuing: Issuing) -> None:
    """Or the next tests would prove nothing."""
    assert known(issuing.tokens, issuing.signed())
    assert known(issuing.tokens, issuing.signed(nbf=int(NOW) + 9, other="claim"))
    assert known(issuing.tokens, issuing.signed(exp=int(NOW) + LONGEST_LIFETIME, scope="read admin"))
    assert known(issuing.tokens, issuing.signed(header={"cty": "x" * 200}))


@pytest.mark.parametrize(
    "claims",
    [{name: None} for name in ("iss", "aud", "sub", "client_id", "scope", "iat", "exp", "jti")]
    + [
        {"iss": "https://other.example"},
        {"aud": "https://other.example"},
        {"aud": []},
        {"exp": int(NOW) - 1},
        {"exp": str(int(NOW) + 60)},
        {"exp": True},
        {"iat": int(NOW) + SKEW_SECONDS + 1},
        {"sub": "other"},
        {"client_id": "other"},
        {"client_id": "other", "sub": "other"},
        {"client_id": ["x"]},
        {"environments": "x"},
        {"environments": ["\ud800"]},
        {"jti": ""},
        {"jti": "\ud800"},
        {"jti": "é"},
        {"jti": "x\n"},
        {"jti": "x" * 129},
        {"client_id": "\ud800", "sub": "\ud800"},
        {"scope": ""},
        {"scope": "root"},
        {"scope": "read openid"},
        {"scope": "READ"},
        {"exp": int(NOW) + LONGEST_LIFETIME + 1},
        {"exp": 10**30},
        {"iat": int(NOW) - LONGEST_LIFETIME},
        {"iat": -1},
        {"iat": -(10**30)},
        {"iat": int(NOW) + 20, "exp": int(NOW) + 20},
        {"nbf": int(NOW) + SKEW_SECONDS + 1},
        {"nbf": "x"},
    ],
    ids=str,
)
def test_a_claim_that_is_missing_or_wrong_is_refused(issuing: Issuing, claims: dict[str, Any]) -> None:
    assert known(issuing.tokens, issuing.signed(**claims)) is None


@pytest.mark.parametrize(
    "header",
    [
        {"typ": "JWT"},
        {"typ": None},
        {"typ": "writ-bundle+jwt"},
        {"typ": "AT+JWT"},
        {"kid": "other"},
        {"cty": "x" * LONGEST_HEADER},
    ],
    ids=str,
)
def test_a_header_of_something_else_is_refused(issuing: Issuing, header: dict[str, Any]) -> None:
    assert known(issuing.tokens, issuing.signed(header=header)) is None


def test_a_key_signs_by_its_own_algorithm_only(issuing: Issuing) -> None:
    """Neither `none`, nor the public key taken for a secret, nor another's key under this one's id."""
    head, body, _ = issuing.issue().split(".")
    public = issuing.key.public_pem()
    for algorithm, sign in [
        ("none", lambda _: b""),
        ("HS256", lambda text: hmac.digest(public, text, "sha256")),
        ("HS256", lambda text: hmac.digest(json.dumps(issuing.key.jwk()).encode(), text, "sha256")),
    ]:
        forged_head = encoded({"typ": "at+jwt", "alg": algorithm, "kid": issuing.key.id})
        text = f"{forged_head}.{body}"
        signature = base64.urlsafe_b64encode(sign(text.encode())).rstrip(b"=").decode()
        assert known(issuing.tokens, f"{text}.{signature}") is None
    stranger, _pem = new_key("EdDSA")
    assert known(issuing.tokens, issuing.signed(stranger)) is None
    assert known(issuing.tokens, issuing.signed(stranger, {"kid": issuing.key.id})) is None
    embedded = {"kid": stranger.id, "jwk": stranger.jwk()}
    assert known(issuing.tokens, issuing.signed(stranger, embedded)) is None
    other, _pem = new_key("ES256")
    assert known(issuing.tokens, issuing.signed(other, {"kid": issuing.key.id})) is None
    assert head


def encoded(part: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()


@pytest.mark.parametrize(
    "token",
    [
        "ey.ey.ey",
        "ey..",
        f"{encoded([])}.{encoded({})}.x",
        f"{encoded({'alg': 'EdDSA', 'kid': ['x']})}.{encoded({})}.x",
        f"{encoded({'alg': 'EdDSA', 'kid': 1})}.{encoded({})}.x",
        base64.urlsafe_b64encode(b'{"a":' + b"[" * 5_000).rstrip(b"=").decode() + ".x.x",
        "eyé.x.x",
        "ey" + "x" * 9_000 + ".x.x",
    ],
)
def test_hostile_tokens_are_refused_without_a_failure(issuing: Issuing, token: str) -> None:
    assert issuing.tokens.read(token) is None
    if issuing.tokens.recognises(token.encode()):
        assert known(issuing.tokens, token) is None


@pytest.mark.parametrize("header", [{"kid": "other"}, {"alg": "ES256"}, {"typ": "JWT"}, {"cty": "x" * 6_000}], ids=str)
def test_junk_is_refused_by_its_header_alone(
    issuing: Issuing, header: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is behind it is long, and whoever sends it has no credential."""
    head = encoded({"typ": "at+jwt", "alg": "EdDSA", "kid": issuing.key.id} | header)
    monkeypatch.setattr(access_tokens.jwt, "decode", None)
    assert issuing.tokens.read(f"{head}.{'x' * 1_000}.x") is None


def test_a_token_that_nobody_would_read_is_not_issued(issuing: Issuing) -> None:
    issuer = "https://writ.example" + "/x" * 300
    bounds = frozenset(f"{number:032x}-----" for number in range(MOST_ENVIRONMENTS))  # as long as UUIDs
    tokens = issuing.with_keys(issuing.pem, issuer=issuer)
    token = tokens.issue(replace(issuing.client, bounds=bounds), ["read", "write", "admin"]).text
    assert tokens.recognises(token.encode())
    found = tokens.read(token)
    assert found is not None
    assert found.bounds == bounds
    many = bounds | {f"{number:032x}+++++" for number in range(50)}
    with pytest.raises(TokenTooLong, match=rf"bound to 150 environments.*more than the {LONGEST_TOKEN} "):
        tokens.issue(replace(issuing.client, bounds=many), ["read"])


def test_each_changed_character_is_noticed(issuing: Issuing) -> None:
    token = issuing.issue()
    for place in range(0, len(token) - 1, 7):
        if token[place] != ".":
            changed = token[:place] + ("A" if token[place] != "A" else "B") + token[place + 1 :]
            assert issuing.tokens.read(changed) is None, place


def test_clocks_may_differ_a_little_and_a_token_lives_as_long_as_promised(issuing: Issuing) -> None:
    issuing.now = NOW + 0.9
    token = issuing.issue()
    for now, good in [
        (NOW - SKEW_SECONDS, True),
        (NOW - SKEW_SECONDS - 1, False),
        (NOW + 60.89, True),
        (NOW + 61, False),
    ]:
        issuing.now = now
        assert (issuing.tokens.read(token) is not None) is good, now


def test_a_remembered_token_ends_if_the_clock_is_set_back(issuing: Issuing) -> None:
    """It then comes from the future, like a token that another clock issued."""
    token = issuing.issue()
    watch = SqliteWatch(issuing.whole._connections)
    remembering = KnownCredentials(issuing.store, watch, [issuing.tokens], lambda: issuing.now, 5.0, LOG)
    for now, good in [(NOW, True), (NOW - SKEW_SECONDS, True), (NOW - SKEW_SECONDS - 1, False), (NOW, True)]:
        issuing.now = now
        assert (remembering.credential(token.encode()) is not None) is good, now


def test_another_service_of_the_same_key_takes_none(issuing: Issuing) -> None:
    other = issuing.with_keys(issuing.pem, issuer="https://staging.example")
    assert known(other, issuing.issue()) is None


def test_the_first_key_signs_and_the_others_verify(issuing: Issuing) -> None:
    old = issuing.issue()
    new, pem = new_key("ES256")
    rotated = issuing.with_keys(pem, issuing.key.public_pem())
    assert jwt.get_unverified_header(rotated.issue(issuing.client, ["read"]).text)["kid"] == new.id
    assert known(rotated, old)
    assert known(rotated, issuing.signed(header={"kid": ""})) is None
    assert known(issuing.with_keys(pem), old) is None


def test_a_verified_token_costs_no_second_signature_check(issuing: Issuing, monkeypatch: pytest.MonkeyPatch) -> None:
    token = issuing.issue()
    assert known(issuing.tokens, token)
    monkeypatch.setattr(access_tokens.jwt, "decode", None)
    assert known(issuing.tokens, token)
    issuing.store.delete_client(ACTOR, issuing.client.id)
    assert known(issuing.tokens, token) is None, "but its client is looked at"


def test_what_is_remembered_is_bounded(issuing: Issuing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access_tokens, "MOST_REMEMBERED", 3)
    tokens = [issuing.issue() for _ in range(5)]
    assert all(known(issuing.tokens, token) for token in tokens * 2)
    assert len(issuing.tokens._verified) == 3


def test_the_environments_of_a_token_and_of_its_client_are_intersected(issuing: Issuing) -> None:
    uuids = {id: issuing.whole.create_environment(ACTOR, id).uuid for id in ("a", "b", "c")}

    def bound(*ids: str) -> Client:
        change = ClientSpec("app", ["read"], 60, None, ids or None)
        return issuing.store.change_client(ACTOR, issuing.client.id, lambda _: change)

    token = issuing.tokens.issue(bound("a", "b"), ["read"]).text
    for ids, left in [((), "ab"), (("b", "c"), "b"), (("c",), "")]:
        bound(*ids)
        found = known(issuing.tokens, token)
        assert found is not None
        assert found.bounds == {uuids[id] for id in left}


def test_what_was_signed_here_is_told_from_a_guess_whatever_it_says(issuing: Issuing) -> None:
    """Expired, of a client that is gone, from before the public URL changed; and it is accepted nowhere for that."""
    stranger, _pem = new_key("EdDSA")
    for token, ours in [
        (issuing.issue(), True),
        (issuing.signed(exp=1), True),
        (issuing.signed(client_id="gone", sub="gone"), True),
        (issuing.signed(iss="https://old.example", aud="https://old.example"), True),
        (issuing.signed(header={"typ": "JWT"}), False),
        (issuing.signed(stranger, {"kid": issuing.key.id}), False),
        (issuing.signed(stranger), False),
        (issuing.issue()[:-1], False),
        ("ey.ey.ey", False),
        ("ey\xe9.x.x", False),
    ]:
        presented = token.encode("latin-1")
        assert issuing.tokens.was_issued(presented, sha256(presented).digest()) is ours, token
    assert known(issuing.tokens, issuing.signed(exp=1)) is None
