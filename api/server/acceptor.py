"""Accepts connections, plain and over TLS: the worker with the fewest takes the next one.

Asyncio's own server hides a TLS connection until its handshake is done, so any number of them could be open.
It also takes all that wait at once: one worker would often get most of them, and keep them.
"""

import asyncio
import logging
import socket
import ssl
from functools import partial
from typing import Final, Protocol

from ...bundles.system_errors import reason_of
from ..telemetry.log import LOG
from .connection import Connection
from .deadline import STOP_SECONDS
from .listening import BACKLOG
from .owner import Owner

RETRY_SECONDS: Final = 1.0
"""The seconds for which a worker accepts nothing after the system refused, because too many files were open."""

GIVE_WAY_SECONDS: Final = 0.005
"""The seconds for which a worker leaves a new connection to workers that have fewer. Then it accepts the connection."""

ACCEPTS_A_TURN: Final = 16
"""The number of connections that a worker accepts before everything else has its turn: a rush would keep it waiting."""

CLOSING_SECONDS: Final = 5.0
"""The seconds for which a TLS connection that the worker closed waits for its client's farewell.

The rest of the answer goes out in this time too. The rest is small, since a worker waits for a slow client earlier."""


class Listener(Protocol):
    """A listening socket as gunicorn holds it. Closing it twice is allowed."""

    sock: socket.socket

    def close(self) -> None: ...


class Acceptor:
    """The task that accepts connections on one listening socket, with TLS if it has a `context`."""

    def __init__(self, worker: Owner, listener: Listener, context: ssl.SSLContext | None) -> None:
        self._worker, self._listener, self._context = worker, listener, context
        self._connections = worker.connections
        self._handshakes: dict[asyncio.Task[None], None] = {}  # the one that began first is the first
        self._starting: set[asyncio.Task[None]] = set()  # the loop itself holds no task
        self._waiting = asyncio.Event()
        self._connections.tally()
        self._accepting = worker.loop.create_task(self._accept())

    def close(self) -> None:
        """Accept those that have connected, and then nothing more.

        If this is the last process with the socket, the system would end connections that were not accepted.
        """
        self._accepting.cancel()
        self._worker.loop.call_later(STOP_SECONDS, self._end_handshakes)

    def _end_handshakes(self) -> None:
        for handshake in tuple(self._handshakes):
            handshake.cancel()

    async def _accept(self) -> None:
        self._listen()
        try:
            while True:
                await self._waiting.wait()
                self._waiting.clear()
                for _ in range(ACCEPTS_A_TURN):
                    if not await self._accept_one():
                        break
                await asyncio.sleep(0)
        finally:
            self._worker.loop.remove_reader(self._listener.sock)
            self._accept_rest()
            self._listener.close()

    def _listen(self) -> None:
        """Look out for clients that connect. PERF: once, since each change of this is a system call."""
        self._worker.loop.add_reader(self._listener.sock, self._waiting.set)

    async def _pause(self, seconds: float) -> None:
        """Leave clients that connect to other workers: the loop would report them again and again."""
        self._worker.loop.remove_reader(self._listener.sock)
        await asyncio.sleep(seconds)
        self._listen()

    def _accept_rest(self) -> None:
        for _ in range(BACKLOG):
            try:
                self._begin(self._accepted())
            except ConnectionError:  # this client is gone already
                continue
            except OSError:  # no client waits any more, or no file can be opened
                return

    async def _accept_one(self) -> bool:
        """Returns whether there may be more to accept."""
        if self._connections.share.is_ahead():
            await self._pause(GIVE_WAY_SECONDS)
        try:
            self._begin(self._accepted())
        except BlockingIOError:  # another worker took it
            return False
        except ConnectionError:  # the client is gone already
            return True
        except OSError as error:
            logging.getLogger(LOG).error("no connection can be accepted: %s", reason_of(error))
            await self._pause(RETRY_SECONDS)
            return True
        return True

    def _accepted(self) -> socket.socket:
        accepted, _ = self._listener.sock.accept()
        accepted.setblocking(False)
        return accepted

    def _begin(self, accepted: socket.socket) -> None:
        if self._context is not None:
            self._begin_handshake(accepted, self._context)
            return
        start = self._worker.loop.create_task(self._start(accepted))
        self._starting.add(start)
        start.add_done_callback(self._end_start)
        self._count_arrivals()

    def _end_start(self, start: asyncio.Task[None]) -> None:
        self._starting.discard(start)
        self._count_arrivals()

    async def _start(self, accepted: socket.socket) -> None:
        await self._worker.loop.connect_accepted_socket(partial(Connection, self._worker), accepted)

    def _begin_handshake(self, accepted: socket.socket, context: ssl.SSLContext) -> None:
        full = len(self._connections.all) + len(self._handshakes) >= self._connections.most
        if full and not self._give_way():
            accepted.close()  # to answer 503, a handshake would have to come first
            return
        handshake = self._worker.loop.create_task(self._shake_hands(accepted, context))
        self._handshakes[handshake] = None
        handshake.add_done_callback(self._end_handshake)
        self._count_arrivals()

    def _end_handshake(self, handshake: asyncio.Task[None]) -> None:
        self._handshakes.pop(handshake, None)
        self._count_arrivals()

    def _count_arrivals(self) -> None:
        self._connections.arriving = len(self._handshakes) + len(self._starting)
        self._connections.tally()

    def _give_way(self) -> bool:
        """End the handshake that began first, or else a connection that serves nothing."""
        if self._handshakes:
            longest = next(iter(self._handshakes))
            del self._handshakes[longest]  # it is done only later, and must not give way twice
            longest.cancel()
            return True
        return self._connections.make_room()

    async def _shake_hands(self, accepted: socket.socket, context: ssl.SSLContext) -> None:
        try:
            await self._worker.loop.connect_accepted_socket(
                partial(Connection, self._worker),
                accepted,
                ssl=context,
                ssl_handshake_timeout=self._worker.limits.head_seconds,
                ssl_shutdown_timeout=CLOSING_SECONDS,
            )
        except OSError as error:
            logging.getLogger(LOG).debug("a TLS handshake failed: %s", error)
