"""Tokens: whatever is accepted was signed by the right key, and its header and claims are what the caller must have.

The first byte chooses whose token it is: Writ's own, one of a gateway's user, or one of OpenID. The second byte chooses
whether the rest is a token, or a header and the claims, in two lines, which are signed with the right key.
"""

import asyncio
import json
import logging
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from writ.api.identity.issuers.key_sets import KeysAreComing, KeySets
from writ.api.identity.issuers.user_tokens import LEEWAY_SECONDS, BadToken, UserTokens
from writ.api.identity.keys.ring import KeyRing
from writ.api.identity.keys.signing_keys import read_key
from writ.api.identity.keys.sources import SuppliedKeys
from writ.api.identity.sign_in.id_tokens import ALGORITHMS, check_id_token, person_of
from writ.api.identity.tokens.access_tokens import AccessTokens
from writ.api.identity.tokens.token_claims import ROUNDING_SECONDS, SKEW_SECONDS, TYPE
from writ.bundles.routing.settings import JwtSubject

from tests.deep.fuzz.targets import Law
from tests.support.hostile import damaged
from tests.support.strategies_pick import Pick

OWN, USER, PERSON = range(3)
WRIT, ISSUER, CLIENT, NONCE = "https://writ.example", "https://idp.example", "shop", "a nonce"
NOW: Final = 1_800_000_000
_KEY: Final = Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)
_PEM: Final = _KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
_KEY_ID: Final = read_key(_PEM, "the key of the test").id
_CLAIMS: Final[tuple[dict[str, Any], ...]] = (
    {"iss": WRIT, "aud": WRIT, "sub": "c", "client_id": "c", "scope": "read", "iat": NOW, "exp": NOW + 60, "jti": "1"},
    {"iss": ISSUER, "aud": CLIENT, "sub": "alice", "iat": NOW, "nbf": NOW, "exp": NOW + 60},
    {"iss": ISSUER, "aud": CLIENT, "sub": "alice", "iat": NOW, "exp": NOW + 60, "nonce": NONCE, "azp": CLIENT},
)
_HEADERS: Final[tuple[dict[str, Any], ...]] = (
    {"typ": TYPE, "alg": "EdDSA", "kid": _KEY_ID},
    *({"typ": "JWT", "alg": "EdDSA", "kid": "k"},) * 2,
)
_VALUES: Final = (
    *(
        "none",
        "NONE",
        "HS256",
        "RS256",
        "ES256",
        "EdDSA",
        "k",
        "../k",
        "",
        None,
        True,
        [],
        {},
        ["EdDSA"],
        ["exp"],
        [CLIENT],
    ),
    *(NOW, NOW + 61, NOW - 1, -1, 0, 2**31, 2**63, 2**64, 1e308, 0.5, float("nan"), float("inf"), str(NOW), 10**400),
    *(
        ISSUER,
        WRIT,
        CLIENT,
        f"{ISSUER}/",
        "read admin",
        "alice",
        "a" * 9_000,
        "https://a.example/jwks",
        {"kty": "oct", "k": ""},
    ),
)
_NAMES: Final = ("alg", "kid", "typ", "crit", "b64", "jwk", "jku", "x5c", "x5u", "zip", "cty", "enc", "p2c")
_CLAIM_NAMES: Final = (
    "iss",
    "aud",
    "sub",
    "exp",
    "nbf",
    "iat",
    "jti",
    "azp",
    "nonce",
    "scope",
    "client_id",
    "environments",
)


def starts() -> Iterator[bytes]:
    """A genuine token of each kind, in both ways, and some that confuse the algorithm or name their own key."""
    for kind in (OWN, USER, PERSON):
        yield bytes([kind, 1]) + _lines(_HEADERS[kind], _CLAIMS[kind])
        yield bytes([kind, 0]) + _signed(_lines(_HEADERS[kind], _CLAIMS[kind]))
        for header in (
            {"alg": "none"},
            {"alg": "HS256"},
            {"crit": ["exp"]},
            {"crit": ["b64"], "b64": False},
            {"kid": 7},
        ):
            yield bytes([kind, 1]) + _lines(_HEADERS[kind] | header, _CLAIMS[kind])
        yield bytes([kind, 1]) + _lines(_HEADERS[kind], _CLAIMS[kind])[:-1] + b', "exp": 9e99, "iss": "x"}'


def mutated(pick: Pick, data: bytes) -> bytes:
    """The header or the claims with another member, or with faults."""
    head, _, text = data[2:].partition(b"\n")
    kind = pick.number(0, 2)
    try:
        header, claims = json.loads(head), json.loads(text)
    except (ValueError, RecursionError):
        header, claims = _HEADERS[kind], _CLAIMS[kind]
    if not (isinstance(header, dict) and isinstance(claims, dict)):
        header, claims = _HEADERS[kind], _CLAIMS[kind]
    match pick.number(0, 3):
        case 0:
            header = header | {pick.one(_NAMES): pick.one(_VALUES)}
        case 1:
            claims = claims | {pick.one(_CLAIM_NAMES): pick.one(_VALUES)}
        case 2:
            header = damaged(pick, header, sendable=True)
        case _:
            claims = damaged(pick, claims, sendable=True)
    made = _lines(header, claims)
    return bytes([kind, 1]) + made if pick.chance(4, 5) else bytes([kind, 0]) + _signed(made)


def _lines(header: Any, claims: Any) -> bytes:
    return json.dumps(header).encode() + b"\n" + json.dumps(claims).encode()


def _signed(lines: bytes) -> bytes:
    """A token with these bytes as its header and its claims, and a right signature."""
    signed = b".".join(urlsafe_b64encode(part).rstrip(b"=") for part in (*lines.split(b"\n", 1), b"")[:2])
    return signed + b"." + urlsafe_b64encode(_KEY.sign(signed)).rstrip(b"=")


def law(folder: Path) -> Law:
    """See the module."""
    accepts = (_of_writ(), *_of_issuer(folder))

    def holds(data: bytes) -> None:
        kind, way = data[0] % 3 if data else 0, data[1] % 2 if len(data) > 1 else 0
        token = _signed(data[2:]) if way else data[2:]
        text = token.decode("latin-1")
        if accepts[kind](text):
            _check(kind, text)

    return holds


def _of_writ() -> Callable[[str], bool]:
    tokens = AccessTokens(
        KeyRing(SuppliedKeys(_PEM.decode()), logging.getLogger("tests")), None, WRIT, lambda: NOW
    )  # no store: none is looked up
    return lambda text: tokens.recognises(text.encode("latin-1")) and tokens.read(text) is not None


def _of_issuer(folder: Path) -> tuple[Callable[[str], bool], Callable[[str], bool]]:
    public = json.loads(jwt.algorithms.OKPAlgorithm.to_jwk(_KEY.public_key())) | {"kid": "k"}
    (folder / "jwks.json").write_text(json.dumps({"keys": [public]}))
    sets = KeySets(lambda _: None, lambda: 1_000.0)
    users = UserTokens(sets, lambda: WRIT, lambda: NOW)
    wanted = JwtSubject(ISSUER, CLIENT, ALGORITHMS, jwks_file=str(folder / "jwks.json"))
    try:
        users.claims(_signed(_lines(_HEADERS[USER], _CLAIMS[USER])).decode(), wanted)
    except KeysAreComing:
        asyncio.run(sets.of(str(folder / "jwks.json")).loaded())

    def accepts(text: str, *, person: bool = False) -> bool:
        try:
            claims = users.claims(text, wanted)
            if person:
                check_id_token(claims, CLIENT, NONCE, NOW)
                person_of(claims)
        except BadToken:
            return False
        return True

    return accepts, lambda text: accepts(text, person=True)


def _check(kind: int, token: str) -> None:
    """What was accepted says what it must; read by other means than those that accepted it."""
    head, body, signature = token.split(".")
    _KEY.public_key().verify(_plain(signature), f"{head}.{body}".encode("latin-1"))
    header, claims = json.loads(_plain(head)), json.loads(_plain(body))
    assert header["alg"] == "EdDSA", "another algorithm"
    assert header.get("kid", "" if kind == OWN else "k") == _HEADERS[kind]["kid"], "another key"
    assert header.get("crit", ["b64"]) == ["b64"], "a critical extension was not understood (RFC 7515, 4.1.11)"
    assert kind != OWN or header["typ"] == TYPE
    audience = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    assert claims["iss"] == _CLAIMS[kind]["iss"]
    assert _CLAIMS[kind]["aud"] in audience
    late, early = (ROUNDING_SECONDS, SKEW_SECONDS) if kind == OWN else (LEEWAY_SECONDS, LEEWAY_SECONDS)
    assert claims["exp"] + late > NOW
    assert max(claims.get("nbf", 0), claims.get("iat", 0)) <= NOW + early
    if kind == PERSON:
        assert (audience, claims["nonce"], claims.get("azp", CLIENT)) == ([CLIENT], NONCE, CLIENT)


def _plain(part: str) -> bytes:
    return urlsafe_b64decode(part + "=" * (-len(part) % 4))
