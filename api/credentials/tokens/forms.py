"""Requests of OAuth clients: forms, and how a client says who it is (RFC 6749, 2.3.1, 3.2)."""

import base64
import binascii
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, unquote_plus

import falcon.asgi

from ...http.bodies import FORM

MOST_BYTES: Final = 16 * 1024
"""Room for the longest token twice: a form escapes no character that a token has, and nothing else in it is long."""

_MOST_FIELDS: Final = 32


class Refused(Exception):
    """A request that is refused, by the error code of RFC 6749, 5.2."""

    def __init__(self, code: str, client: str | None = None, spent: bool = False, why: str = "") -> None:
        """`client` is the id of the one that it was asked as, where there is such a client.

        `spent` where the secret is that of a client which was revoked, and so no guess. `why` is for developers, ASCII
        without anything of the request.
        """
        super().__init__(code)
        self.code, self.client, self.spent, self.why = code, client, spent, why


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of a form that have a value, and who sent it: a client's id and secret."""

    fields: dict[str, str]
    client_id: str
    client_secret: str


async def form_of(req: falcon.asgi.Request, *required: str) -> Form:
    """The form in the body of a client's request, with the fields that are required.

    Raises:
        Refused: it is no form, lacks a field, has one twice, or has no single way to say who the client is.
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
        return Form(fields, fields["client_id"], fields["client_secret"])
    id, secret = _basic(encoded)
    if "client_secret" in fields or fields.get("client_id", id) != id:
        raise _invalid("the client says who it is in the form and by HTTP Basic; send one of them")
    return Form(fields, id, secret)


async def _fields(req: falcon.asgi.Request) -> dict[str, str]:
    """Raises Refused. A field without a value counts as left out, one that is not known means nothing (3.2)."""
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
    """The id and the secret of HTTP Basic, each form-encoded. Raises Refused."""
    try:
        text = base64.b64decode(encoded.strip(" "), validate=True).decode()
        id, colon, secret = text.partition(":")
        if not colon:
            raise ValueError
        return unquote_plus(id, errors="strict"), unquote_plus(secret, errors="strict")
    except (binascii.Error, ValueError):
        raise Refused("invalid_client", why="the credentials of HTTP Basic can't be read") from None


def _invalid(why: str) -> Refused:
    return Refused("invalid_request", why=why)
