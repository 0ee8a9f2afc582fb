"""What a token says, and what of that is believed: no more than Writ itself says in one (RFC 9068, RFC 8725)."""

from base64 import urlsafe_b64decode
from dataclasses import dataclass
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from ...store.credential_rows import Bounds
from ..credential import Scope
from ..credential_shapes import LONGEST_LIFETIME, SCOPES
from ..known_credentials import highest

LONGEST_HEADER: Final = 512
"""Characters of the first of the three parts."""

SKEW_SECONDS: Final = 30
"""How far the clock that issued a token may be ahead of this one."""

ROUNDING_SECONDS: Final = 1
"""What a token lives beyond its `exp`: times in it are whole seconds, and it is to live as long as it was promised."""

_Id = Annotated[str, Meta(pattern=r"\A[!-~]{1,128}\Z")]


class Header(Struct, frozen=True):
    """What the header of every token has."""

    typ: str
    alg: str
    kid: str


class Payload(Struct, frozen=True):
    """The claims of a token. `environments` are the UUIDs of those that it is bound to, absent where to none."""

    sub: _Id
    client_id: _Id
    scope: str
    iat: int
    exp: int
    jti: _Id
    nbf: int = 0
    environments: tuple[_Id, ...] | None = None


@dataclass(frozen=True, slots=True)
class Token:
    """What a genuine token says; `expires` is in epoch seconds."""

    id: str
    client: str
    scope: Scope
    bounds: Bounds
    expires: int


_HEADERS: Final = msgspec.json.Decoder(Header)


def header_of(token: str) -> Header | None:
    """The header of a token, None where it is none of ours.

    PERF: nothing behind it is looked at, so that junk is refused for little.
    """
    end = token.find(".", 0, LONGEST_HEADER + 1)
    try:
        return _HEADERS.decode(urlsafe_b64decode(token[:end] + "=" * (-end % 4))) if end > 0 else None
    except (ValueError, msgspec.DecodeError, RecursionError):
        return None


def token_of(claims: dict[str, object], now: float) -> Token | None:
    """What the claims of a token with a good signature say at `now`, in epoch seconds; None where it is not believed.

    Another program may have signed it, by the same key: then it lives no longer than ours do, whatever it promises.
    """
    try:
        said = msgspec.convert(claims, Payload)
    except msgspec.ValidationError:
        return None
    expires, scopes = said.exp + ROUNDING_SECONDS, said.scope.split(" ")
    if expires <= now or max(said.iat, said.nbf) > now + SKEW_SECONDS:
        return None
    if not 0 < said.exp - said.iat <= LONGEST_LIFETIME or said.sub != said.client_id:
        return None
    if not all(scope in SCOPES for scope in scopes):
        return None
    bounds = None if said.environments is None else frozenset(said.environments)
    return Token(said.jti, said.client_id, highest(scopes), bounds, expires)
