"""Time windows: a span of instants, and hours of the week by the wall clock of a time zone (rule C8)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from .instants import SECOND, show_instant

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAY_MINUTES = 24 * 60
WEEK_MINUTES = 7 * DAY_MINUTES
EVERY_DAY = frozenset(range(7))


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """A legal time window.

    `not_before` and `not_after` are in nanoseconds since the epoch, or None for no limit. Day 0 is Monday. `start` and
    `end` are minutes of a day. `not_before` and `start` are inclusive, `not_after` and `end` are exclusive. If `start`
    is after `end`, the window crosses midnight and belongs to the day on which it starts.
    """

    not_before: int | None = None
    not_after: int | None = None
    days: frozenset[int] = EVERY_DAY
    start: int = 0
    end: int = DAY_MINUTES
    timezone: str = "UTC"

    @property
    def is_weekly(self) -> bool:
        """True if the window depends on the hours of the week."""
        return self.days != EVERY_DAY or (self.start, self.end) != (0, DAY_MINUTES)


def within(window: TimeWindow, zone: tzinfo, instant: int) -> bool | None:
    """Returns whether `instant`, in nanoseconds, is in `window`, by the wall clock of `zone`.

    Returns None if the wall clock can't show the instant: near the start of the year 0001 and the end of 9999.
    """
    if window.not_before is not None and instant < window.not_before:
        return False
    if window.not_after is not None and instant >= window.not_after:
        return False
    if not window.is_weekly:
        return True
    try:  # without the fraction of a second, since a window starts and ends at whole minutes
        local = datetime.fromtimestamp(instant // SECOND, zone)
    except (OverflowError, ValueError, OSError):
        return None
    return covers(window, local.weekday(), local.hour * 60 + local.minute)


def covers(window: TimeWindow, day: int, minute: int) -> bool:
    """Returns whether the weekly part of `window` covers a minute of a day. Day 0 is Monday.

    >>> night = TimeWindow(days=frozenset({4}), start=22 * 60, end=6 * 60)
    >>> covers(night, 4, 23 * 60), covers(night, 5, 5 * 60), covers(night, 4, 5 * 60)
    (True, True, False)
    """
    if window.start < window.end:
        return day in window.days and window.start <= minute < window.end
    return (day in window.days and minute >= window.start) or ((day - 1) % 7 in window.days and minute < window.end)


def week_spans(window: TimeWindow) -> Iterator[tuple[int, int]]:
    """Yields the minutes of the week that `window` covers, as spans from a minute up to but not including another one.

    The week begins on Monday at 00:00. Some spans may touch, and an empty one is possible.

    >>> list(week_spans(TimeWindow(days=frozenset({6}), start=22 * 60, end=6 * 60)))
    [(9960, 10080), (0, 360)]
    """
    for day in window.days:
        begins = day * DAY_MINUTES
        if window.start < window.end:
            yield begins + window.start, begins + window.end
        else:
            next_day = (begins + DAY_MINUTES) % WEEK_MINUTES
            yield begins + window.start, begins + DAY_MINUTES
            yield next_day, next_day + window.end


def show_window(window: TimeWindow) -> dict[str, Any]:
    """Returns the window as a member of the model document, without default values.

    >>> show_window(TimeWindow(days=frozenset({1, 0}), start=540, timezone="Europe/Oslo"))
    {'days': ['mon', 'tue'], 'start': '09:00', 'timezone': 'Europe/Oslo'}
    """
    shown: dict[str, Any] = {}
    if window.not_before is not None:
        shown["not_before"] = show_instant(window.not_before)
    if window.not_after is not None:
        shown["not_after"] = show_instant(window.not_after)
    if window.days != EVERY_DAY:
        shown["days"] = [DAYS[day] for day in sorted(window.days)]
    if window.start != 0:
        shown["start"] = _show_minutes(window.start)
    if window.end != DAY_MINUTES:
        shown["end"] = _show_minutes(window.end)
    if window.timezone != "UTC":
        shown["timezone"] = window.timezone
    return shown


def _show_minutes(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"
