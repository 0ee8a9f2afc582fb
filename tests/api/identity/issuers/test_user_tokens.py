"""Users' tokens: which are accepted, how long, and what a change of the issuer's keys does to those that were."""

import asyncio
import base64
import hmac
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from writ.api.identity.issuers.key_sets import (
    IDLE_SECONDS,
    REFRESH_SECONDS,
    UNKNOWN_KEY_SECONDS,
    KeysAreComing,
    KeySets,
)
from writ.api.identity.issuers.user_tokens import LEEWAY_SECONDS, BadToken, UserTokens
from writ.bundles.routing.settings import JwtSubject

from tests.support.dripping import drip
from tests.support.waiting import wait_until

ISSUER, OWN = "https://idp.example", "https://writ.example"
NOW = 1_800_000_000.0
CLAIMS: dict[str, Any] = {"iss": ISSUER, "aud": "shop", "sub": "alice", "exp": int(NOW) + 600}
SIGNER, OTHER, RSA = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate(), generate_private_key(65537, 2048)


def public(key: Any, kid: str | None = "k1", **more: Any) -> dict[str, Any]:
    """A public key as a key set has it."""
    kind = jwt.algorithms.OKPAlgorithm if isinstance(key, Ed25519PrivateKey) else jwt.algorithms.RSAAlgorithm
    named = {} if kid is None else {"kid": kid}
    return json.loads(kind.to_jwk(key.public_key())) | named | more


class Issuer:
    """An issuer whose key set is a file, the worker that reads it, and both clocks."""

    def __init__(self, folder: Path) -> None:
        self.file, self.now, self.seconds = folder / "jwks.json", NOW, 1_000.0
        self.told: list[str] = []
        self.sets = KeySets(self.told.append, lambda: self.seconds)
        self.tokens = UserTokens(self.sets, lambda: OWN, lambda: self.now)

    def publish(self, *keys: dict[str, Any]) -> None:
        self.file.write_text(json.dumps({"keys": keys}))

    def wait(self) -> None:
        """Wait for the fetch that is going on."""
        asyncio.run(self.sets.of(str(self.file)).loaded())

    def subject(self, token: str, **settings: Any) -> object:
        """The subject of a token, after the keys are there."""
        named = JwtSubject(ISSUER, "shop", ("EdDSA", "RS256"), jwks_file=str(self.file))
        wanted = JwtSubject(**{name: settings.get(name, getattr(named, name)) for name in named.__struct_fields__})
        try:
            return self.tokens.claims(token, wanted)["sub"]
        except KeysAreComing:
            self.wait()
            return self.tokens.claims(token, wanted)["sub"]


@pytest.fixture
def issuer(tmp_path: Path) -> Issuer:
    made = Issuer(tmp_path)
    made.publish(public(SIGNER))
    return made


def token(key: Any = SIGNER, algorithm: str = "EdDSA", headers: dict[str, Any] | None = None, **claims: Any) -> str:
    sent = {name: value for name, value in (CLAIMS | claims).items() if value is not None}
    return jwt.PyJWS().encode(json.dumps(sent).encode(), key, algorithm, {"kid": "k1"} | (headers or {}))


def unsigned(header: dict[str, Any], signature: bytes = b"", payload: bytes | None = None) -> str:
    parts = (json.dumps(header).encode(), json.dumps(CLAIMS).encode() if payload is None else payload, signature)
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)


INFO = PublicFormat.SubjectPublicKeyInfo


def by_secret(secret: bytes) -> str:
    """A token by HS256, with a secret that everyone knows. PyJWT refuses to make it."""
    head, payload, _ = unsigned({"alg": "HS256", "kid": "k1"}).split(".")
    mac = hmac.digest(secret, f"{head}.{payload}".encode(), "sha256")
    return f"{head}.{payload}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"


FORGED: dict[str, Callable[[], str]] = {
    "another key": lambda: token(OTHER),
    "no algorithm": lambda: unsigned({"alg": "none", "kid": "k1"}),
    "no algorithm in another case": lambda: unsigned({"alg": "nOnE", "kid": "k1"}),
    "no algorithm at all": lambda: unsigned({"kid": "k1"}),
    "the public key as a secret": lambda: by_secret(SIGNER.public_key().public_bytes(Encoding.PEM, INFO)),
    "the raw public key as a secret": lambda: by_secret(SIGNER.public_key().public_bytes_raw()),
    "a list as algorithm": lambda: unsigned({"alg": ["EdDSA"], "kid": "k1"}),
    "an algorithm of another family": lambda: token(RSA, "RS256"),
    "an algorithm that is not accepted": lambda: token(RSA, "RS384"),
    "an unknown key id": lambda: token(headers={"kid": "../../k1"}),
    "a key of its own": lambda: token(OTHER, headers={"jwk": public(OTHER)}),
    "a place of keys of its own": lambda: token(OTHER, headers={"jku": "https://evil.example/keys"}),
    "an extension": lambda: token(headers={"crit": ["exp"], "exp": 1}),
    "a payload that is not encoded": lambda: unsigned({"alg": "EdDSA", "kid": "k1", "b64": False, "crit": ["b64"]}),
    "no signature": lambda: token().rpartition(".")[0] + ".",
    "another payload": lambda: token().partition(".")[0] + "." + token(sub="root").split(".")[1] + token()[-87:],
    "no end": lambda: token(exp=None),
    "an end that is a text": lambda: token(exp=str(int(NOW) + 600)),
    "an endless end": lambda: token(exp=1e300),
    "no issuer": lambda: token(iss=None),
    "no audience": lambda: token(aud=None),
    "a list of issuers": lambda: token(iss=[ISSUER]),
    "an audience in another list": lambda: token(aud=["other", "shopping"]),
    "an empty list of audiences": lambda: token(aud=[]),
    "an audience in an object": lambda: token(aud={"shop": 1}),
    "a start to come": lambda: token(nbf=int(NOW) + 600),
    "five parts": lambda: token() + ".a.b",
    "deep JSON": lambda: unsigned({"alg": "EdDSA"}, b"", b"[" * 3_000),
}


@pytest.mark.parametrize("forged", FORGED, ids=str)
def test_a_token_that_proves_nothing_is_refused(issuer: Issuer, forged: str) -> None:
    with pytest.raises(BadToken):
        issuer.subject(FORGED[forged]())
    assert issuer.subject(token()) == "alice", "the key is there"


def test_what_proves_who_asks_is_accepted(issuer: Issuer) -> None:
    assert issuer.subject(token(aud=["other", "shop"])) == "alice"
    assert issuer.subject(token(exp=int(NOW) - LEEWAY_SECONDS + 1)) == "alice"
    assert issuer.subject(token(headers={"kid": "k1", "typ": "at+jwt"})) == "alice"


def test_writ_s_own_issuer_is_never_a_user_s(issuer: Issuer) -> None:
    with pytest.raises(BadToken, match="own"):
        issuer.subject(token(iss=OWN), issuer=OWN)


def test_a_verified_token_ends_when_it_expires(issuer: Issuer) -> None:
    sent = token()
    assert issuer.subject(sent) == "alice"
    issuer.now += 600 + LEEWAY_SECONDS
    with pytest.raises(BadToken, match="expired"):
        issuer.subject(sent)


@pytest.mark.parametrize("other", [{"issuer": "https://b.example"}, {"audience": "b"}, {"algorithms": ("RS256",)}])
def test_a_verified_token_counts_under_its_own_settings_only(issuer: Issuer, other: dict[str, Any]) -> None:
    sent = token()
    assert issuer.subject(sent) == "alice"
    with pytest.raises(BadToken):
        issuer.subject(sent, **other)


def test_a_verified_token_ends_with_its_key(issuer: Issuer) -> None:
    """It is fetched again after some minutes, and what was verified does not outlive it."""
    sent, later = token(), token(OTHER, headers={"kid": "k2"})
    assert issuer.subject(sent) == "alice"
    issuer.publish(public(OTHER, "k2"))
    issuer.seconds += REFRESH_SECONDS
    issuer.subject(sent)  # it still counts, and begins the fetch
    issuer.wait()
    with pytest.raises(BadToken, match="key is not known"):
        issuer.subject(sent)
    assert issuer.subject(later) == "alice"


def test_a_key_that_takes_the_id_of_another_ends_its_tokens(issuer: Issuer) -> None:
    sent = token()
    assert issuer.subject(sent) == "alice"
    issuer.publish(public(OTHER))
    issuer.seconds += IDLE_SECONDS
    with pytest.raises(BadToken, match="signature"):
        issuer.subject(sent)


def test_nobody_comes_in_by_an_old_key_after_a_quiet_time(issuer: Issuer) -> None:
    """The first request after it waits for the keys."""
    sent = token()
    assert issuer.subject(sent) == "alice"
    issuer.publish(public(OTHER, "k2"))
    issuer.seconds += IDLE_SECONDS
    with pytest.raises(BadToken, match="key is not known"):
        issuer.subject(sent)


def test_an_issuer_that_takes_all_its_keys_back_is_not_away(issuer: Issuer) -> None:
    sent = token()
    assert issuer.subject(sent) == "alice"
    issuer.publish()
    issuer.seconds += IDLE_SECONDS
    with pytest.raises(BadToken, match="key is not known"):
        issuer.subject(sent)
    assert "no public key" in issuer.told[-1]


def test_while_an_issuer_is_away_its_last_keys_count(issuer: Issuer) -> None:
    assert issuer.subject(token()) == "alice"
    issuer.file.unlink()
    for _ in range(3):
        issuer.seconds += IDLE_SECONDS
        assert issuer.subject(token()) == "alice"
    assert len(issuer.told) == 1, "it is said once"


def test_unknown_keys_do_not_make_writ_fetch_again_and_again(issuer: Issuer) -> None:
    assert issuer.subject(token()) == "alice"
    issuer.publish(public(SIGNER), public(OTHER, "k2"))
    new = token(OTHER, headers={"kid": "k2"})
    for number in range(100):
        with pytest.raises(BadToken):
            issuer.subject(token(headers={"kid": f"x{number}"}))
    issuer.wait()
    with pytest.raises(BadToken):
        issuer.subject(new)
    issuer.seconds += UNKNOWN_KEY_SECONDS
    with pytest.raises(BadToken):
        issuer.subject(new)
    issuer.wait()
    assert issuer.subject(new) == "alice"


def test_a_key_for_another_use_verifies_nothing(issuer: Issuer) -> None:
    for key in (public(SIGNER, use="enc"), public(SIGNER) | {"d": "AA"}, {"kty": "oct", "k": "AA", "kid": "k1"}):
        issuer.publish(key)
        issuer.seconds += IDLE_SECONDS
        with pytest.raises(BadToken):
            issuer.subject(token())


def test_a_token_without_a_key_id_needs_a_set_of_one_key(issuer: Issuer) -> None:
    sent = jwt.encode(CLAIMS, SIGNER, "EdDSA")
    assert issuer.subject(sent) == "alice"
    issuer.publish(public(SIGNER), public(OTHER, "k2"))
    issuer.seconds += IDLE_SECONDS
    with pytest.raises(BadToken, match="key is not known"):
        issuer.subject(sent)


@pytest.fixture
def slow() -> Iterator[str]:
    """The URL of a key set that comes byte by byte."""

    class Drip(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            drip(self.connection)

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Drip) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/keys"
        server.shutdown()


def test_a_key_set_that_comes_too_slowly_ends(slow: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it would keep every later fetch away."""
    monkeypatch.setattr("writ.api.identity.issuers.key_sets.FETCH_SECONDS", 0.5)
    told: list[str] = []
    keys = KeySets(told.append).of(slow)
    with pytest.raises(KeysAreComing):
        keys.key("k1")
    assert wait_until(lambda: told)
    assert "too slowly" in told[0]
