"""The next instant at which a time window opens or closes (rules C8, F7)."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Final

from .instants import END, SECOND
from .windows import DAY_MINUTES, TimeWindow, within

_DAY: Final = 86_400 * SECOND

_SEARCHED_DAYS: Final = 15
"""A weekly window opens and closes within eight days, or a week later if the clocks skip its hours."""


def next_change(window: TimeWindow, zone: tzinfo, instant: int) -> int | None:
    """Returns the first instant after `instant` at which `within` has another result, or None if there is none.

    Instants are in nanoseconds. `zone` is the window's time zone.
    """
    now = within(window, zone, instant)
    return next((edge for edge in _edges(window, zone, instant) if within(window, zone, edge) != now), None)


def _edges(window: TimeWindow, zone: tzinfo, instant: int) -> Iterator[int]:
    """Yields the instants after `instant` at which the window may change, in order."""
    if window.not_before is not None and window.not_before > instant:
        yield window.not_before
        instant = window.not_before
    if window.is_weekly:
        last = END if window.not_after is None else window.not_after
        try:
            yield from (edge for edge in _weekly_edges(window, zone, instant) if edge < last)
        except (OverflowError, ValueError):  # no wall clock shows the instants near the ends of the years 1 and 9999
            return
    if window.not_after is not None and window.not_after > instant:
        yield window.not_after


def _weekly_edges(window: TimeWindow, zone: tzinfo, instant: int) -> Iterator[int]:
    """Yields the edges on the wall clock, day by day. A change of the clocks is an edge too."""
    for begin in range(instant, instant + _SEARCHED_DAYS * _DAY, _DAY):
        end = begin + _DAY
        today = datetime.fromtimestamp(begin // SECOND, zone).date()
        found = {edge for days in (-1, 0, 1, 2) for edge in _edges_of_day(window, zone, today + timedelta(days))}
        found.update(_clock_changes(zone, begin // SECOND, end // SECOND))
        yield from sorted(edge for edge in found if begin < edge <= end)


def _edges_of_day(window: TimeWindow, zone: tzinfo, day: date) -> Iterator[int]:
    """Yields the start, the end and the midnight of a day, each twice if the clocks show it twice."""
    for minute in {0, window.start, window.end % DAY_MINUTES}:
        wall = datetime.combine(day, time(minute // 60, minute % 60), zone)
        for fold in (0, 1):
            yield int(wall.replace(fold=fold).timestamp()) * SECOND


def _clock_changes(zone: tzinfo, begin: int, end: int) -> Iterator[int]:
    """Yields the instant between two, in epoch seconds, at which the zone's offset changes. Within a day it is one."""
    if _offset(zone, begin) == _offset(zone, end):
        return
    while end - begin > 1:
        middle = (begin + end) // 2
        begin, end = (middle, end) if _offset(zone, middle) == _offset(zone, begin) else (begin, middle)
    yield end * SECOND


def _offset(zone: tzinfo, seconds: int) -> timedelta | None:
    return datetime.fromtimestamp(seconds, zone).utcoffset()
