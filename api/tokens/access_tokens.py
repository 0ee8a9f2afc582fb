"""Access tokens: JWTs as RFC 9068 has them, signed for a client, and verified strictly (RFC 8725)."""

import secrets
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import jwt
import msgspec
from jwt.types import Options
from msgspec import Struct

from api.auth import Credential, Scope
from api.known_credentials import MOST_REMEMBERED, highest
from api.store.credential_rows import Bounds, Client
from api.store.credentials import Credentials
from api.tokens.key_ring import KeyRing, Keys

TYPE: Final = "at+jwt"
"""The `typ` of its header; another one, a bundle's signature above all, is no access token."""

LONGEST: Final = 8 * 1024
"""Characters."""

SKEW_SECONDS: Final = 30
"""How far the clock that issued a token may be ahead of this one."""

ROUNDING_SECONDS: Final = 1
"""What a token lives beyond its `exp`: times in it are whole seconds, and it is to live as long as it was promised."""

_OPTIONS: Final[Options] = {
    "require": ["iss", "aud", "sub", "client_id", "scope", "iat", "exp", "jti"],
    "verify_exp": False,  # by the clock that is given, below
    "verify_iat": False,
    "verify_nbf": False,
}


class Payload(Struct, frozen=True):
    """The claims of a token. `environments` are the UUIDs of those that it is bound to, absent where to none."""

    sub: str
    client_id: str
    scope: str
    iat: int
    exp: int
    jti: str
    environments: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Token:
    """What a genuine token says; `expires` is in epoch seconds."""

    id: str
    client: str
    scope: Scope
    bounds: Bounds
    expires: int


class AccessTokens:
    """Issues tokens, and is the kind of credential that they are (see `known_credentials.Kind`)."""

    def __init__(self, ring: KeyRing, store: Credentials, issuer: str, clock: Callable[[], float]) -> None:
        """`issuer` is the service's public URL, its tokens' audience as well; `clock` gives epoch seconds."""
        self._ring, self._store, self._issuer, self._clock = ring, store, issuer, clock
        self._keys: Keys | None = None
        self._genuine: OrderedDict[bytes, Token] = OrderedDict()

    def issue(self, client: Client, scopes: Sequence[str]) -> str:
        """A token for a client, with these of its scopes. Raises UnusableSigningKey."""
        key, private = self._ring.keys().signer()
        now = int(self._clock())
        claims: dict[str, object] = {
            "iss": self._issuer,
            "aud": self._issuer,
            "sub": client.id,
            "client_id": client.id,
            "scope": " ".join(scopes),
            "iat": now,
            "exp": now + client.token_lifetime,
            "jti": secrets.token_hex(16),
        }
        if client.bounds is not None:
            claims["environments"] = sorted(client.bounds)
        return jwt.encode(claims, private, key.algorithm, headers={"typ": TYPE, "kid": key.id})

    def read(self, token: str) -> Token | None:
        """What a token says; None where it is not genuine, or has expired."""
        try:
            header = jwt.get_unverified_header(token)
            key = self._ring.keys().verifying.get(header.get("kid", ""))
            if key is None or header.get("typ") != TYPE or len(token) > LONGEST:
                return None
            claims = jwt.decode(
                token,
                key.public,
                algorithms=[key.algorithm],
                audience=self._issuer,
                issuer=self._issuer,
                options=_OPTIONS,
            )
            payload = msgspec.convert(claims, Payload)
        except (jwt.PyJWTError, msgspec.ValidationError, ValueError, RecursionError):
            return None
        now = self._clock()
        expires = payload.exp + ROUNDING_SECONDS
        if payload.iat > now + SKEW_SECONDS or expires <= now or payload.sub != payload.client_id:
            return None
        bounds = None if payload.environments is None else frozenset(payload.environments)
        return Token(payload.jti, payload.client_id, highest(payload.scope.split()), bounds, expires)

    def recognises(self, token: bytes) -> bool:
        """See `Kind`."""
        return token.startswith(b"ey") and token.count(b".") == 2 and len(token) <= LONGEST

    def credential(self, token: bytes, digest: bytes) -> Credential | None:
        """See `Kind`: what the token says, cut down to what its client may now."""
        found = self._known_genuine(token, digest)
        client = None if found is None else self._store.known_client(found.client)
        if found is None or client is None or client.revoked is not None or self._store.is_revoked(found.id):
            return None
        scope = min(found.scope, highest(client.scopes))
        return Credential(scope, f"client:{client.id}", _both(found.bounds, client.bounds), found.expires)

    def _known_genuine(self, token: bytes, digest: bytes) -> Token | None:
        """PERF: whether a signature is right does not change with clients, only with keys."""
        keys = self._ring.keys()
        if keys is not self._keys:
            self._genuine.clear()
            self._keys = keys
        found = self._genuine.get(digest)
        if found is None:
            found = self.read(token.decode("latin-1"))
            if found is not None:
                if len(self._genuine) >= MOST_REMEMBERED:
                    self._genuine.popitem(last=False)
                self._genuine[digest] = found
        return found


def _both(one: Bounds, other: Bounds) -> Bounds:
    if one is None or other is None:
        return other if one is None else one
    return one & other
