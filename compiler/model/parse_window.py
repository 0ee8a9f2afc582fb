"""Parses a time window of the model to its meaning (rule C8)."""

import re
from collections.abc import Iterator

from ...bundles.conditions.instants import parse_instant
from ...bundles.conditions.windows import DAY_MINUTES, DAYS, EVERY_DAY
from ...bundles.conditions.windows import TimeWindow as Window
from ...bundles.wording import quoted
from .elements import TimeWindow

_CLOCK = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
_DAYS_END = "24:00"
_LIMITING = ("not_before", "not_after", "days", "start", "end")


class BadWindow(ValueError):
    """A fault of a time window, in one sentence. `member` is the faulty member, or "" for the whole window."""

    def __init__(self, code: str, message: str, member: str = "", help_text: str = ""):
        super().__init__(message)
        self.code, self.message, self.member, self.help = code, message, member, help_text


def parse_window(window: TimeWindow) -> Window:
    """Returns the meaning of a window, without a check whether its time zone exists. Raises BadWindow for a fault.

    >>> parse_window(TimeWindow(days=("mon",), start="22:00", end="24:00"))
    TimeWindow(not_before=None, not_after=None, days=frozenset({0}), start=1320, end=1440, timezone='UTC')
    """
    for fault in window_faults(window):
        raise fault
    return Window(
        not_before=None if window.not_before is None else parse_instant(window.not_before),
        not_after=None if window.not_after is None else parse_instant(window.not_after),
        days=EVERY_DAY if window.days is None else frozenset(map(DAYS.index, window.days)),
        start=0 if window.start is None else _minutes(window.start, "start"),
        end=DAY_MINUTES if window.end is None else _minutes(window.end, "end"),
        timezone="UTC" if window.timezone is None else window.timezone,
    )


def window_faults(window: TimeWindow) -> Iterator[BadWindow]:
    """Yields every fault of a window, but does not check whether its time zone exists."""
    if not any(getattr(window, member) is not None for member in _LIMITING):
        yield BadWindow("empty-window", "the time window sets no limit", help_text="leave it out")
    if window.days == ():
        message = "a time window without a day is never open"
        yield BadWindow("empty-window", message, "days", "leave `days` out to mean every day")
    yield from _span_faults(window)
    yield from _hours_faults(window)


def _span_faults(window: TimeWindow) -> Iterator[BadWindow]:
    instants = []
    for member, text in (("not_before", window.not_before), ("not_after", window.not_after)):
        if text is not None:
            try:
                instants.append(parse_instant(text))
            except ValueError as ex:
                yield BadWindow("bad-instant", str(ex), member)
    if len(instants) == 2 and instants[0] >= instants[1]:
        message = f"the window ends at {quoted(window.not_after)}, which is not after {quoted(window.not_before)}"
        yield BadWindow("empty-window", message, "not_after")


def _hours_faults(window: TimeWindow) -> Iterator[BadWindow]:
    hours = []
    for member, text, default in (("start", window.start, 0), ("end", window.end, DAY_MINUTES)):
        try:
            hours.append(default if text is None else _minutes(text, member))
        except BadWindow as fault:
            yield fault
    if len(hours) == 2 and hours[0] == hours[1]:
        member = "start" if window.end is None else "end"
        message = "the window starts and ends at the same time of day"
        yield BadWindow("empty-window", message, member, "leave `start` and `end` out to mean the whole day")


def _minutes(text: str, member: str) -> int:
    """Returns the minutes since midnight of a wall-clock time. Raises BadWindow."""
    if text == _DAYS_END:
        if member == "end":
            return DAY_MINUTES
        raise BadWindow("bad-time", f"{quoted(text)} can only be an `end`", member, "write `00:00`")
    found = _CLOCK.fullmatch(text)
    if found is None:
        raise BadWindow("bad-time", f"expected a time like `09:00`, found {quoted(text)}", member)
    return int(found[1]) * 60 + int(found[2])
