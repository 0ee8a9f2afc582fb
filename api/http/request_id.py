"""Echoes the client's `X-Request-ID` unchanged on every answer (authzen.md 79-81)."""

import re
from collections.abc import Iterable
from typing import Final

import falcon.asgi

HEADER: Final = "X-Request-ID"

# The field values of RFC 9110, 5.5. CR, LF and NUL are not allowed: they would start another header.
_FIELD_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_NAME = HEADER.lower().encode()


class RequestId:
    """Falcon middleware that echoes the header on every answer of the application, errors included."""

    async def process_response(
        self, req: falcon.asgi.Request, resp: falcon.asgi.Response, _resource: object, _succeeded: bool
    ) -> None:
        """Copies the header if the request has one with a legal value."""
        value = req.get_header(HEADER)
        if value is not None and _FIELD_VALUE.fullmatch(value):
            resp.set_header(HEADER, value)


def echo_line(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Returns the response's header line for a request with `headers` (lower-case names), or nothing if it sent none.

    The connection needs it for answers without the application. Values of a repeated header are joined by commas
    (RFC 9110, 5.3), as the application sees them.

    >>> echo_line([(b"host", b"h"), (b"x-request-id", b"7")])
    b'X-Request-ID: 7\\r\\n'
    """
    values = [value for name, value in headers if name == _NAME]
    joined = b",".join(values)
    if not values or not _FIELD_VALUE.fullmatch(joined.decode("latin-1")):
        return b""
    return HEADER.encode() + b": " + joined + b"\r\n"
