"""Accepts connections over TLS, such that one whose handshake stays unfinished counts, and ends after the deadline.

Asyncio's own server tells nobody of a connection before its handshake is done: any number of them could be open.
"""

import asyncio
import logging
import socket
import ssl
from functools import partial
from typing import Final, Protocol

from ..log import LOG
from .connection import Connection
from .owner import Owner

RETRY_SECONDS: Final = 1.0
"""How long nothing is accepted after the system refused, which is when too many files are open."""

CLOSING_SECONDS: Final = 5.0
"""How long a connection that was closed here waits for its client's farewell, and to hand over to the system what is
left of the answer: little, since a client that takes it slowly is waited for before."""


class Listener(Protocol):
    """A listening socket as gunicorn holds it; to close it twice is allowed."""

    sock: socket.socket

    def close(self) -> None: ...


class TlsServer:
    """Takes the place of asyncio's server in the worker."""

    def __init__(self, worker: Owner, listener: Listener, context: ssl.SSLContext) -> None:
        self._worker, self._listener, self._context = worker, listener, context
        self._handshakes: dict[asyncio.Task[None], None] = {}  # the one that began first is the first
        self._accepting = worker.loop.create_task(self._accept())

    def close(self) -> None:
        """Accept nothing more; unfinished handshakes end."""
        for task in (self._accepting, *self._handshakes):
            task.cancel()

    async def wait_closed(self) -> None:
        """Wait until the listening socket is closed."""
        await asyncio.wait((self._accepting,))

    async def _accept(self) -> None:
        try:
            while True:
                try:
                    accepted, _ = await self._worker.loop.sock_accept(self._listener.sock)
                except ConnectionError:  # the client is gone already
                    continue
                except OSError as error:
                    logging.getLogger(LOG).error("no connection can be accepted: %s", error.strerror)
                    await asyncio.sleep(RETRY_SECONDS)
                else:
                    self._begin(accepted)
                    await asyncio.sleep(0)  # else a full backlog would keep all else waiting
        finally:
            self._listener.close()

    def _begin(self, accepted: socket.socket) -> None:
        connections = self._worker.connections
        full = len(connections.all) + len(self._handshakes) >= connections.most
        if full and not self._give_way():
            accepted.close()  # to answer 503, a handshake would have to come first
            return
        handshake = self._worker.loop.create_task(self._shake_hands(accepted))
        self._handshakes[handshake] = None
        handshake.add_done_callback(lambda done: self._handshakes.pop(done, None))

    def _give_way(self) -> bool:
        """End the handshake that began first, else a connection that serves nothing."""
        if self._handshakes:
            longest = next(iter(self._handshakes))
            del self._handshakes[longest]  # it is done only later, and must not give way twice
            longest.cancel()
            return True
        return self._worker.connections.make_room(len(self._handshakes))

    async def _shake_hands(self, accepted: socket.socket) -> None:
        try:
            await self._worker.loop.connect_accepted_socket(
                partial(Connection, self._worker),
                accepted,
                ssl=self._context,
                ssl_handshake_timeout=self._worker.limits.head_seconds,
                ssl_shutdown_timeout=CLOSING_SECONDS,
            )
        except OSError as error:
            logging.getLogger(LOG).debug("a TLS handshake failed: %s", error)
