"""Words for time windows, from the form that the model document has (C8)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ....bundles.conditions.windows import DAYS
from ....bundles.wording import joined

_NAMES: Final = dict(
    zip(DAYS, ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"), strict=True)
)
_SHORTEST_RUN: Final = 3
"""Days in a row that are named by the first and the last one."""


def window_words(window: Mapping[str, Any]) -> str:
    """Returns a time window in words, to follow a noun.

    >>> window_words({"days": ["mon", "tue", "wed"], "start": "09:00", "end": "17:00", "timezone": "Europe/Oslo"})
    'on Monday to Wednesday from 09:00 to 17:00 (Europe/Oslo)'
    >>> window_words({"not_before": "2026-01-01T00:00:00Z", "start": "22:00", "end": "06:00"})
    'from 2026-01-01T00:00:00Z on, every day from 22:00 to 06:00 of the next day (UTC)'
    """
    return ", ".join(part for part in (_span(window), _hours(window)) if part)


def asking_words(window: Mapping[str, Any]) -> str:
    """Returns a time window in words that follow "asks": first the hours, then the days.

    >>> asking_words({"days": ["mon", "tue", "wed", "thu", "fri"], "start": "07:00", "timezone": "Europe/Oslo"})
    'from 07:00 on Monday to Friday (Europe/Oslo)'
    """
    span = _span(window)
    if not {"days", "start", "end"} & window.keys():
        return span
    start, end = window.get("start", "00:00"), window.get("end", "24:00")
    hours = "" if (start, end) == ("00:00", "24:00") else f"from {start}" + ("" if end == "24:00" else f" to {end}")
    next_day = " of the next day" if start > end else ""
    days = f"on {days_words(window['days'])}" if "days" in window else "on any day"
    words = " ".join(part for part in (f"{hours}{next_day}", days) if part)
    return f"{words} ({window.get('timezone', 'UTC')}){span and f', {span}'}"


def _span(window: Mapping[str, Any]) -> str:
    match window.get("not_before"), window.get("not_after"):
        case None, None:
            return ""
        case start, None:
            return f"from {start} on"
        case None, end:
            return f"before {end}"
        case start, end:
            return f"from {start} until {end}"


def _hours(window: Mapping[str, Any]) -> str:
    if not {"days", "start", "end"} & window.keys():
        return ""
    start, end = window.get("start", "00:00"), window.get("end", "24:00")
    days = f"on {days_words(window['days'])}" if "days" in window else "every day"
    hours = "" if (start, end) == ("00:00", "24:00") else f" from {start} to {end}"
    return f"{days}{hours}{' of the next day' if start > end else ''} ({window.get('timezone', 'UTC')})"


def days_words(days: Sequence[str]) -> str:
    """Returns days of the week, in their order. A run of days is named by its ends.

    >>> days_words(["mon", "tue", "wed", "sat"])
    'Monday to Wednesday and Saturday'
    """
    runs: list[list[str]] = []
    for number, day in enumerate(DAYS):
        if day in days:
            if runs and runs[-1][-1] == DAYS[number - 1]:
                runs[-1].append(day)
            else:
                runs.append([day])
    words: list[str] = []
    for run in runs:
        names = [_NAMES[day] for day in run]
        words += [f"{names[0]} to {names[-1]}"] if len(names) >= _SHORTEST_RUN else names
    return joined(words, "and")
