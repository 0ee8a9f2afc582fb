"""The interface of a worker, as its connections use it, and the second address of a worker.

The second address has its own small application, without TLS and without the decision lane.
"""

import asyncio
import socket
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from ..settings.settings import HttpLimits
from .connection_queues import Connections
from .lane_calls import Lane
from .response_head import DateLine
from .shares import Shares


class Owner(Protocol):
    """The interface of a worker, as its connections use it."""

    loop: asyncio.AbstractEventLoop
    limits: HttpLimits
    connections: Connections
    lane: Lane | None
    date: DateLine

    async def application(self, scope: Any, receive: Any, send: Any) -> None:
        """Call the ASGI application."""

    def refused(self, status: int, id: bytes) -> None:
        """Count an answer to what could not be read as a request, with the id that the answer has."""

    def report(self, error: Exception) -> None:
        """Log a failure of the application."""


MOST_CONNECTIONS: Final = 64
"""The most open connections of a worker on the second address."""


@dataclass(frozen=True, slots=True)
class SideAddress:
    """The second address of a service: `app` is an ASGI application, and `socket` listens."""

    app: Any
    socket: socket.socket


class SideOwner:
    """The owner of a worker's connections on the second address. See `Owner`."""

    lane: Lane | None = None

    def __init__(self, side: SideAddress, worker: Owner, loop: asyncio.AbstractEventLoop) -> None:
        """`loop` is that of the worker."""
        self._side, self._worker, self.loop = side, worker, loop
        connections = min(MOST_CONNECTIONS, worker.limits.connections)
        self.limits: HttpLimits = replace(worker.limits, connections=connections)
        self.connections = Connections(connections, Shares(0).take())
        self.date = DateLine()

    def listener(self) -> "SideListener":
        """Returns the listening socket."""
        return SideListener(self._side.socket)

    async def application(self, scope: Any, receive: Any, send: Any) -> None:
        """Call the ASGI application."""
        await self._side.app(scope, receive, send)

    def refused(self, status: int, id: bytes) -> None:
        """Count an answer to what could not be read as a request, with the id that the answer has."""
        self._worker.refused(status, id)

    def report(self, error: Exception) -> None:
        """Log a failure of the application."""
        self._worker.report(error)


@dataclass(slots=True)
class SideListener:
    """A listening socket, as an `Acceptor` takes it."""

    sock: socket.socket

    def close(self) -> None:
        """Accept nothing more in this process."""
        self.sock.close()
