"""The deadlines of a connection: a timer that is moved often and expires seldom, and the pace of a body."""

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

LAST_CALL_SECONDS: Final = 0.25
"""The seconds for which a connection that owes nothing waits for one more request, when the service stops. So a client
that asks again and again learns from an answer that the connection ends."""

STOP_SECONDS: Final = 2.0
"""The seconds for which a service that stops still waits for the rest of a request."""


LEFT_SECONDS: Final = 0.5
"""The seconds for which an answer is still made for a client that has closed its sending side. It may be gone."""


class Awaits(Enum):
    """The event that a connection waits for. ANSWER has a deadline only once the client has closed its side."""

    FIRST_BYTE = auto()
    HEAD = auto()
    BODY = auto()
    ANSWER = auto()
    NEXT = auto()


@dataclass(slots=True)
class Pace:
    """A body that began at `started`, in the seconds of some clock.

    It may take `seconds`, and longer while it comes at `rate` bytes a second on average, with no pause of `seconds`.
    """

    seconds: float
    rate: int
    started: float
    _bytes: int = 0
    _last: float = field(init=False)

    def __post_init__(self) -> None:
        self._last = self.started

    def add(self, count: int, now: float) -> None:
        """Note that `count` bytes came."""
        self._bytes += count
        self._last = now

    @property
    def due(self) -> float:
        """The time at which the body has to be complete, if nothing comes any more.

        >>> upload = Pace(seconds=30.0, rate=1_000, started=100.0)
        >>> upload.add(20_000, 105.0)
        >>> upload.due
        130.0
        >>> upload.add(50_000, 129.0)
        >>> upload.due
        159.0
        """
        return min(self._last + self.seconds, self.started + max(self.seconds, self._bytes / self.rate))


class Deadline:
    """One deadline at a time. `expired` is called when it passes.

    PERF: to move it later costs an assignment. The timer that is set already looks at it and sets itself again.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, expired: Callable[[], None]) -> None:
        self._loop, self._expired = loop, expired
        self._due = math.inf
        self._pace: Pace | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._looks = math.inf  # when the timer looks

    def set(self, seconds: float) -> None:
        """Expire after `seconds`, instead of whenever it would have."""
        self._pace = None
        self._due = due = self._loop.time() + seconds
        if self._looks > due:
            self._start(due)

    def follow(self, pace: Pace) -> None:
        """Expire when a body is late."""
        if self._pace is not pace:
            self._pace = pace
            self._start(pace.due)

    def clear(self) -> None:
        """Expire never, until it is set again."""
        self._pace, self._due = None, math.inf

    def cancel(self) -> None:
        """Let go of the timer."""
        self.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer, self._looks = None, math.inf

    def end(self) -> None:
        """Expire never more, and let go of what would be called."""
        self.cancel()
        del self._expired

    def _start(self, due: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._looks = self._loop.call_at(due, self._look), due

    def _look(self) -> None:
        self._timer, self._looks = None, math.inf
        due = self._due if self._pace is None else self._pace.due
        if due <= self._loop.time():
            self._expired()
        elif due < math.inf:
            self._start(due)
