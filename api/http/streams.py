"""Sends long answers piece by piece, in constant memory and at the client's pace. A thread makes each piece."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from typing import Any, Protocol, Self, TypeAlias

Read: TypeAlias = Callable[..., Awaitable[Any]]
"""Calls a function in a thread, and returns what it returns."""


class Pieces(Iterator[bytes], Protocol):
    """An iterator of bytes that has to be closed."""

    def close(self) -> None:
        """Closes the source of the bytes."""


class Stream:
    """An asynchronous iterator over pieces, for Falcon, which always closes it."""

    def __init__(self, pieces: Pieces, read: Read, ended: Callable[[], None] = lambda: None) -> None:
        """`read` makes each piece in a thread. Calls `ended` once, when the pieces are closed."""
        self._pieces = pieces
        self._read = read
        self._ended: Callable[[], None] | None = ended
        self._reading: asyncio.Task[bytes | None] | None = None

    def __aiter__(self) -> Self:
        """Returns itself."""
        return self

    async def __anext__(self) -> bytes:
        """Returns the next piece."""
        self._reading = asyncio.ensure_future(self._read(_next, self._pieces))
        piece = await asyncio.shield(self._reading)
        if piece is None:
            raise StopAsyncIteration
        return piece

    async def close(self) -> None:
        """Closes the pieces, after the last thread has read them: the client may have gone in between."""
        if self._reading is not None:
            with suppress(Exception):
                await self._reading
        try:
            await self._read(self._pieces.close)
        finally:
            ended, self._ended = self._ended, None
            if ended is not None:
                ended()


def _next(pieces: Iterator[bytes]) -> bytes | None:
    return next(pieces, None)
