"""The answers that wait, as the thread that writes them reads them."""

from typing import Final

from ..api.telemetry.bounded_queue import TURN_ENTRIES, BoundedQueue, give_turn
from ..api.telemetry.decision_log.entry import Entry, Taken
from ..api.telemetry.decision_log.plain_lines import PlainLines
from ..api.telemetry.decision_log.turns import Lines, Ready

BOUNDS: Final = 100_000, 64 * 2**20
"""The most that waits in a process by default: in records and in bytes, as in a worker of the service."""


class FreshEntries:
    """The entries that the writer takes. It makes the line of an answer, so the application's threads need not."""

    def __init__(self, waiting: BoundedQueue[Taken], plain: PlainLines) -> None:
        self._fresh, self._plain, self._taken = waiting.fresh, plain, 0

    def __len__(self) -> int:
        return len(self._fresh)

    def popleft(self) -> Ready:
        """Returns the oldest one. From time to time, the application's threads get the interpreter."""
        self._taken += 1
        if self._taken % TURN_ENTRIES == 0:
            give_turn()
        taken = self._fresh.popleft()
        line = self._plain.line(taken)
        return Entry.of(taken) if line is None else Lines(line, 1 if line else 0, 1, taken.cost)
