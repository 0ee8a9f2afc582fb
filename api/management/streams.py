"""Long answers: sent piece by piece, each made by a thread, in constant memory and at the client's pace."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Protocol, Self

from ..serving.store_work import StoreWork


class Pieces(Iterator[bytes], Protocol):
    """Bytes that are read bit by bit from something that has to be closed."""

    def close(self) -> None:
        """Let go of what is read."""


class Stream:
    """An asynchronous iterator over pieces, for Falcon, which closes it whatever happens to the answer."""

    def __init__(self, pieces: Pieces, work: StoreWork, ended: Callable[[], None] = lambda: None) -> None:
        """`ended` is called once, when the pieces are closed."""
        self._pieces = pieces
        self._work = work
        self._ended: Callable[[], None] | None = ended
        self._reading: asyncio.Task[bytes | None] | None = None

    def __aiter__(self) -> Self:
        """Itself."""
        return self

    async def __anext__(self) -> bytes:
        """The next piece."""
        self._reading = asyncio.ensure_future(self._work.read(_next, self._pieces))
        piece = await asyncio.shield(self._reading)
        if piece is None:
            raise StopAsyncIteration
        return piece

    async def close(self) -> None:
        """Close what is read, once no thread reads it any more: the client may have gone in the middle."""
        if self._reading is not None:
            with suppress(Exception):
                await self._reading
        try:
            await self._work.read(self._pieces.close)
        finally:
            ended, self._ended = self._ended, None
            if ended is not None:
                ended()


def _next(pieces: Iterator[bytes]) -> bytes | None:
    return next(pieces, None)
