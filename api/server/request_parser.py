"""From the bytes of a connection to requests: httptools (llhttp, strict) and the bounds that it leaves to its user.

llhttp refuses bare LF, folded lines, control characters, a `Content-Length` that is no plain number or comes twice, and
both lengths at once. This module adds what it leaves open: which versions and transfer codings count, one `Host`, and
bounds on every part of a head, on chunk extensions and on trailers (RFC 9112).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, Protocol

import httptools

from ..http.field_values import field_value
from ..http.request_id import FIELD, id_among, made_id
from .refusal import RefusedRequest, malformed

MOST_REQUEST_LINE: Final = 32 * 1024
"""Bytes of a request's target: four ids of 512 characters (E1), 12 bytes a percent-encoded one, and a cursor fit."""

MOST_FIELDS: Final = 100
MOST_FIELD_BYTES: Final = 8_190
MOST_FIELDS_BYTES: Final = 64 * 1024
"""Header fields of a head, bytes of one of them, and of all together."""

MOST_CHUNK_OVERHEAD: Final = 4 * 1024
"""Bytes of a chunked body that are neither data nor sizes: extensions, leading zeros and trailers, all together."""

SIZE_LINE_BYTES: Final = 24
"""The bytes that a chunk may take beside its data before it counts as overhead: 16 digits and two line ends."""

LONGEST_BODY: Final = 2**63 - 1
"""Bytes that a `Content-Length` may announce."""

_REQUEST_LINE: Final = re.compile(rb"[A-Za-z]+ [!-~]+ HTTP/1\.[01]\r\n")
"""A request line that is whole and well-formed, whatever its method."""

MOST_METHOD: Final = 64
"""Bytes of a method."""

_USUAL: Final = (b"POST ", b"GET ", b"PUT ", b"PATCH ", b"DELETE ", b"HEAD ", b"OPTIONS ", b"TRACE ")
"""The starts of requests whose method every path may serve."""

_KNOWN: Final = re.compile(
    "ACL|BIND|CHECKOUT|COPY|LINK|LOCK|M-SEARCH|MERGE|MKACTIVITY|MKCALENDAR|MKCOL|MOVE|NOTIFY|PROPFIND|PROPPATCH|PURGE"
    "|QUERY|REBIND|REPORT|SEARCH|SOURCE|SUBSCRIBE|UNBIND|UNLINK|UNLOCK|UNSUBSCRIBE"
)
"""Other methods that llhttp knows. The application answers 405 to them, with the methods of the path."""

_METHOD: Final = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""A token of RFC 9110, 5.6.2."""

_STAND_IN: Final = b"GET "
"""The method that llhttp reads in place of one that it may not know."""

_CHUNKED_HEAD: Final = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
_SIZED_HEAD: Final = b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n"

_ONCE: Final = (b"host", b"content-length", b"transfer-encoding")


@dataclass(slots=True)
class Request:
    """The head of a request.

    `fields` has the last value of each field by its lower-case name; `headers` are all of them in order. `repeats`
    means that some field came twice. `keep_alive` is whether the client wants another request on the connection.
    `id` is what the answer and the logs have as the request's id. `admission` is for the decision lane.
    """

    method: str
    target: bytes
    version: str
    headers: list[tuple[bytes, bytes]]
    fields: dict[bytes, bytes]
    repeats: bool
    chunked: bool
    length: int
    keep_alive: bool
    id: bytes
    admission: Any = None

    @property
    def expects_continue(self) -> bool:
        """Returns whether the client waits for `100 Continue` before it sends the body (RFC 9110, 10.1.1)."""
        return self.version == "1.1" and self.fields.get(b"expect", b"").lower() == b"100-continue"


class RequestSink(Protocol):
    """Takes what a parser reads, one message after the other."""

    def head(self, request: Request) -> None:
        """A head is complete."""

    def body(self, data: bytes) -> None:
        """A piece of the body of the last head came."""

    def end(self) -> None:
        """The body of the last head is complete."""


class RequestParser:
    """Reads the requests of one connection. `in_body` is whether a head is complete and its body is not.

    `takes_any` tells whether the requests to a target may have any method, also one that llhttp does not know.
    """

    def __init__(self, sink: RequestSink, takes_any: Callable[[bytes], bool]) -> None:
        self._sink, self._takes_any = sink, takes_any
        self._parser = httptools.HttpRequestParser(self)
        self._refusal: RefusedRequest | None = None
        self._last = False  # the client asked to close after the last message
        self._begin()

    def _begin(self) -> None:
        self.in_body = False
        self._started = False  # the method is known, or is llhttp's to read
        self._start = b""  # a method that is not complete
        self._method: str | None = None  # one that has a stand-in
        self._target = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._head_bytes = 0
        self._field_bytes = 0
        self._wire_bytes = 0  # of a chunked body
        self._data_bytes = 0
        self._chunks = 0
        self._chunked = False
        self._length = 0
        self._keep_alive = True
        self._upgrade = False  # this message asks for one, and its body has not begun
        self._again = False  # the parser reads a head that stands in for one that was read already

    @property
    def between_messages(self) -> bool:
        """Returns whether nothing of another message has come."""
        return not self._head_bytes and not self.in_body

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        """The header fields of the message that is being read, as far as they came."""
        return self._headers

    def feed(self, data: bytes) -> None:
        """Read `data`, and call the sink for what is complete. Raises RefusedRequest.

        Work is linear in the bytes, and nothing is kept of them but the head that is not complete yet.
        """
        if self._last:
            return  # after the last request of a connection nothing counts (RFC 9112, 9.6)
        if self.in_body:
            self._wire_bytes += len(data)
        else:
            self._head_bytes += len(data)
        if not self._started and not data.startswith(_USUAL):
            data = self._with_usual_method(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._go_on(data, upgrade.args[0])
        except httptools.HttpParserError as error:
            self._refuse(error, data)
        if self.in_body:
            self._check_overhead()
        else:
            self._check_head_bytes()

    def end(self) -> None:
        """Read no more, and let go of llhttp and of the sink, which refer back to here."""
        del self._parser, self._sink, self._takes_any

    def _with_usual_method(self, data: bytes) -> bytes:
        """Returns the start of a request with another method in place of an unusual one, or nothing until it is whole.

        A gateway asks with its client's method, which may be any.
        """
        start = self._start + data
        method, space, rest = start.partition(b" ")
        self._start = b""
        if not _METHOD.fullmatch(method) or len(method) > MOST_METHOD or start.startswith(_USUAL):
            return start
        if not space:
            self._start = start
            return b""
        self._method = method.decode("ascii")
        return _STAND_IN + rest

    def _go_on(self, data: bytes, offset: int) -> None:
        """Read on after an upgrade that is not offered, and so is ignored (RFC 9110, 7.8).

        httptools takes the body of such a request for another protocol. A new parser reads it, behind a head that says
        the same about its length.
        """
        self._parser = httptools.HttpRequestParser(self)
        if self.in_body:
            self._again = True
            self._parser.feed_data(_CHUNKED_HEAD if self._chunked else _SIZED_HEAD % self._length)
        if offset < len(data):
            self.feed(data[offset:])

    def _refuse(self, error: httptools.HttpParserError, data: bytes) -> None:
        if self._last:
            return
        if self._refusal is not None:
            raise self._refusal from None
        if self._method == "CONNECT" or (
            isinstance(error, httptools.HttpParserInvalidMethodError) and _REQUEST_LINE.match(data)
        ):
            raise _unknown_method() from None
        if "Transfer-Encoding" in str(error) and "Content-Length" not in str(error):
            raise _unknown_coding() from None
        self._check_head_bytes()
        raise malformed() from None

    def _check_head_bytes(self) -> None:
        """Raises RefusedRequest for a head that is too long whatever comes: a field may be without end."""
        if self._head_bytes - len(self._target) > MOST_FIELDS_BYTES:
            raise _long_fields()

    def _check_overhead(self) -> None:
        if self._chunked and self._wire_bytes - self._data_bytes - SIZE_LINE_BYTES * self._chunks > MOST_CHUNK_OVERHEAD:
            raise malformed("the chunk extensions or trailers are too long")

    # -- called by httptools

    def on_message_begin(self) -> None:
        """A message begins."""
        self._started = True
        self._head_bytes = self._head_bytes or 1

    def on_url(self, part: bytes) -> None:
        """Take a part of the target."""
        if self._again:
            return
        self._target = self._target + part if self._target else part
        if len(self._target) > MOST_REQUEST_LINE:
            self._stop(_long_line())

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header field; a trailer counts for nothing."""
        if self.in_body:
            return
        length = len(name) + len(value)
        self._field_bytes += length
        too_long = length > MOST_FIELD_BYTES or self._field_bytes > MOST_FIELDS_BYTES
        if too_long or len(self._headers) >= MOST_FIELDS:
            self._stop(_long_fields())
        self._headers.append((name.lower(), field_value(value)))

    def on_headers_complete(self) -> None:
        """Check the head as a whole, and hand it over."""
        if self._again:
            self._again = False
            return
        parser, headers = self._parser, self._headers
        fields = dict(headers)
        version = parser.get_http_version()
        repeats = len(fields) < len(headers)
        coding = fields.get(b"transfer-encoding")
        if repeats or coding is not None or version != "1.1" or b"host" not in fields:
            self._check(headers, fields, version)
        length = int(fields.get(b"content-length", b"0"))
        if length > LONGEST_BODY:
            self._stop(malformed("the `Content-Length` is too large"))
        method = self._method or parser.get_method().decode("ascii")
        if self._method and not (_KNOWN.fullmatch(method) or self._takes_any(self._target)):
            self._stop(_unknown_method())
        self.in_body, self._chunked, self._head_bytes = True, coding is not None, 0
        self._length, self._keep_alive, self._upgrade = length, parser.should_keep_alive(), parser.should_upgrade()
        id = id_among(headers) if repeats else fields.get(FIELD) or made_id()
        self._sink.head(
            Request(
                method, self._target, version, headers, fields, repeats, self._chunked, length, self._keep_alive, id
            )
        )

    def _check(self, headers: list[tuple[bytes, bytes]], fields: Mapping[bytes, bytes], version: str) -> None:
        if version not in ("1.0", "1.1"):
            self._stop(malformed("only the versions 1.0 and 1.1 are served"))
        for name in _ONCE:
            if sum(name == found for found, _ in headers) > 1:
                self._stop(malformed(f"`{name.decode().title()}` is sent twice"))
        if version == "1.1" and b"host" not in fields:
            self._stop(malformed("`Host` is missing"))
        coding = fields.get(b"transfer-encoding")
        if coding is not None and (coding.lower() != b"chunked" or version == "1.0"):
            self._stop(_unknown_coding())

    def on_chunk_header(self) -> None:
        """Count a chunk."""
        self._chunks += 1

    def on_body(self, data: bytes) -> None:
        """Hand over a piece of the body."""
        self._data_bytes += len(data)
        self._sink.body(data)

    def on_message_complete(self) -> None:
        """Hand over the end of the body, and begin again."""
        if self._upgrade and (self._length or self._chunked):
            self._upgrade = False  # the body is still to come: see `_go_on`
            return
        self._last = not self._keep_alive
        self._begin()
        self._sink.end()

    def _stop(self, refusal: RefusedRequest) -> None:
        """Raise from a callback: httptools wraps it, and `feed` raises it as it is."""
        self._refusal = refusal
        raise refusal


def _unknown_method() -> RefusedRequest:
    return RefusedRequest(HTTPStatus.NOT_IMPLEMENTED, "the method is not known")


def _long_line() -> RefusedRequest:
    return RefusedRequest(HTTPStatus.REQUEST_URI_TOO_LONG, f"the request line is longer than {MOST_REQUEST_LINE} bytes")


def _long_fields() -> RefusedRequest:
    return RefusedRequest(
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
        f"there are more than {MOST_FIELDS} header fields, or one is longer than {MOST_FIELD_BYTES} bytes, or all"
        f" together are longer than {MOST_FIELDS_BYTES}",
    )


def _unknown_coding() -> RefusedRequest:
    return RefusedRequest(
        HTTPStatus.NOT_IMPLEMENTED, "the transfer coding is not supported; send `chunked` or a `Content-Length`"
    )
