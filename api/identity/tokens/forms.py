"""Reads the forms of OAuth clients, with the client's id and secret (RFC 6749, 2.3.1, 3.2)."""

import base64
import binascii
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, unquote_plus

import falcon.asgi

from ...http.bodies import FORM

MOST_BYTES: Final = 16 * 1024
"""The longest body: twice the longest token. A form escapes no character of a token."""

_MOST_FIELDS: Final = 32


class OAuthRejected(Exception):
    """A request of a client is refused with an error code of RFC 6749, 5.2."""

    def __init__(self, code: str, client: str | None = None, ended: bool = False, why: str = "") -> None:
        """`client` is the id of the client that the request named, or None if there is no such client.

        `ended` tells that the secret was right once, before it or its client ended, so the request is no guess. `why`
        tells developers more, in ASCII, and quotes nothing of the request.
        """
        super().__init__(code)
        self.code, self.client, self.ended, self.why = code, client, ended, why


@dataclass(frozen=True, slots=True)
class ClientForm:
    """The fields of a form that have a value, and the id and secret of the client that sent it."""

    fields: dict[str, str]
    client_id: str
    client_secret: str


async def read_form(req: falcon.asgi.Request, *required: str) -> ClientForm:
    """Returns the form in the body of a client's request, which must have the `required` fields.

    Raises:
        OAuthRejected: the body is no form, lacks a field, repeats a field, or does not name the client exactly once.
    """
    fields = await _fields(req)
    missing = [name for name in required if name not in fields]
    if missing:
        raise _invalid(f"the field {missing[0]} is missing")
    header = req.get_header("Authorization") or ""
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        if "client_id" not in fields or "client_secret" not in fields:
            raise _invalid("client_id and client_secret are missing, in the form or as HTTP Basic")
        return ClientForm(fields, fields["client_id"], fields["client_secret"])
    id, secret = _basic(encoded)
    if "client_secret" in fields or fields.get("client_id", id) != id:
        raise _invalid("the client says who it is in the form and by HTTP Basic; send one of them")
    return ClientForm(fields, id, secret)


async def _fields(req: falcon.asgi.Request) -> dict[str, str]:
    """Returns the fields that have a value, unknown ones too (3.2). Raises OAuthRejected."""
    if (req.content_type or "").partition(";")[0].strip().lower() != FORM:
        raise _invalid(f"the Content-Type must be {FORM}")
    body = b"" if (req.content_length or 0) > MOST_BYTES else await req.stream.read(MOST_BYTES + 1)
    if (req.content_length or len(body)) > MOST_BYTES:
        raise _invalid(f"the body has more than {MOST_BYTES} bytes")
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError:  # UnicodeDecodeError is one
        raise _invalid(f"the body is no form in UTF-8 of up to {_MOST_FIELDS} fields") from None
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise _invalid("the form has a field twice")
    return {name: value for name, value in fields.items() if value}


def _basic(encoded: str) -> tuple[str, str]:
    """Returns the id and the secret of HTTP Basic, which are form-encoded. Raises OAuthRejected."""
    try:
        text = base64.b64decode(encoded.strip(" "), validate=True).decode()
        id, colon, secret = text.partition(":")
        if not colon:
            raise ValueError
        return unquote_plus(id, errors="strict"), unquote_plus(secret, errors="strict")
    except (binascii.Error, ValueError):
        raise OAuthRejected("invalid_client", why="the credentials of HTTP Basic can't be read") from None


def _invalid(why: str) -> OAuthRejected:
    return OAuthRejected("invalid_request", why=why)
