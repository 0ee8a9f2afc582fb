"""One client connection: requests in order, to the decision lane or to the application, under deadlines and bounds."""

import asyncio
from collections import deque
from functools import cached_property
from http import HTTPStatus
from typing import Any, Final

from ..http.error_answers import INTERNAL, RETRY_SECONDS
from ..http.request_id import id_among, made_id
from .deadline import LAST_CALL_SECONDS, LEFT_SECONDS, STOP_SECONDS, Awaits, Deadline, Pace
from .exchange import BUFFERED_BYTES, Address, Exchange, WaitingRequest, addresses_of, asgi_scope
from .known_head import KnownHeads
from .lane_calls import LaneResponses, is_gateways, is_ordinary
from .outlet import Outlet
from .owner import Owner
from .refusal import RefusedRequest, full_sentence, late_sentence
from .request_parser import Request, RequestParser
from .response_head import refusal_bytes

_NEXT: Final = Awaits.NEXT  # PERF: to find a member of an enumeration takes as long as a call


class Connection(asyncio.Protocol):
    """See the module. One instance a connection."""

    def __init__(self, worker: Owner) -> None:
        self._worker, self._limits, self._loop = worker, worker.limits, worker.loop
        self._connections = worker.connections
        self._parser = RequestParser(self, lambda target: worker.lane is not None and worker.lane.serves(target))
        self.transport: Any = None
        self.secure = False
        self._queue: dict[Any, None] | None = None
        self._awaits = Awaits.FIRST_BYTE
        self._deadline = Deadline(worker.loop, self._expire)
        self._pace: Pace | None = None  # of the body that is awaited
        self._outlet: Outlet
        self._exchange: Exchange | None = None
        self._task: asyncio.Task[None] | None = None
        self._reading: WaitingRequest | None = None  # the message whose body is read, unless its exchange takes it
        self._pending: deque[WaitingRequest] = deque()
        self._output: list[bytes] = []  # answers of the lane that go out together
        self._known = KnownHeads()
        self._answered: Request | None = None  # the first of the data at hand that the lane has answered
        self._ended = False  # the client closed its side
        self._closed = False  # nothing more is read, and after what was written nothing more is written
        self._paused = False

    def connection_made(self, transport: Any) -> None:
        """Start, in the place of another if the worker is full; or refuse, if it serves all others."""
        self.transport = transport
        self.secure = transport.get_extra_info("ssl_object") is not None
        self._outlet = Outlet(self._loop, self._limits, transport, self.secure)
        self._responses = LaneResponses(self._worker.lane, self._worker.date, self._peer, self.secure)
        if not self._connections.add(self):
            self._closed = True
            retry, status = b"retry-after: %d\r\n" % RETRY_SECONDS, HTTPStatus.SERVICE_UNAVAILABLE
            self._worker.refused(status, id := made_id())
            transport.write(refusal_bytes(status, full_sentence(self._limits), id, self.secure, retry))
            transport.close()
            return
        self._wait_in(self._connections.newcomers)
        self._deadline.set(STOP_SECONDS if self._connections.stopping else self._limits.head_seconds)

    def connection_lost(self, _exc: Exception | None) -> None:
        """Clean up, and cancel the application's call. PERF: nothing refers back to it then, so it is no garbage."""
        self._closed = True
        self._connections.discard(self)
        self._wait_in(None)
        self._deadline.end()
        self._parser.end()
        del self._responses
        self._outlet.lost()
        self._pending.clear()
        if self._task is not None:
            self._task.cancel()

    def _wait_in(self, queue: dict[Any, None] | None) -> None:
        """Stand at the end of a queue of those that may give way, or in none while it is served."""
        if self._queue is not None:
            self._queue.pop(self, None)
        self._queue = queue
        if queue is not None:
            queue[self] = None

    def may_give_way(self) -> bool:
        """See `QueuedConnection`."""
        return not self.transport.get_write_buffer_size()

    def give_way(self) -> None:
        """Close, and count no more from now on: over TLS the client still has a moment."""
        self._connections.discard(self)
        self.leave()

    def leave(self) -> None:
        """Close without a word, once what was written is on its way."""
        self._closed = True
        self._wait_in(None)
        if self._task is not None:
            self._task.cancel()
        self._outlet.leave()

    def stop(self) -> None:
        """The worker stops: answer what was sent, say so in the last answer, and close."""
        if not self._closed and self._awaits is not Awaits.ANSWER:
            waits = self._awaits in (Awaits.FIRST_BYTE, Awaits.NEXT)
            self._deadline.set(LAST_CALL_SECONDS if waits else STOP_SECONDS)

    def _await_answer(self) -> None:
        """The request is complete: the client owes nothing, and does not give way."""
        self._awaits, self._pace = Awaits.ANSWER, None
        if not self._ended:
            self._deadline.clear()
        self._wait_in(None)

    def _expire(self) -> None:
        if self._awaits is Awaits.ANSWER and self._exchange is not None and self._exchange.begun:
            return  # to write on shows whether the client is gone
        if self._awaits in (Awaits.FIRST_BYTE, Awaits.NEXT, Awaits.ANSWER):
            self.leave()
        else:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, late_sentence(self._limits, body=self._awaits is Awaits.BODY))

    def data_received(self, data: bytes) -> None:
        """Read; answer what is complete and can be answered at once."""
        if self._closed:
            return
        begins = self._awaits is _NEXT
        if begins and self._known.heads and not (self._paused or self._ended or self._connections.stopping):
            answered = self._known.answer(data, self._limits.body_bytes, self._responses.to, self._output)
            if answered == len(data):
                self._flush()
                self._wait_for_next()
                return
            data = data[answered:]
        self._answered = None
        try:
            self._parser.feed(data)
        except RefusedRequest as refusal:
            self._refuse_in_turn(refusal)
            return
        if self._output:
            self._flush()
        if not self._closed:
            self._look_ahead(len(data))
            if begins:
                self._known.learn(data, self._answered)

    def _look_ahead(self, count: int) -> None:
        """Set the deadline and the queue by what is awaited now."""
        exchange = self._exchange
        if exchange is not None:
            if not exchange.complete:
                self._expect_body(count)
            return
        if self._reading is not None:
            self._expect_body(count)
        elif self._parser.between_messages:
            self._wait_for_next()
        elif self._awaits is not Awaits.HEAD:
            if self._awaits is not Awaits.FIRST_BYTE:
                self._wait_in(self._connections.idle)
                self._deadline.set(self._limits.head_seconds)
            self._awaits = Awaits.HEAD

    def _wait_for_next(self) -> None:
        idle = self._connections.idle
        if self._queue is not idle:
            self._wait_in(idle)
        idle[self] = idle.pop(self)  # at its end. PERF: `_wait_in` takes longer
        self._awaits = _NEXT
        self._deadline.set(self._limits.idle_seconds)

    def _expect_body(self, count: int) -> None:
        now, self._awaits = self._loop.time(), Awaits.BODY
        if self._pace is None:
            self._pace = Pace(self._limits.body_seconds, self._limits.body_rate, now)
            self._deadline.follow(self._pace)
        self._pace.add(count, now)
        self._wait_in(self._connections.owing)

    def head(self, request: Request) -> None:
        """See `RequestSink`."""
        self._pace = None
        busy = self._exchange is not None or self._pending or self._outlet.is_full
        lane = self._worker.lane
        ordinary = is_ordinary(lane, request, self._limits.body_bytes) or is_gateways(lane, request)
        if self._connections.stopping:
            ordinary = False  # the lane can't know which answer is the last one: it answers before it reads on
        if not (busy or ordinary):
            self._begin(request)
            return
        self._reading = WaitingRequest(request, ordinary)
        if busy:
            self._pending.append(self._reading)
            self._pause_reading()

    def body(self, data: bytes) -> None:
        """See `RequestSink`."""
        if self._reading is not None:
            self._reading.pieces.append(data)
        elif self._exchange is not None:
            self._exchange.put(data)
            if self._exchange.buffered > BUFFERED_BYTES:
                self._pause_reading()

    def end(self) -> None:
        """See `RequestSink`."""
        message, self._reading = self._reading, None
        if message is not None:
            message.complete = True
            if not self._pending:
                self._serve(message)
        elif self._exchange is not None:
            self._exchange.end()
            self._await_answer()
            if self._exchange.finished:
                self._go_on()

    def eof_received(self) -> bool:
        """Stay open for the answers that are ready soon: the client may only have closed its own side."""
        self._ended = True
        busy = self._exchange is not None and self._exchange.complete
        if self.secure:  # asyncio has no TLS that is closed by half: what is written from here on goes nowhere
            self._closed = True
            self._outlet.abort_after(self._limits.body_seconds)
            if self._task is not None:
                self._task.cancel()
        elif busy:
            self._deadline.set(LEFT_SECONDS)
        return busy and not self.secure

    def take_body(self) -> None:
        """See `Wire`."""
        if not self._pending and not self._outlet.is_full:
            self._resume_reading()

    def _pause_reading(self) -> None:
        if not self._paused and not self._closed:
            self._paused = True
            self.transport.pause_reading()

    def _resume_reading(self) -> None:
        if self._paused and not self._closed:
            self._paused = False
            self.transport.resume_reading()

    def _serve(self, message: WaitingRequest) -> None:
        """Answer a request whose turn it is; what the lane leaves goes to the application."""
        request = message.request
        if message.ordinary:
            answer = self._responses.to(request, message.body(), self._closes_now(request))
            if answer is not None:
                self._answered = self._answered or request
                self._output.append(answer)
                if self._closes_now(request):
                    self._close_after_output()
                return
        self._begin(request, message)

    def _closes_now(self, request: Request) -> bool:
        return not request.keep_alive or ((self._ended or self._connections.stopping) and not self._pending)

    @cached_property
    def _addresses(self) -> tuple[Address, Address]:
        return addresses_of(self.transport)

    def _peer(self) -> str:
        client, _ = self._addresses
        return "" if client is None else client[0]

    def _begin(self, request: Request, message: WaitingRequest | None = None) -> None:
        """Start the application's call."""
        self._flush()
        exchange = self._exchange = Exchange(self, request)
        self._reading = None
        if message is not None:
            for piece in message.pieces:
                exchange.put(piece)
            if message.complete:
                exchange.end()
        if exchange.complete:
            self._await_answer()
        self._task = self._loop.create_task(self._run(exchange))

    async def _run(self, exchange: Exchange) -> None:
        try:
            await self._worker.application(self.scope_of(exchange.request), exchange.receive, exchange.send)
        except Exception as error:
            self._worker.report(error)
        self._task = None
        if self._closed:
            return
        if not exchange.finished:
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, INTERNAL, is_read=True)
        elif exchange.closes:
            self._close_after_output()
        elif exchange.complete:
            self._go_on()
        else:  # the rest of the body is swallowed
            self._wait_in(self._connections.owing)
            self._resume_reading()

    def _go_on(self) -> None:
        """Serve what came meanwhile, else wait for the next request."""
        if self._task is not None or self._outlet.is_full:
            return  # the application goes on after its answer, or the client has not taken it yet
        if self._exchange is not None and not (self._exchange.complete and self._exchange.finished):
            return
        self._exchange = None
        while self._pending and self._exchange is None and not self._outlet.is_full and not self._closed:
            message = self._pending.popleft()
            if message.complete:
                self._serve(message)
            elif not message.ordinary:
                self._begin(message.request, message)
                self._resume_reading()  # for the rest of its body: the application waits for that
                self._look_ahead(0)
        self._flush()
        if self._exchange is None and not self._outlet.is_full and not self._closed:
            if self._ended or self._connections.stopping:
                self._close_after_output()
                return
            self._resume_reading()
            self._look_ahead(0)

    def _flush(self) -> None:
        if self._output:
            output = self._output
            self.transport.write(output[0] if len(output) == 1 else b"".join(output))
            output.clear()

    def write(self, data: bytes) -> None:
        """See `Wire`."""
        if not self._closed:
            self.transport.write(data)

    async def drained(self) -> None:
        """See `Wire`."""
        await self._outlet.drained()

    def date_line(self) -> bytes:
        """See `Wire`."""
        return self._worker.date.now()

    def closes_after(self, exchange: Exchange) -> bool:
        """See `Wire`. The rest of a body is not waited for if it is endless, too long, or may never come."""
        request = exchange.request
        if self._closes_now(request):
            return True
        unread = not exchange.complete
        return unread and (request.chunked or request.expects_continue or request.length > self._limits.body_bytes)

    def scope_of(self, request: Request) -> dict[str, Any]:
        """See `Wire`."""
        return asgi_scope(request, self.secure, *self._addresses)

    def _refuse_in_turn(self, refusal: RefusedRequest) -> None:
        """Refuse what can't be read, after the answers to all that came before it."""
        if self._exchange is not None and self._exchange.complete:
            self._ended = True  # the connection ends after the last answer
            self._pause_reading()
            return
        self._flush()
        self._refuse(refusal.status, refusal.sentence)

    def _refuse(self, status: HTTPStatus, sentence: str, is_read: bool = False) -> None:
        """Answer an error without the application, unless its answer has begun, and close."""
        exchange, found = self._exchange, self._exchange or self._reading
        id = id_among(self._parser.headers) if found is None else found.request.id
        if not is_read:  # the application counts what it has read
            self._worker.refused(status, id)
        if self._task is not None:
            self._task.cancel()
        if exchange is None or not exchange.begun:
            self.transport.write(refusal_bytes(status, sentence, id, self.secure))
        self._close_after_output(linger=True)

    def _close_after_output(self, linger: bool = False) -> None:
        """Close after what was written; swallow for a while what a client still sends."""
        self._flush()
        if self._closed:
            return
        self._closed = True
        unread = linger or self._connections.stopping or (self._exchange is not None and not self._exchange.complete)
        self._wait_in(self._connections.idle)
        self._deadline.cancel()
        self._outlet.close(unread and not self._ended)

    def pause_writing(self) -> None:
        """Make no more answers until the client has taken those that there are."""
        self._pause_reading()
        self._outlet.pause()

    def resume_writing(self) -> None:
        """Go on: the client takes its answers."""
        self._outlet.resume()
        if not self._closed:
            self._outlet.keep()
            self._go_on()
