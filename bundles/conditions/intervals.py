"""Intervals of time, from a start up to but not including an end."""

from collections.abc import Iterable
from typing import TypeVar

Time = TypeVar("Time", bound=float)


def united(intervals: Iterable[tuple[Time, Time]]) -> list[tuple[Time, Time]]:
    """Returns the union of intervals as the fewest intervals, in order. Two that touch become one; empty ones are gone.

    >>> united([(5, 7), (1, 3), (3, 4), (6, 6)])
    [(1, 4), (5, 7)]
    """
    found: list[tuple[Time, Time]] = []
    for start, end in sorted(intervals):
        if start >= end:
            continue
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found
