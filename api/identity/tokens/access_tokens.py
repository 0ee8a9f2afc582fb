"""Issues access tokens, JWTs of RFC 9068, for clients, and verifies them strictly (RFC 8725)."""

import secrets
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

import jwt
from jwt.types import Options

from ...store.actor import CLIENT_PREFIX
from ...store.credential_rows import Client
from ...store.credentials.credentials import Credentials
from ...store.environment_ids import Bounds
from ..credential import Credential, highest
from ..credential_shapes import MOST_ENVIRONMENTS
from ..keys.ring import KeyRing
from ..keys.signing_keys import Keys, UnusableSigningKey
from ..known_credentials import MOST_REMEMBERED
from .token_claims import LONGEST_TOKEN, SIGNED_CLAIMS, TYPE, TokenClaims, claims_of, header_of

_SIGNATURE_ALONE: Final[Options] = {**SIGNED_CLAIMS, "require": [], "verify_iss": False, "verify_aud": False}
"""Options for `AccessTokens.was_issued`: only the signature counts."""


_MOST_BOUNDS: Final = 1_024
"""Sets of environments that remembered tokens share."""


class TokenTooLong(UnusableSigningKey):
    """A token would be longer than `LONGEST_TOKEN`. The key can sign, but no token of it could be verified."""


class IssuedToken(NamedTuple):
    """A token and its id (`jti`)."""

    text: str
    id: str


class AccessTokens:
    """Issues tokens and verifies them. Tokens are a `CredentialKind`."""

    def __init__(self, ring: KeyRing, store: Credentials, issuer: str, clock: Callable[[], float]) -> None:
        """`issuer` is the service's public URL, and the audience of its tokens too; `clock` gives epoch seconds."""
        self._ring, self._store, self._issuer, self._clock = ring, store, issuer, clock
        self._keys: Keys | None = None
        self._verified: OrderedDict[bytes, TokenClaims] = OrderedDict()

    def issue(self, client: Client, scopes: Sequence[str], lifetime: int | None = None) -> IssuedToken:
        """Issues a token with some of a client's scopes, for the client's lifetime or a shorter one in seconds.

        Raises UnusableSigningKey, TokenTooLong.
        """
        key, private = self._ring.keys().signer()
        id, now = secrets.token_hex(16), int(self._clock())
        claims: dict[str, object] = {
            "iss": self._issuer,
            "aud": self._issuer,
            "sub": client.id,
            "client_id": client.id,
            "scope": " ".join(scopes),
            "iat": now,
            "exp": now + (client.token_lifetime if lifetime is None else lifetime),
            "jti": id,
        }
        if client.bounds is not None:
            claims["environments"] = sorted(client.bounds)
        token = jwt.encode(claims, private, key.algorithm, headers={"typ": TYPE, "kid": key.id})
        if len(token) > LONGEST_TOKEN:
            bound = 0 if client.bounds is None else len(client.bounds)
            raise TokenTooLong(
                f"one for the client {client.id}, which is bound to {bound} environments, has {len(token)} characters,"
                f" more than the {LONGEST_TOKEN} that are read; bind it to {MOST_ENVIRONMENTS} at most, and see that"
                " the public URL is short"
            )
        return IssuedToken(token, id)

    def read(self, token: str) -> TokenClaims | None:
        """Returns the claims of a token, or None if it is not genuine or has expired."""
        return self._read(token, self._ring.keys())

    def _read(self, token: str, keys: Keys) -> TokenClaims | None:
        claims = self._claims(token, keys, SIGNED_CLAIMS)
        return None if claims is None else claims_of(claims, self._clock())

    def _claims(self, token: str, keys: Keys, options: Options) -> dict[str, object] | None:
        """Returns the claims that one of the `keys` signed, or None if none did or `options` refuse them."""
        header = header_of(token)
        if header is None or header.typ != TYPE or len(token) > LONGEST_TOKEN:
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
        """See `CredentialKind`."""
        return self._ring.keys()

    def recognises(self, token: bytes) -> bool:
        """See `CredentialKind`."""
        return token.startswith(b"ey") and token.count(b".") == 2 and len(token) <= LONGEST_TOKEN

    def credential(self, token: bytes, digest: bytes) -> Credential | None:
        """See `CredentialKind`. The token grants what both its claims and its client allow now."""
        found = self._verified_claims(token, digest)
        client = None if found is None else self._store.known_client(found.client)
        if found is None or client is None or client.revoked is not None or self._store.is_revoked(found.id):
            return None
        scope = min(found.scope, highest(client.scopes))
        bounds = _interned(_intersection(found.bounds, client.bounds))
        return Credential(scope, f"{CLIENT_PREFIX}{client.id}", bounds, found.expires, found.id, found.since)

    def was_issued(self, token: bytes, _digest: bytes) -> bool:
        """See `CredentialKind`. A right signature is enough: the public URL may have changed since."""
        return self._claims(token.decode("latin-1"), self._ring.keys(), _SIGNATURE_ALONE) is not None

    def _verified_claims(self, token: bytes, digest: bytes) -> TokenClaims | None:
        """PERF: a signature is verified once. It stays right while the keys are the same, whatever clients do."""
        keys = self._ring.keys()
        if keys is not self._keys:
            self._verified.clear()
            self._keys = keys
        found = self._verified.get(digest)
        if found is None:
            found = self._read(token.decode("latin-1"), keys)
            if found is not None:
                if len(self._verified) >= MOST_REMEMBERED:
                    self._verified.popitem(last=False)
                self._verified[digest] = found = replace(found, bounds=_interned(found.bounds))
        return found


@lru_cache(_MOST_BOUNDS)
def _interned(bounds: Bounds) -> Bounds:
    """Returns one object for equal sets: a hundred environments take more memory than the rest of a token."""
    return bounds


def _intersection(one: Bounds, other: Bounds) -> Bounds:
    if one is None or other is None:
        return other if one is None else one
    return one & other
