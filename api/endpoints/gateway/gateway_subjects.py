"""Reads the subject of a gateway's request, from a header of a trusted gateway or from the user's token."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ....bundles.routing.settings import GatewaySettings, JwtSubject
from ...identity.issuers.user_tokens import BadToken, UserTokens
from .headers import GatewayRefused, Headers

Subject = dict[str, Any]


class NoSubject(Exception):
    """The request has no usable subject: 401. The message is one sentence."""


class Asking(Struct, frozen=True, gc=False):
    """The subject of a request, and what its token says of the context."""

    subject: Subject
    context: Mapping[str, Any]


def asking(headers: Headers, settings: GatewaySettings, trusted: bool, tokens: UserTokens) -> Asking:
    """Returns who asks. `trusted` says whether the peer may name a subject in a header.

    Raises NoSubject, KeysAreComing, and Refused for a header that can't be read or comes from another peer.
    """
    if settings.subject.jwt is not None:
        return _from_token(headers, settings.subject.jwt, tokens)
    name = settings.subject.header
    assert name is not None
    text = headers.one(name)
    if text is None:
        raise NoSubject("no user is signed in")
    if not trusted:
        raise GatewayRefused(f"`{name}` is believed from trusted proxies only; see `trusted_proxies`")
    type, colon, id = text.partition(":")
    if not (type and colon and id):
        raise NoSubject(f"`{name}` is a type and an id, like `user:alice`")
    return Asking({"type": type, "id": id}, {})


def _from_token(headers: Headers, settings: JwtSubject, tokens: UserTokens) -> Asking:
    header = headers.one("Authorization")
    scheme, _, token = (header or "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise NoSubject("the user's token is missing")
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
