"""The writing side of a connection: it waits for a slow client, is bounded in time, and ends so that the client gets
all.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from ..settings.settings import HttpLimits

LINGER_SECONDS: Final = 2.0
"""The seconds for which a connection with an early answer still reads from its client, so that no reset overtakes the
answer (RFC 9112, 9.6)."""

FAREWELL_SECONDS: Final = 0.1
"""The seconds for which a connection that this side closes waits for the client to close too, as TLS wants."""


class Outlet:
    """The writing side of one connection over `transport`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, limits: HttpLimits, transport: Any, secure: bool) -> None:
        self._loop, self._limits, self._transport, self._secure = loop, limits, transport, secure
        self._writable: asyncio.Future[None] | None = None
        self._untaken = 0  # bytes that the client had not taken when that was last looked at
        self._abort: asyncio.TimerHandle | None = None
        self._linger: asyncio.TimerHandle | None = None

    @property
    def is_full(self) -> bool:
        """Returns whether the client has yet to take what was written."""
        return self._writable is not None

    async def drained(self) -> None:
        """Wait until the client has taken enough."""
        if self._writable is not None:
            await self._writable

    def pause(self) -> None:
        """The client does not take what was written."""
        self._writable = self._loop.create_future()
        self.watch()

    def resume(self) -> None:
        """The client has taken what was written."""
        if self._writable is not None:
            if not self._writable.done():
                self._writable.set_result(None)
            self._writable = None

    def watch(self) -> None:
        """Abort if the client takes its answer more slowly than it would have to send a body."""
        self._untaken = self._transport.get_write_buffer_size()
        self.abort_after(self._limits.body_seconds, self._check)

    def _check(self) -> None:
        taken = self._untaken - self._transport.get_write_buffer_size()
        if taken < self._limits.body_seconds * self._limits.body_rate:
            self._transport.abort()
        else:
            self.watch()

    def abort_after(self, seconds: float, call: Callable[[], None] | None = None) -> None:
        """Abort the connection after `seconds`, or make the `call` instead."""
        self.keep()
        self._abort = self._loop.call_later(seconds, call or self._transport.abort)

    def keep(self) -> None:
        """Abort no more."""
        if self._abort is not None:
            self._abort.cancel()
            self._abort = None

    def leave(self) -> None:
        """Close without a word, once what was written is on its way."""
        self._transport.close()
        if self._secure:
            self.abort_after(FAREWELL_SECONDS)

    def close(self, unread: bool) -> None:
        """Close once the client has taken everything; with `unread`, it may still be sending."""
        self.watch()  # the transport itself waits without end
        if not unread:
            self._transport.close()
            return
        self._transport.resume_reading()
        if self._transport.can_write_eof():
            self._transport.write_eof()
        self._linger = self._loop.call_later(LINGER_SECONDS, self._transport.close)

    def lost(self) -> None:
        """The connection is gone."""
        self.keep()
        self.resume()
        if self._linger is not None:
            self._linger.cancel()
