"""The claims of a token, and the check that Writ could have issued them (RFC 9068, RFC 8725)."""

from base64 import urlsafe_b64decode
from dataclasses import dataclass
from typing import Annotated, Final

import msgspec
from jwt.types import Options
from msgspec import Meta, Struct

from ....bundles.prepared import prepared
from ...store.environment_ids import Bounds
from ..credential import Scope, highest
from ..credential_shapes import LONGEST_LIFETIME, SCOPES

TYPE: Final = "at+jwt"
"""The `typ` of a token's header. A JWS with another type, such as a bundle's signature, is no access token."""

LONGEST_TOKEN: Final = 8 * 1024
"""The longest token in characters."""

SIGNED_CLAIMS: Final[Options] = {
    "require": ["iss", "aud", "sub", "client_id", "scope", "iat", "exp", "jti"],
    "verify_exp": False,  # `claims_of` does, with the given clock
    "verify_iat": False,
    "verify_nbf": False,
}
"""Options for PyJWT: which claims a token has. `claims_of` checks the times, with the given clock."""

LONGEST_HEADER: Final = 512
"""The longest first part of a token, its header, in characters."""

SKEW_SECONDS: Final = 30
"""The seconds by which the clock that issued a token may be ahead of this one."""

ROUNDING_SECONDS: Final = 1
"""Time for which a token is valid after its `exp`, since its times are rounded down to whole seconds."""

_Id = Annotated[str, Meta(pattern=r"\A[!-~]{1,128}\Z")]


class Header(Struct, frozen=True):
    """The header of a token."""

    typ: str
    alg: str
    kid: str


@prepared
class Payload(Struct, frozen=True):
    """The claims as they stand in a token. `environments` are UUIDs, absent if the token is bound to none."""

    sub: _Id
    client_id: _Id
    scope: str
    iat: int
    exp: int
    jti: _Id
    nbf: int = 0
    environments: tuple[_Id, ...] | None = None


@dataclass(frozen=True, slots=True)
class TokenClaims:
    """The claims of a genuine token. It is valid from `since` until `expires`, in epoch seconds."""

    id: str
    client: str
    scope: Scope
    bounds: Bounds
    expires: int
    since: int


_HEADERS: Final = msgspec.json.Decoder(Header)


def header_of(token: str) -> Header | None:
    """Returns the header of a token, or None if the text begins with no such header.

    PERF: the rest of the token is not read, so that junk is refused cheaply.
    """
    end = token.find(".", 0, LONGEST_HEADER + 1)
    try:
        return _HEADERS.decode(urlsafe_b64decode(token[:end] + "=" * (-end % 4))) if end > 0 else None
    except (ValueError, msgspec.DecodeError, RecursionError):
        return None


def claims_of(claims: dict[str, object], now: float) -> TokenClaims | None:
    """Returns the claims of a token with a right signature at `now`, in epoch seconds, or None if they are refused.

    Another program may have signed the token with the same key. Such a token lives no longer than one of Writ's.
    """
    try:
        payload = msgspec.convert(claims, Payload)
    except msgspec.ValidationError:
        return None
    expires, scopes = payload.exp + ROUNDING_SECONDS, payload.scope.split(" ")
    since = max(payload.iat, payload.nbf) - SKEW_SECONDS
    if not since <= now < expires:
        return None
    if not 0 < payload.exp - payload.iat <= LONGEST_LIFETIME or payload.sub != payload.client_id:
        return None
    if not all(scope in SCOPES for scope in scopes):
        return None
    bounds = None if payload.environments is None else frozenset(payload.environments)
    return TokenClaims(payload.jti, payload.client_id, highest(scopes), bounds, expires, since)
