"""What a connection needs of the worker that it belongs to."""

import asyncio
from typing import Any, Protocol

from ..settings import HttpLimits
from .lane_calls import Lane
from .response_head import DateLine
from .waiting import Connections


class Owner(Protocol):
    """What a connection needs of its worker."""

    loop: asyncio.AbstractEventLoop
    limits: HttpLimits
    connections: Connections
    lane: Lane | None
    date: DateLine

    async def application(self, scope: Any, receive: Any, send: Any) -> None:
        """Call the ASGI application."""

    def report(self, error: Exception) -> None:
        """Log a failure of the application."""
