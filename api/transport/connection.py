"""One client connection: gunicorn's HTTP/1.1 protocol with deadlines, a limit, and JSON for every error.

The stock protocol waits for a head without end, accepts any number of connections, starts the application
only on the body's first bytes, lets it take a body that broke off for a whole one, closes on a client that is
still sending, and answers its own errors as plain text. The overrides here mend that. They lean on inner names
of gunicorn; its bounded version and a test that looks for each of them hold them in place.
"""

import asyncio
from enum import Enum, auto
from http import HTTPStatus
from itertools import islice
from typing import Any, Final, Protocol

from gunicorn.asgi.protocol import _REASON_PHRASES, ASGIProtocol, BodyReceiver

from ..errors import RETRY_SECONDS
from ..settings import HttpLimits
from .body_deadline import Pace
from .wire_answers import REASONS, late_sentence, wire_answer, wire_sentence

LINGER_SECONDS: Final = 2.0
"""How long a connection that was answered early still swallows what its client sends, so that no reset
overtakes the answer (RFC 9112, 9.6)."""

FAREWELL_SECONDS: Final = 0.1
"""How long a connection that is closed though its client did nothing waits for it to close too, as TLS wants."""

CANDIDATES: Final = 8
"""How many connections of a kind are looked at for one that may give way; those in vain are looked at last again."""

STRICT_TRANSPORT: Final = ("Strict-Transport-Security", "max-age=31536000")
"""Goes with every answer over TLS: browsers come back with TLS only, for a year (RFC 6797)."""

# The search for the C parser keeps what it finds on the class it is called on, and reads it from the stock one.
ASGIProtocol._check_h1c_protocol_available()

_REASON_PHRASES.update(REASONS)  # gunicorn's own lack 412, 421, 428, 431 and more: they are "Unknown" on the wire


class Awaited(Enum):
    """What the client owes; all but NOTHING, the state between two requests, has a deadline."""

    FIRST_BYTE = auto()
    HEAD = auto()
    BODY = auto()
    NOTHING = auto()


class Owner(Protocol):
    """What a connection needs of the worker that it belongs to, beside what gunicorn's has.

    `newcomers` are the connections that never sent a whole head, `answered` those that did and have the answer to all
    they sent, whatever they still owe; the one that waits longest is the first of each.
    """

    limits: HttpLimits
    nr_conns: int
    connections: "set[Connection]"
    newcomers: "dict[Connection, None]"
    answered: "dict[Connection, None]"


class LateBody(BodyReceiver):  # type: ignore[misc]  # gunicorn has no types
    """Lets the application start on the head alone, so that a 401 or 413 waits for no body; and never end one early."""

    # Gunicorn's own, used below.
    _complete: bool
    _chunks: Any
    _buffered: int
    expect_continue: bool

    def __init__(self, begun: Any) -> None:
        """Takes over from the receiver `begun`."""
        super().__init__(begun.request, begun.protocol)
        self._chunks, self._buffered, self.expect_continue = begun._chunks, begun._buffered, begun.expect_continue
        self._announced = False

    async def receive(self) -> dict[str, Any]:
        """The ASGI events of the body, the first of them at once.

        Raises:
            asyncio.CancelledError: the client is gone. Falcon would take what there is for the whole body, and gunicorn
                cancels in vain where asyncio (before 3.12) has the disconnection to give back.
        """
        if not (self._announced or self._chunks):
            self._announced = True
            return {"type": "http.request", "body": b"", "more_body": True}
        event: dict[str, Any] = await super().receive()
        if event["type"] == "http.disconnect" and not self._complete:
            raise asyncio.CancelledError
        return event


class Connection(ASGIProtocol):  # type: ignore[misc]  # gunicorn has no types
    """See the module; one instance a connection."""

    # Gunicorn's own, used below.
    transport: Any
    _task: Any
    _closed: bool
    _current_request: Any
    _body_receiver: Any
    _callback_parser: Any
    _is_ssl: bool

    def __init__(self, worker: Owner) -> None:
        super().__init__(worker)
        self._limits = worker.limits
        self._keepalive = worker.limits.idle_seconds  # gunicorn's setting knows whole seconds only
        self._awaited = Awaited.NOTHING
        self._timer: asyncio.TimerHandle | None = None
        self._pace: Pace | None = None  # of a body that is not complete yet
        self._abort: asyncio.TimerHandle | None = None
        self._refused = False
        self._gave_way = False
        self._answering = False  # the answer to the current request has begun
        self._ended = False  # the client has closed its side
        self._queue = worker.newcomers  # where it stands, while it waits, to give way

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Start; where the worker has as many connections as it may, in the place of another, or be refused.

        One gives way whenever no request of it is being served, so nobody can keep others out by opening connections,
        or by what comes half: a head, also behind a request, or a body that is only swallowed.
        """
        if self.worker.nr_conns >= self._limits.connections and not give_way(self.worker):
            self._refused = True
            self.transport = transport
            self._send_error_response(HTTPStatus.SERVICE_UNAVAILABLE, "", [("Retry-After", str(RETRY_SECONDS))])
            transport.close()
            return
        super().connection_made(transport)
        self.worker.connections.add(self)
        self._queue[self] = None
        self._await(Awaited.FIRST_BYTE)

    def connection_lost(self, exc: Exception | None) -> None:
        """Clean up; gunicorn cancels an application call that is still running."""
        if self._refused:
            return
        self._set_timer(None)
        self._set_abort(None)
        self.worker.connections.discard(self)
        self._queue.pop(self, None)
        if self._gave_way:
            self.worker.nr_conns += 1  # gunicorn takes off what was taken off before
        super().connection_lost(exc)

    def eof_received(self) -> bool:
        """Stay open for the answer where the client only closed its own side after a whole request."""
        self._ended = True
        if self._is_ssl:  # asyncio has no TLS that is closed by half: what is written from here on goes nowhere
            self._closed = True
            self._set_abort(self._limits.body_seconds)
            return False
        return self._body_receiver is not None and bool(self._body_receiver._complete)

    def close_if_idle(self) -> None:
        """Close unless a request is being served: the worker stops."""
        if self._current_request is None:
            self.leave()

    def give_way(self) -> None:
        """Close, and count no more from now on: over TLS the client still has a moment."""
        self._gave_way = True
        self.worker.nr_conns -= 1
        self.leave()

    def leave(self) -> None:
        """Close without a word, once what was written is on its way."""
        self._closed = True
        self._callback_parser = None  # from here on gunicorn drops what arrives
        self.transport.close()
        if self._is_ssl:
            self._set_abort(FAREWELL_SECONDS)
        self._task.cancel()

    # -- deadlines

    def _on_headers_complete(self) -> Any:
        self._queue.pop(self, None)
        self._queue = self.worker.answered
        return super()._on_headers_complete()

    def _feed_callback_parser(self, data: bytes) -> bool:
        going: bool = super()._feed_callback_parser(data)
        if going:
            if self._current_request is None:
                self._queue[self] = None  # it is missing there where the head came behind a request
                self._await(Awaited.HEAD)
                return going
            if self._body_receiver._complete:
                self._await(Awaited.NOTHING)
            else:
                self._await(Awaited.BODY)
                if self._pace is not None:
                    self._pace.add(len(data), self.worker.loop.time())
        return going

    def _await(self, awaited: Awaited) -> None:
        before, self._awaited = self._awaited, awaited
        if awaited is before or (before is Awaited.FIRST_BYTE and awaited is Awaited.HEAD):
            return
        self._pace = None
        if awaited is Awaited.NOTHING:
            self._set_timer(None)
        elif awaited is Awaited.BODY:
            self._pace = Pace(self._limits.body_seconds, self._limits.body_rate, self.worker.loop.time())
            self._set_timer(self._limits.body_seconds)
        else:
            self._cancel_keepalive_timer()
            self._set_timer(self._limits.head_seconds)

    def _set_timer(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.worker.loop.call_later(seconds, self._expire)

    def _arm_keepalive_timer(self) -> None:
        if self._awaited is Awaited.NOTHING:  # else a pipelined head has begun, under its own deadline
            super()._arm_keepalive_timer()
            self._queue[self] = None

    def _expire(self) -> None:
        if self._pace is not None:
            left = self._pace.due - self.worker.loop.time()
            if left > 0:
                self._set_timer(left)
                return
        if self._awaited is not Awaited.FIRST_BYTE:
            late = late_sentence(self._limits, body=self._awaited is Awaited.BODY)
            self._answer_error(HTTPStatus.REQUEST_TIMEOUT, late)
        self._close_transport()
        self._task.cancel()

    # -- one request

    async def _serve_http_request(self, request: Any, sockname: Any, peername: Any) -> bool:
        """Answer one request and swallow what the application left of its body; True keeps the connection.

        Gunicorn's own starts a task for each request, for applications that go on after their answer.
        """
        receiver = self._body_receiver
        if not receiver._complete:
            receiver = self._body_receiver = LateBody(receiver)
        keep: bool = await self._handle_http_request(request, sockname, peername)
        if keep and not receiver._complete:
            self._queue[self] = None
        while keep and not receiver._complete:
            keep = (await receiver.receive())["type"] == "http.request"
        self._answering = not keep
        return keep

    def _send_response_start(self, status: int, headers: Any, *start: Any, **options: Any) -> None:
        self._answering = True
        if self._is_ssl:
            headers = [*headers, STRICT_TRANSPORT]
        super()._send_response_start(status, headers, *start, **options)

    def _will_close(self, request: Any, response_requires_close: bool) -> bool:
        return (
            bool(super()._will_close(request, response_requires_close))
            or (self._ended and not self._callback_parser.remaining())
            or (not self._body_receiver._complete and self._is_rest_unwelcome(request))
        )

    def _is_rest_unwelcome(self, request: Any) -> bool:
        """Whether the unread rest of a body is not worth waiting for: endless, too long, or never to come."""
        return bool(request.chunked or request._expect_100_continue or request.content_length > self._limits.body_bytes)

    def _is_websocket_upgrade(self, _request: Any) -> bool:
        return False  # an upgrade that is not offered is ignored (RFC 9110, 7.8)

    # -- the end

    def pause_writing(self) -> None:
        """Give a client that does not take its answer no more time than it had for the body."""
        super().pause_writing()
        self._set_abort(self._limits.body_seconds)

    def resume_writing(self) -> None:
        """Go on: the client takes its answer."""
        self._set_abort(None)
        super().resume_writing()

    def _set_abort(self, seconds: float | None) -> None:
        if self._abort is not None:
            self._abort.cancel()
        self._abort = None if seconds is None else self.worker.loop.call_later(seconds, self.transport.abort)

    def _close_transport(self) -> None:
        if self._closed:
            return
        self._queue[self] = None
        self._set_abort(self._limits.body_seconds)  # the transport itself waits for the client to take everything
        done = self._ended or self._awaited in (Awaited.NOTHING, Awaited.FIRST_BYTE)
        if done or self.transport.is_closing():
            super()._close_transport()
        else:
            self._linger()

    def _linger(self) -> None:
        self._closed = True
        self._callback_parser = None  # from here on gunicorn drops what arrives
        self._resume_reading()
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._set_timer(None)
        self._timer = self.worker.loop.call_later(LINGER_SECONDS, self.transport.close)

    def _send_error_response(self, status: int, _message: str, extra_headers: Any = ()) -> None:
        """Answer without the application; gunicorn's `_message` may quote the request and is dropped."""
        self._answer_error(status, wire_sentence(status, self._limits, self.cfg), extra_headers)

    def _answer_error(self, status: int, sentence: str, extra_headers: Any = ()) -> None:
        if not self._answering:
            asked = [] if self._current_request is None else self._current_request.headers_bytes
            extra = (*extra_headers, STRICT_TRANSPORT) if self._is_ssl else extra_headers
            self._safe_write(wire_answer(status, sentence, asked, extra))


def give_way(worker: Owner) -> bool:
    """Close a connection of `worker` that serves nothing, a newcomer rather than another; whether there was one.

    It is the one that waits longest, of those whose client has taken the answer: to close over TLS cuts it off.
    """
    for queue in (worker.newcomers, worker.answered):
        for connection in tuple(islice(queue, CANDIDATES)):
            del queue[connection]
            if not connection.transport.get_write_buffer_size():
                connection.give_way()
                return True
            queue[connection] = None
    return False
