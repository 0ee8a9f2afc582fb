"""Answers that cost much come one at a time, with pauses between them, so that they delay no decisions."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

Made = TypeVar("Made")

SHARE: Final = 5
"""The making of such answers takes one part of so many of a worker's time."""

LONGEST_PAUSE: Final = 0.5
"""The most seconds between two answers: making may have waited for something else."""


class Pace:
    """The pace of one kind of answer in one worker. A request that comes alone never waits."""

    def __init__(self, least_seconds: float = 0.0) -> None:
        """From the end of one answer to the next one, at least `least_seconds` pass."""
        self._least_seconds = least_seconds
        self._turn = asyncio.Lock()
        self._free_at = 0.0

    async def make(self, make: Callable[[], Awaitable[Made]]) -> Made:
        """Returns what `make` returns, which starts once it has its turn. A call that is cancelled leaves the queue."""
        clock = asyncio.get_running_loop().time
        async with self._turn:
            await asyncio.sleep(self._free_at - clock())  # without a wait, if that is over
            began = clock()
            try:
                return await make()
            finally:
                ended = clock()
                pause = max(self._least_seconds, (SHARE - 1) * (ended - began))
                self._free_at = ended + min(pause, LONGEST_PAUSE)
