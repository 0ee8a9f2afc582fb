"""Makes fresh answers ready for the writer, in short turns of the event loop.

PERF: a decision only leaves what is at hand. What costs more is done for hundreds of decisions together, which takes a
third of the time: the code and its data are in the processor's caches then. A thread would be no better, since it and
the event loop would take the interpreter from each other.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from ..bounded_queue import BoundedQueue
from .entry import Entry, Taken
from .plain_lines import PlainLines

TURN_SECONDS: Final = 0.01
"""The seconds that a fresh answer waits. After a longer time, its bytes are no longer in the processor's caches."""

TURN_LINES: Final = 64
"""The lines of a turn. It takes less than half a millisecond."""


LINES_BYTES: Final = 200
"""The memory of lines beside their text."""


class Lines(NamedTuple):
    """Lines that were made together: the number of records and of calls that they are of, and their memory."""

    text: bytes
    records: int
    calls: int
    cost: int

    @classmethod
    def of(cls, lines: Sequence[bytes], calls: int) -> "Lines":
        """PERF: once they are joined, their memory is free for the next lines, and still in the processor's caches."""
        text = b"".join(lines)
        return cls(text, len(lines), calls, LINES_BYTES + len(text))


Ready: TypeAlias = Entry | Lines


class Turns:
    """The turns of a worker. `plain` makes lines, or is None if every record is made by the writer.

    The writer takes what is `ready`, the oldest first. It counts in `waiting` until the writer frees it.
    """

    def __init__(self, waiting: BoundedQueue[Taken], plain: PlainLines | None, log: logging.Logger) -> None:
        self._waiting, self._plain, self._log = waiting, plain, log
        self.ready: deque[Ready] = deque()
        self.failed = 0
        """The answers whose lines could not be made."""

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
        fresh, lines, calls, cost = self._waiting.fresh, list[bytes](), 0, 0
        for _ in range(min(TURN_LINES, len(fresh))):
            taken = fresh.popleft()
            line = self._line(taken)
            if line is None:
                self._lines_ready(lines, calls, cost)
                lines, calls, cost = [], 0, 0
                self.ready.append(Entry.of(taken))
                continue
            calls += 1
            cost += taken.cost
            if line:
                lines.append(line)
        self._lines_ready(lines, calls, cost)

    def _lines_ready(self, lines: list[bytes], calls: int, cost_before: int) -> None:
        if calls:
            ready = Lines.of(lines, calls)
            self._waiting.grow(ready.cost - cost_before)
            self.ready.append(ready)

    def _line(self, taken: Taken) -> bytes | None:
        """Returns the line of an answer, or None if the writer has to make it. It is empty if there is none."""
        if self._plain is None:
            return None
        try:
            return self._plain.line(taken)
        except Exception as ex:  # one answer must not keep the others from being logged
            self._log.error("the decision log lost records: %s", type(ex).__name__, exc_info=ex)
            self.failed += 1
            return b""
