"""The meaning of a rate limit: a list of every evaluation that counted (C10)."""

import math
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

SLOTS = 16
"""Writ counts the evaluations of a sixteenth of the window together, as if all were at its end."""

Until = Callable[[Fraction, int], Fraction]
"""The instant until which an evaluation counts, from its own instant and the length of the window in seconds."""


def exactly(when: Fraction, window: int) -> Fraction:
    """An evaluation counts for the length of the window: the limit holds for every stretch of that length."""
    return when + window


def by_slots(when: Fraction, window: int) -> Fraction:
    """It counts for the length of the window from the end of its slot on, so up to a sixteenth longer."""
    slot = Fraction(window, SLOTS)
    return (math.floor(when / slot) + 1) * slot + window


class Counters:
    """Every evaluation that counted, by policy and subject."""

    def __init__(self, until: Until) -> None:
        self.until = until
        self.counted: list[tuple[Hashable, Fraction]] = []

    def count(self, key: Hashable, rate: dict[str, Any], now: float) -> bool:
        """Returns whether the limit is not reached at `now`; if so, the evaluation counts."""
        free = len(self._ends(key, rate, now)) < rate["limit"]
        if free:
            self.counted.append((key, Fraction(now)))
        return free

    def wait(self, key: Hashable, rate: dict[str, Any], now: float) -> int:
        """Whole seconds until the limit is reached no longer, at least 1."""
        ends = sorted(self._ends(key, rate, now))
        return max(1, math.ceil(ends[len(ends) - rate["limit"]] - Fraction(now)))

    def _ends(self, key: Hashable, rate: dict[str, Any], now: float) -> list[Fraction]:
        """Returns the instants at which the evaluations that count at `now` stop counting."""
        ends = [self.until(when, rate["window_seconds"]) for one, when in self.counted if one == key]
        return [end for end in ends if end > now]
