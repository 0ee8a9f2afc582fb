"""The entries that wait for the writer: a queue with bounds on its memory and its length."""

from collections import deque
from typing import Final, TypeAlias

from .entry import Entry

Waits: TypeAlias = Entry | bytes
"""What waits: an entry, or a line that was made at once."""

LINE_BYTES: Final = 100
"""The memory of a line beside its bytes."""

DEFAULT_BYTES: Final = 64 * 2**20
DEFAULT_RECORDS: Final = 100_000
"""The most that wait in a worker, in bytes of memory and in entries."""


class Waiting:
    """A queue between the event loop, which alone puts, and the writer's thread, which alone takes and frees.

    An entry counts until the writer frees it, after its records are written. PERF: there is no lock. Each counter has
    one thread that changes it, and a deque's ends are safe by themselves.
    """

    def __init__(self, most_bytes: int = DEFAULT_BYTES, most_entries: int = DEFAULT_RECORDS) -> None:
        self._entries: deque[Waits] = deque()
        self._most_bytes, self._most_entries = most_bytes, most_entries
        self._put_bytes = self._put_entries = self._freed_bytes = self._freed_entries = 0

    @property
    def bytes(self) -> int:
        """Returns the memory of the entries that are not freed yet."""
        return self._put_bytes - self._freed_bytes

    @property
    def entries(self) -> int:
        """Returns the number of entries that are not freed yet."""
        return self._put_entries - self._freed_entries

    def is_full(self) -> bool:
        """Returns whether a bound is reached."""
        return (
            self._put_bytes - self._freed_bytes >= self._most_bytes
            or self._put_entries - self._freed_entries >= self._most_entries
        )

    def put(self, entry: Waits) -> None:
        """Adds an entry, also beyond the bounds."""
        self._put_bytes += cost_of(entry)
        self._put_entries += 1
        self._entries.append(entry)

    def take(self) -> Waits | None:
        """Returns the oldest entry, or None if there is none."""
        try:
            return self._entries.popleft()
        except IndexError:
            return None

    def free(self, entries: int, cost: int) -> None:
        """Counts entries no longer, and the memory that they cost."""
        self._freed_bytes += cost
        self._freed_entries += entries


def cost_of(entry: Waits) -> int:
    """Returns the bytes of memory that something waiting takes."""
    return LINE_BYTES + len(entry) if isinstance(entry, bytes) else entry.cost
