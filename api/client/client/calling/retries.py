"""Repeats calls after a broken connection, 429 and 503: a few times, with jitter, and within a budget."""

import threading
from collections.abc import Callable
from typing import Final

PAUSE_SECONDS: Final = (0.02, 0.1)
"""The longest pauses before the second and the third attempt of a call, the last one. `Retry-After` comes on top."""

BUDGET_RATIO: Final = 0.1
"""The repetitions that each call earns. So repetitions add a tenth to the load at most."""

BUDGET_MOST: Final = 10.0
"""The repetitions that may be saved for a moment of trouble."""

REPEATED: Final = frozenset({429, 503})
"""The statuses after which a call is repeated."""


class RetryBudget:
    """The repetitions that all calls of a client share, so that many callers don't add to an overload."""

    def __init__(self, ratio: float = BUDGET_RATIO, most: float = BUDGET_MOST):
        self._ratio, self._most, self._left = ratio, most, most
        self._lock = threading.Lock()

    def earn(self) -> None:
        """Count a call."""
        with self._lock:
            self._left = min(self._most, self._left + self._ratio)

    def take(self) -> bool:
        """Returns whether a repetition is left, and takes it."""
        with self._lock:
            if self._left < 1:
                return False
            self._left -= 1
            return True


class Repeating:
    """The attempts of one call. `random` gives numbers from 0 to 1, and `clock` the seconds of a monotonic clock.

    `longest_wait` is the longest `Retry-After` in seconds that is waited for, or None if the deadline alone bounds it.
    """

    def __init__(
        self,
        budget: RetryBudget,
        random: Callable[[], float],
        clock: Callable[[], float],
        deadline: float,
        longest_wait: float | None = None,
    ) -> None:
        self._longest_wait = float("inf") if longest_wait is None else longest_wait
        self._budget, self._random, self._clock, self._deadline = budget, random, clock, deadline
        self._repeated = 0
        budget.earn()

    @property
    def seconds_left(self) -> float:
        """The time until the deadline in seconds, at least 0."""
        return max(0.0, self._deadline - self._clock())

    def pause(self, retry_after: float | None = None) -> float | None:
        """Returns the seconds to wait before the next attempt, or None if there is none.

        `retry_after` is the least time in seconds that the decision point asked for. There is no next attempt if it
        could only begin after the deadline, or after the longest wait. Nor is there one if this call has had its
        attempts, or if the budget is empty.
        """
        if self._repeated >= len(PAUSE_SECONDS) or (retry_after or 0.0) > self._longest_wait:
            return None
        seconds = (retry_after or 0.0) + PAUSE_SECONDS[self._repeated] * self._random()
        if seconds >= self.seconds_left or not self._budget.take():
            return None
        self._repeated += 1
        return seconds
