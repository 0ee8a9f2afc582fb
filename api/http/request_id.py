"""The id of a request: the client's `X-Request-ID` unchanged (authzen.md 79-81), or else one that Writ makes.

A made id is never among the header fields, so that no route takes it for one that the client sent.
"""

import random
import re
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any, Final, Protocol

import falcon.asgi

HEADER: Final = "X-Request-ID"
FIELD: Final = b"x-request-id"
"""The name of the header, as it is written and in lower case."""

_KEPT: Final = "writ.request_id"
"""The member of an ASGI scope with the id of its request."""

# The field values of RFC 9110, 5.5. CR, LF and NUL are not allowed: they would start another header.
_FIELD_VALUE = re.compile(rb"[\t\x20-\x7e\x80-\xff]+")
_ID_BITS: Final = 128


class RequestId:
    """Falcon middleware that puts the header on every answer of the application, errors included."""

    async def process_response(
        self, req: falcon.asgi.Request, resp: falcon.asgi.Response, _resource: object, _succeeded: bool
    ) -> None:
        """Sets the header."""
        resp.set_header(HEADER, id_of(req).decode("latin-1"))


class HasHeaders(Protocol):
    """A request of the web framework."""

    @property
    def scope(self) -> dict[str, Any]: ...

    def get_header(self, name: str) -> str | None: ...


def id_of(req: HasHeaders) -> bytes:
    """Returns the id of a request, always the same one."""
    found: bytes | None = req.scope.get(_KEPT)
    if found is None:
        sent = req.get_header(HEADER)
        found = req.scope[_KEPT] = id_among(() if sent is None else [(FIELD, sent.encode("latin-1", "replace"))])
    return found


def id_in(scope: MutableMapping[str, Any]) -> bytes:
    """Returns the id of the request of an ASGI scope, always the same one."""
    found: bytes | None = scope.get(_KEPT)
    if found is None:
        found = scope[_KEPT] = id_among(scope.get("headers", ()))
    return found


def fields_with_id(scope: Mapping[str, Any]) -> Iterable[tuple[bytes, bytes]]:
    """Returns the header fields of the request of a scope. The last one has its id, if the connection told it."""
    headers, id = scope.get("headers", ()), scope.get(_KEPT)
    return headers if id is None else [*headers, (FIELD, id)]


def scope_member(id: bytes) -> Mapping[str, bytes]:
    """Returns the member of an ASGI scope that `id_in` reads."""
    return {_KEPT: id}


def id_among(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Returns the id of a request with `headers` (lower-case names): what the client sent, or a made one.

    Values of a repeated header are joined by commas (RFC 9110, 5.3).

    >>> id_among([(b"host", b"h"), (b"x-request-id", b"7"), (b"x-request-id", b"8")])
    b'7,8'
    """
    sent = b",".join([value for name, value in headers if name == FIELD])
    return sent if _FIELD_VALUE.fullmatch(sent) else made_id()


def made_id() -> bytes:
    """Returns a new id. PERF: it only has to differ from others. A forked process draws from its own seed."""
    return b"%032x" % random.getrandbits(_ID_BITS)


def id_line(id: bytes) -> bytes:
    """Returns the header line of an answer.

    >>> id_line(b"7")
    b'x-request-id: 7\\r\\n'
    """
    return b"x-request-id: %s\r\n" % id
