"""Reads the subject of a gateway's request, from a header of a trusted gateway or from the user's token."""

import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from ....bundles.routing.settings import GatewaySettings, JwtSubject
from ...identity.issuers.user_tokens import BadToken, UserTokens
from .headers import GatewayRefused, Headers

Subject = dict[str, Any]

USER_CREDENTIAL: Final = "Authorization"
"""The header with the user's own credential."""

_NOT_SENT: Final = "the user's token is missing"
_NOT_NAMED: Final = "no user is signed in"

_OTHER_SCHEME: Final = re.compile(r"(?!bearer)[!#$%&'*+.^_`|~0-9a-z-]+( .*)?", re.IGNORECASE)
"""A credential of another scheme than `Bearer` (RFC 9110, 11.4). It is none of a user (E11)."""


class NoSubject(Exception):
    """The request has no usable subject: 401. The message is one sentence."""


class Asking(Struct, frozen=True, gc=False):
    """The subject of a request, and what its token says of the context.

    `missing` says why there is no other subject than the anonymous one, which only a marked route may ask for (E11). It
    is empty if the request names its subject.
    """

    subject: Subject
    context: Mapping[str, Any]
    missing: str = ""


def asking(headers: Headers, settings: GatewaySettings, trusted: bool, tokens: UserTokens) -> Asking:
    """Returns who asks. `trusted` says whether the peer may name a subject in a header.

    Raises NoSubject, KeysAreComing, and Refused for a header that can't be read or comes from another peer.
    """
    if settings.anonymous is not None and not brings_credential(headers, settings):
        subject = {"type": settings.anonymous.type, "id": settings.anonymous.id}
        return Asking(subject, {}, _NOT_SENT if settings.subject.header is None else _NOT_NAMED)
    if settings.subject.jwt is not None:
        return _from_token(headers, settings.subject.jwt, tokens)
    name = settings.subject.header
    assert name is not None
    text = headers.one(name)
    if text is None:
        raise NoSubject(_NOT_NAMED)
    if not trusted:
        raise GatewayRefused(f"`{name}` is believed from trusted proxies only; see `trusted_proxies`")
    type, colon, id = text.partition(":")
    if not (type and colon and id):
        raise NoSubject(f"`{name}` is a type and an id, like `user:alice`")
    return Asking({"type": type, "id": id}, {})


def brings_credential(headers: Headers, settings: GatewaySettings) -> bool:
    """Returns whether a request brings a user's credential, if need be an empty or broken one. Raises Refused.

    That is the header of the subject, or a bearer token. A bearer token counts also where a header names the subject:
    its sender means to be someone, whom the gateway did not name.
    """
    name = settings.subject.header
    if name is not None and (headers.one(name) is not None or headers.has(name)):
        return True
    text = headers.one(USER_CREDENTIAL)
    return headers.has(USER_CREDENTIAL) and _OTHER_SCHEME.fullmatch(text or "") is None


def _from_token(headers: Headers, settings: JwtSubject, tokens: UserTokens) -> Asking:
    header = headers.one(USER_CREDENTIAL)
    scheme, _, token = (header or "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise NoSubject(_NOT_SENT)
    try:
        claims = tokens.claims(token.strip(), settings)
    except BadToken as ex:
        raise NoSubject(f"the user's token is not accepted: {ex}") from None
    id = claims.get(settings.id_claim)
    if not isinstance(id, str) or not id:
        raise NoSubject(f"the user's token has no text in `{settings.id_claim}`")
    subject = {"type": settings.type, "id": id, "properties": _named(claims, settings.attribute_claims)}
    return Asking(subject, _named(claims, settings.context_claims))


def _named(claims: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {key: claims[claim] for key, claim in names.items() if claim in claims}
