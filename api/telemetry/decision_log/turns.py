"""Makes fresh answers ready for the writer, in short turns of the event loop.

PERF: the lines of many decisions become one text while they are in the processor's caches. A thread would be no better,
since it and the event loop would take the interpreter from each other.
"""

import asyncio
from collections import deque
from typing import Final, NamedTuple, TypeAlias

from .entry import LINE_BYTES, Entry, Waiting

TURN_SECONDS: Final = 0.01
"""The seconds that a fresh answer waits. After a longer time, its bytes are no longer in the processor's caches."""

TURN_LINES: Final = 64
"""The lines of a turn, which takes some microseconds. Their text fits into memory that was used before."""

LINES_BYTES: Final = 200
"""The memory of lines beside their text."""


class Lines(NamedTuple):
    """Lines that were made together: the number of records and of calls that they are of, and their memory."""

    text: bytes
    records: int
    calls: int
    cost: int


Ready: TypeAlias = Entry | Lines


class Turns:
    """The turns of a worker.

    The writer takes what is `ready`, the oldest first. It counts in `waiting` until the writer frees it.
    """

    def __init__(self, waiting: Waiting) -> None:
        self._waiting = waiting
        self.ready: deque[Ready] = deque()

    def wake(self) -> None:
        """There is a first fresh answer: have a turn soon, in the running event loop."""
        asyncio.get_running_loop().call_later(TURN_SECONDS, self._turn)

    def _turn(self) -> None:
        try:
            self.make_ready()
        finally:
            if self._waiting.fresh:
                asyncio.get_running_loop().call_soon(self._turn)

    def finish(self) -> None:
        """Make all ready, because the worker stops."""
        while self._waiting.fresh:
            self.make_ready()

    def make_ready(self) -> None:
        """Make up to `TURN_LINES` answers ready."""
        fresh, lines = self._waiting.fresh, list[bytes]()
        for _ in range(min(TURN_LINES, len(fresh))):
            taken = fresh.popleft()
            if isinstance(taken, bytes):
                lines.append(taken)
                continue
            self._join(lines)
            lines = []
            self.ready.append(Entry.of(taken))
        self._join(lines)

    def _join(self, lines: list[bytes]) -> None:
        if lines:
            text = b"".join(lines)
            self._waiting.grow(LINES_BYTES - LINE_BYTES * len(lines))
            self.ready.append(Lines(text, len(lines), len(lines), LINES_BYTES + len(text)))
