"""Access tokens: JWTs as RFC 9068 has them, signed for a client, and verified strictly (RFC 8725)."""

import secrets
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

import jwt
from jwt.types import Options

from ...store.credential_rows import Bounds, Client
from ...store.credentials.credentials import Credentials
from ..credential import Credential
from ..credential_shapes import MOST_ENVIRONMENTS
from ..keys.ring import KeyRing
from ..keys.signing_keys import Keys, UnusableSigningKey
from ..known_credentials import MOST_REMEMBERED, highest
from .token_claims import Token, header_of, token_of

TYPE: Final = "at+jwt"
"""The `typ` of its header; another one, a bundle's signature above all, is no access token."""

LONGEST: Final = 8 * 1024
"""Characters."""

_OPTIONS: Final[Options] = {
    "require": ["iss", "aud", "sub", "client_id", "scope", "iat", "exp", "jti"],
    "verify_exp": False,  # by the clock that is given, below
    "verify_iat": False,
    "verify_nbf": False,
}

_SIGNATURE_ALONE: Final[Options] = {**_OPTIONS, "require": [], "verify_iss": False, "verify_aud": False}
"""For `AccessTokens.spent` alone."""


_MOST_BOUNDS: Final = 1_024
"""Sets of environments that remembered tokens share; what is bound to rarer ones has its own."""


class TokenTooLong(UnusableSigningKey):
    """A token would be longer than what is read of one. The key is sound, but no more use than a bad one."""


class Issued(NamedTuple):
    """A token, and the id that it says it has."""

    text: str
    id: str


class AccessTokens:
    """Issues tokens, and is the kind of credential that they are (see `known_credentials.Kind`)."""

    def __init__(self, ring: KeyRing, store: Credentials, issuer: str, clock: Callable[[], float]) -> None:
        """`issuer` is the service's public URL, its tokens' audience as well; `clock` gives epoch seconds."""
        self._ring, self._store, self._issuer, self._clock = ring, store, issuer, clock
        self._keys: Keys | None = None
        self._genuine: OrderedDict[bytes, Token] = OrderedDict()

    def issue(self, client: Client, scopes: Sequence[str]) -> Issued:
        """A token for a client, with these of its scopes. Raises UnusableSigningKey, TokenTooLong."""
        key, private = self._ring.keys().signer()
        id, now = secrets.token_hex(16), int(self._clock())
        claims: dict[str, object] = {
            "iss": self._issuer,
            "aud": self._issuer,
            "sub": client.id,
            "client_id": client.id,
            "scope": " ".join(scopes),
            "iat": now,
            "exp": now + client.token_lifetime,
            "jti": id,
        }
        if client.bounds is not None:
            claims["environments"] = sorted(client.bounds)
        token = jwt.encode(claims, private, key.algorithm, headers={"typ": TYPE, "kid": key.id})
        if len(token) > LONGEST:
            bound = 0 if client.bounds is None else len(client.bounds)
            raise TokenTooLong(
                f"one for the client {client.id}, which is bound to {bound} environments, has {len(token)} characters,"
                f" more than the {LONGEST} that are read; bind it to {MOST_ENVIRONMENTS} at most, and see that"
                " the public URL is short"
            )
        return Issued(token, id)

    def read(self, token: str) -> Token | None:
        """What a token says; None where it is not genuine, or has expired."""
        return self._read(token, self._ring.keys())

    def _read(self, token: str, keys: Keys) -> Token | None:
        claims = self._claims(token, keys, _OPTIONS)
        return None if claims is None else token_of(claims, self._clock())

    def _claims(self, token: str, keys: Keys, options: Options) -> dict[str, object] | None:
        """What one of our keys has signed; None where none has, or it lacks what `options` ask for."""
        header = header_of(token)
        if header is None or header.typ != TYPE or len(token) > LONGEST:
            return None
        key = keys.verifying.get(header.kid)
        if key is None or header.alg != key.algorithm:
            return None
        try:
            return jwt.decode(
                token,
                key.public,
                algorithms=[key.algorithm],
                audience=self._issuer,
                issuer=self._issuer,
                options=options,
            )
        except (jwt.PyJWTError, ValueError, RecursionError):
            return None

    def basis(self) -> object:
        """See `Kind`."""
        return self._ring.keys()

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
        bounds = _one_of_equals(_both(found.bounds, client.bounds))
        return Credential(scope, f"client:{client.id}", bounds, found.expires, found.id)

    def spent(self, token: bytes, _digest: bytes) -> bool:
        """See `Kind`: its signature is right, whatever it says; it may be from before the public URL was another."""
        return self._claims(token.decode("latin-1"), self._ring.keys(), _SIGNATURE_ALONE) is not None

    def _known_genuine(self, token: bytes, digest: bytes) -> Token | None:
        """PERF: whether a signature is right does not change with clients, only with keys."""
        keys = self._ring.keys()
        if keys is not self._keys:
            self._genuine.clear()
            self._keys = keys
        found = self._genuine.get(digest)
        if found is None:
            found = self._read(token.decode("latin-1"), keys)
            if found is not None:
                if len(self._genuine) >= MOST_REMEMBERED:
                    self._genuine.popitem(last=False)
                self._genuine[digest] = found = replace(found, bounds=_one_of_equals(found.bounds))
        return found


@lru_cache(_MOST_BOUNDS)
def _one_of_equals(bounds: Bounds) -> Bounds:
    """Many tokens of a client are remembered, and a hundred environments take more room than all the rest of one."""
    return bounds


def _both(one: Bounds, other: Bounds) -> Bounds:
    if one is None or other is None:
        return other if one is None else one
    return one & other
