"""One request that the application answers: its ASGI call, the body that it receives and the response that it sends."""

import asyncio
from collections.abc import Iterable
from typing import Any, Final, Protocol, TypeAlias

from ..http.request_id import scope_member
from .request_parser import Request
from .response_head import CONTINUE, STATUS_LINES, STRICT_TRANSPORT

Address: TypeAlias = tuple[str, int] | None
"""Host and port, or None for an end without them: that of a Unix socket."""

BUFFERED_BYTES: Final = 64 * 1024
"""Bytes of a body that wait for the application before the connection stops reading."""

_BODILESS: Final = (204, 304)


class WaitingRequest:
    """A request that waits for its body or its turn. `ordinary` is whether the decision lane may answer it."""

    __slots__ = ("complete", "ordinary", "pieces", "request")

    def __init__(self, request: Request, ordinary: bool) -> None:
        self.request, self.ordinary, self.complete = request, ordinary, False
        self.pieces: list[bytes] = []

    def body(self) -> bytes:
        """Returns what came of the body."""
        return self.pieces[0] if len(self.pieces) == 1 else b"".join(self.pieces)


class Wire(Protocol):
    """The interface of a connection, as an exchange uses it."""

    secure: bool

    def write(self, data: bytes) -> None:
        """Send bytes to the client."""

    async def drained(self) -> None:
        """Wait until the client has taken enough of what was written."""

    def take_body(self) -> None:
        """Read on: the application took what there was of the body."""

    def closes_after(self, exchange: "Exchange") -> bool:
        """Returns whether the connection ends after this response."""

    def date_line(self) -> bytes:
        """Returns the `Date` header line."""

    def scope_of(self, request: Request) -> dict[str, Any]:
        """Returns the ASGI scope."""


class Exchange:
    """One ASGI call. `complete` is whether the request's body is; `begun` whether the response has begun."""

    def __init__(self, wire: Wire, request: Request) -> None:
        self.request = request
        self.complete = False
        self.begun = False
        self.closes = False
        self.finished = False
        self._wire = wire
        self._pieces: list[bytes] = []
        self.buffered = 0
        self._announced = False
        self._ready = asyncio.Event()
        self._chunked = self._bodiless = False
        self._start: dict[str, Any] | None = None
        self._given = False  # the end of the body was given to the application

    # -- the request

    def put(self, data: bytes) -> None:
        """Take a piece of the body."""
        if self.finished:
            return
        self._pieces.append(data)
        self.buffered += len(data)
        self._ready.set()

    def end(self) -> None:
        """The body is complete."""
        self.complete = True
        self._ready.set()

    async def receive(self) -> dict[str, Any]:
        """Returns the next ASGI event of the request. The first comes at once, so that a 401 or 413 waits for no body.

        After the body, it never returns: a client that is gone cancels the call.
        """
        if not self._announced:
            self._announced = True
            if not self.complete and not self._pieces:
                return {"type": "http.request", "body": b"", "more_body": True}
        elif self.request.expects_continue and not self.begun and not self.complete and not self._pieces:
            self._wire.write(CONTINUE)
        while not self._pieces and (self._given or not self.complete):
            self._ready.clear()
            await self._ready.wait()
        body = self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)
        self._pieces.clear()
        self.buffered, self._given = 0, self.complete
        self._wire.take_body()
        return {"type": "http.request", "body": body, "more_body": not self.complete}

    # -- the response

    async def send(self, event: dict[str, Any]) -> None:
        """Take an ASGI event of the response. It is held back until the first piece of the body, to go out with it."""
        if event["type"] == "http.response.start":
            self._start = event
        elif event["type"] == "http.response.body":
            await self._send_body(event.get("body", b""), event.get("more_body", False))

    async def _send_body(self, body: bytes, more: bool) -> None:
        head = b""
        if not self.begun:
            assert self._start is not None, "the response begins with its head"
            head = self._head(self._start["status"], self._start["headers"])
            self.begun = True
        if self._bodiless:
            body = b""
        elif self._chunked:
            body = (b"%x\r\n%s\r\n" % (len(body), body) if body else b"") + (b"" if more else b"0\r\n\r\n")
        if head or body:
            self._wire.write(head + body)
        if more:
            await self._wire.drained()
        else:
            self.finished = True
            self._pieces.clear()

    def _head(self, status: int, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
        request, lines, sized = self.request, [STATUS_LINES[self.request.version][status]], False
        for name, value in headers:
            lines.append(b"%s: %s\r\n" % (name, value))
            sized = sized or name == b"content-length"
        self._bodiless = request.method == "HEAD" or status in _BODILESS
        unsized = not sized and not self._bodiless
        self._chunked = unsized and request.version == "1.1"
        if self._chunked:
            lines.append(b"transfer-encoding: chunked\r\n")
        self.closes = (unsized and not self._chunked) or self._wire.closes_after(self)
        lines.append(self._wire.date_line())
        if self._wire.secure:
            lines.append(STRICT_TRANSPORT)
        if self.closes:
            lines.append(b"connection: close\r\n")
        elif request.version == "1.0":
            lines.append(b"connection: keep-alive\r\n")
        lines.append(b"\r\n")
        return b"".join(lines)


def addresses_of(transport: Any) -> tuple[Address, Address]:
    """Returns the client's and the server's address."""
    return _address(transport.get_extra_info("peername")), _address(transport.get_extra_info("sockname"))


def _address(found: Any) -> Address:
    return (found[0], found[1]) if isinstance(found, tuple) else None


def asgi_scope(request: Request, secure: bool, client: Address, server: Address) -> dict[str, Any]:
    """Returns the scope. The path is not decoded: the application splits it as raw bytes."""
    path, _, query = request.target.partition(b"?")
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": request.version,
        "method": request.method,
        "scheme": "https" if secure else "http",
        "path": path.decode("latin-1"),
        "raw_path": path,
        "query_string": query,
        "root_path": "",
        "headers": request.headers,
        "client": client,
        "server": server,
        **scope_member(request.id),
    }
