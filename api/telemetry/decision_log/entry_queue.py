"""The queue of entries for the writer, with bounds on its memory and its length."""

from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from .entry import ENTRY_BYTES, Entry, Taken

LINE_BYTES: Final = 100
"""The memory of a line beside its bytes."""

DEFAULT_BYTES: Final = 64 * 2**20
DEFAULT_RECORDS: Final = 100_000
"""The most that wait in a worker, in bytes of memory and in calls."""


class Lines(NamedTuple):
    """Lines that were made together: their memory, and the number of calls that they are of."""

    lines: list[bytes]
    cost: int
    calls: int


Waits: TypeAlias = Entry | Lines


class EntryQueue:
    """A queue between the event loop and the writer's thread. Answers are taken, made ready, and then written.

    The event loop alone puts and makes ready, and `wake` tells it of the first fresh answer. The thread alone takes
    and frees. A call counts until the thread frees it, after its records are written. PERF: there is no lock. Each
    counter has one thread that changes it, and a deque's ends are safe by themselves.
    """

    def __init__(self, most_bytes: int = DEFAULT_BYTES, most_calls: int = DEFAULT_RECORDS) -> None:
        self.fresh: deque[Taken] = deque()
        self._ready: deque[Waits] = deque()
        self.most_bytes, self.most_calls = most_bytes, most_calls
        self.taken = 0
        self.wake: Callable[[], None] = _stay_asleep
        self._put_bytes = self._freed_bytes = self._freed_calls = 0

    @property
    def bytes(self) -> int:
        """Returns the memory of the calls that are not freed yet."""
        return self._put_bytes - self._freed_bytes

    @property
    def calls(self) -> int:
        """Returns the number of calls that are not freed yet."""
        return self.taken - self._freed_calls

    def is_full(self) -> bool:
        """Returns whether a bound is reached."""
        return (
            self._put_bytes - self._freed_bytes >= self.most_bytes or self.taken - self._freed_calls >= self.most_calls
        )

    def put(self, taken: Taken, beyond: bool) -> bool:
        """Adds an answer, unless a bound is reached and it must not go `beyond`. Returns whether it did.

        PERF: `is_full` and `cost_of` are written out, as this is called for each decision.
        """
        if not beyond and (
            self._put_bytes - self._freed_bytes >= self.most_bytes or self.taken - self._freed_calls >= self.most_calls
        ):
            return False
        if not self.fresh:
            self.wake()
        self.fresh.append(taken)
        self.taken += 1
        self._put_bytes += ENTRY_BYTES + len(taken.request) + len(taken.answer)
        return True

    def make_ready(self, ready: Waits, cost_before: int) -> None:
        """Adds what was made of fresh answers, which cost so many bytes of memory."""
        self._put_bytes += ready.cost - cost_before
        self._ready.append(ready)

    def take(self) -> Waits | None:
        """Returns the oldest of what is ready, or None if there is nothing."""
        try:
            return self._ready.popleft()
        except IndexError:
            return None

    def free(self, calls: int, cost: int) -> None:
        """Counts calls no longer, and the memory that they cost."""
        self._freed_bytes += cost
        self._freed_calls += calls


def _stay_asleep() -> None:
    """No turn makes answers ready."""


def cost_of(taken: Taken) -> int:
    """Returns the bytes of memory that a fresh answer takes."""
    return ENTRY_BYTES + len(taken.request) + len(taken.answer)
