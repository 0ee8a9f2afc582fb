"""The limit of a write's time."""

import time
from collections.abc import Callable
from typing import Final

from ..errors import BodyFault, WriteTakesLong

PREPARING_SECONDS: Final = 30.0
"""The time in which a write is prepared, outside the write lock."""

LOCKED_MILLISECONDS: Final = 250
"""The default of the processor time that a write may take inside the write lock, while other writes wait."""


class TimeLimit:
    """The limit of the time of some work, which starts with `begin`. `clock` gives seconds.

    Any thread may call it.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds, self._clock = seconds, clock
        self._end: float | None = None
        self._is_left = False

    @classmethod
    def of_processor(cls, seconds: float) -> "TimeLimit":
        """Returns a limit that starts now, of the processor time of this thread: a busy machine takes nothing of it."""
        found = cls(seconds, time.thread_time)
        found.begin()
        return found

    def begin(self) -> None:
        """Start the time."""
        self._end = self._clock() + self.seconds

    def leave(self) -> None:
        """End the work now, since its caller is gone."""
        self._is_left = True

    def is_over(self) -> bool:
        """Returns whether the time has passed, or the caller is gone."""
        return self._is_left or (self._end is not None and self._clock() > self._end)

    def left(self) -> float:
        """Returns the seconds that are left of work that has begun, 0 at least."""
        return self.seconds if self._end is None else max(0.0, self._end - self._clock())

    def refuse_late(self) -> None:
        """Raises WriteTakesLong if the work must end."""
        if self.is_over():
            raise self.error()

    def error(self) -> WriteTakesLong:
        """Returns the error of work that took too long."""
        message = f"the write takes longer than {self.seconds:g} s"
        return WriteTakesLong((BodyFault("takes-long", "$", message, "write fewer changes at a time"),))
