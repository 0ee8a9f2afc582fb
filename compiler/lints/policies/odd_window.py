"""The lint `odd-window`: a time window of the wrong zone, or of the hours that its author left out (C8)."""

from collections.abc import Iterator, Sequence
from typing import Final

from ....bundles.wording import Path, quoted
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ...model.elements import TimeWindow
from ..prepared_policy import PreparedPolicy

LONGEST_NIGHT: Final = 12 * 60
"""The minutes of a window past midnight above which its start and end were probably turned round."""

_FIXED: Final = {"EST": "America/New_York", "MST": "America/Denver"}
"""Zones that never change to summer time, though the place that people mean does, and that place."""


def odd_window(_draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each window of hours or days without a zone, if another window names one; about one past midnight
    that is longer than half a day; and about a zone without summer time where a place is meant.
    """
    windows = [
        (prepared, prepared.policy.conditions.time_window)
        for prepared in policies
        if prepared.policy.conditions is not None and prepared.policy.conditions.time_window is not None
    ]
    zoned = next((window.timezone for _, window in windows if window.timezone is not None), None)
    for prepared, window in windows:
        for member, message, help_text in _slips(window, zoned):
            path: Path = ("policies", prepared.index, "conditions", "time_window", *member)
            yield Finding("odd-window", message, path, help_text, severity="warning")


def _slips(window: TimeWindow, zoned: str | None) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Yields the member, the message and the help of each slip."""
    if window.timezone is None and zoned is not None and (window.days or window.start or window.end):
        message = f"this window has no time zone, so it is in UTC, but another one is in {quoted(zoned)}"
        yield (), message, f"name a zone, such as {quoted(zoned)}, or write `UTC`"
    if window.timezone in _FIXED:
        message = f"{quoted(window.timezone)} has no summer time"
        yield ("timezone",), message, f"name a place, such as {quoted(_FIXED[window.timezone])}"
    start, end = _minute(window.start), _minute(window.end)
    if start is not None and end is not None and end < start and end + 24 * 60 - start > LONGEST_NIGHT:
        hours = f"from {window.start} until {window.end}"
        message = f"{hours} is past midnight, and longer than half a day"
        yield ("end",), message, f"write `from {window.end} until {window.start}` if you mean the day"


def _minute(text: str | None) -> int | None:
    if text is None:
        return None
    hours, _, minutes = text.partition(":")
    return int(hours) * 60 + int(minutes[:2])
