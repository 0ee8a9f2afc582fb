"""Instants as RFC 3339 text and as epoch seconds, within the years 0001 to 9999 (rule C8).

An instant is a whole number of nanoseconds since 1970 in UTC. So comparisons are exact: a double can't distinguish the
microseconds of the year 9999. Digits beyond nanoseconds are cut off.
"""

import math
import re
from calendar import monthrange
from datetime import UTC, datetime, timedelta

from .values import Json, is_number

_RFC3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII
)
_LONGEST_TEXT = 64
_FAR = 10**12
"""Seconds from the epoch, beyond every readable instant."""

_MICROSECOND = 1_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECOND = 10**9
EARLIEST = -62_135_596_800 * SECOND
END = 253_402_300_800 * SECOND
"""Readable instants are EARLIEST <= instant < END: from the start of the year 0001 to the end of the year 9999."""

_FIRST_SECOND, _END_SECOND = EARLIEST / SECOND, END / SECOND


def parse_instant(text: str) -> int:
    """Returns the nanoseconds of an RFC 3339 instant with an offset. The seconds may be left out (C8).

    Raises ValueError, with one sentence, for any other text, and for a leap second (`:60`).

    >>> parse_instant("1970-01-01T01:00:00.5+01:00"), parse_instant("1970-01-02T00:00Z") // SECOND
    (500000000, 86400)
    """
    found = _RFC3339.fullmatch(text) if len(text) <= _LONGEST_TEXT else None
    if not found:
        raise ValueError("expected an RFC 3339 instant with an offset, like `2027-01-31T09:00:00Z`")
    year, month, day, hour, minute, second, fraction, sign, off_hours, off_minutes = found.groups(default="0")
    if int(off_hours) > 23 or int(off_minutes) > 59:
        raise ValueError(f"the offset of `{text}` is out of range")
    offset = timedelta(hours=int(off_hours), minutes=int(off_minutes)) * (-1 if sign == "-" else 1)
    parts = (int(year), int(month), int(day), int(hour), int(minute), int(second))
    try:
        local = datetime(*parts, tzinfo=UTC)
    except ValueError:
        raise ValueError(f"`{text}` is not a date and time: {_fault(*parts)}") from None
    elapsed = (local - _EPOCH) - offset
    instant = (elapsed.days * 86_400 + elapsed.seconds) * SECOND + int(fraction[:9].ljust(9, "0"))
    if not EARLIEST <= instant < END:
        raise ValueError(f"`{text}` is outside the years 0001 to 9999")
    return instant


def _fault(year: int, month: int, day: int, hour: int, minute: int, _second: int) -> str:
    """Returns the reason why the parts are no date and time. Each version of Python has other words for it."""
    if year == 0:
        return "year 0 is out of range"
    if not 1 <= month <= 12:
        return "month must be in 1..12"
    if not 1 <= day <= monthrange(year, month)[1]:
        return "day is out of range for month"
    part, last = ("hour", 23) if hour > 23 else ("minute", 59) if minute > 59 else ("second", 59)
    return f"{part} must be in 0..{last}"


def read_instant(value: Json) -> int | None:
    """Returns the nanoseconds of the time that a request sent, or None if it can't be read (C7, C8).

    >>> read_instant("2001-09-09T01:46:40Z") == read_instant(1_000_000_000) == read_instant(1e9), read_instant(True)
    (True, None)
    """
    if isinstance(value, str):
        try:
            return parse_instant(value)
        except ValueError:
            return None
    if is_number(value) and -_FAR < value < _FAR:  # false for infinity and NaN
        instant = from_seconds(value)
        return instant if EARLIEST <= instant < END else None
    return None


def instant_of(sent: Json, now: float) -> int | None:
    """Returns the nanoseconds of `context.time` if it was sent, else of the clock; None if it can't be read (C8).

    >>> instant_of(None, 1.5), instant_of("1970-01-01T00:00Z", 1.5), instant_of("today", 1.5)
    (1500000000, 0, None)
    >>> instant_of(None, -62_135_596_800) == EARLIEST, instant_of(None, END / SECOND), instant_of(None, math.nan)
    (True, None, None)
    """
    if sent is None:  # PERF: most requests leave the time to the clock, and its number needs no look at its type
        return from_seconds(now) if _FIRST_SECOND <= now < _END_SECOND else None
    return read_instant(sent)


def from_seconds(seconds: float) -> int:
    """Returns the nanoseconds of finite epoch seconds, without the rounding error of a product of doubles.

    >>> from_seconds(0.1), from_seconds(-1)
    (100000000, -1000000000)
    """
    numerator, denominator = seconds.as_integer_ratio()
    return numerator * SECOND // denominator


def seconds_not_before(instant: int) -> float:
    """Returns the smallest double of epoch seconds that is not before `instant`.

    So comparing it with the double of a clock gives the same result as comparing the instants.

    >>> seconds_not_before(1_500_000_000), from_seconds(seconds_not_before(100_000_001)) >= 100_000_001
    (1.5, True)
    """
    seconds = instant / SECOND  # rounded correctly: one of the two doubles next to the instant
    numerator, denominator = seconds.as_integer_ratio()
    return seconds if numerator * SECOND >= instant * denominator else math.nextafter(seconds, math.inf)


def show_instant(instant: int) -> str:
    """Returns the RFC 3339 text of nanoseconds, in UTC. It has a fraction only if the fraction is not zero.

    >>> show_instant(0), show_instant(1_500_000_000)
    ('1970-01-01T00:00:00Z', '1970-01-01T00:00:01.5Z')
    """
    whole, fraction = divmod(instant, SECOND)
    shown = (_EPOCH + timedelta(seconds=whole)).replace(tzinfo=None).isoformat()
    return f"{shown}.{fraction:09}".rstrip("0").rstrip(".") + "Z" if fraction else f"{shown}Z"


def show_seconds(seconds: float) -> str:
    """Returns the RFC 3339 text, in UTC, of finite epoch seconds.

    >>> show_seconds(1.5)
    '1970-01-01T00:00:01.5Z'
    """
    return show_instant(from_seconds(seconds))


def shown_instant(seconds: float) -> str | None:
    """Returns epoch seconds as RFC 3339, or None if they are infinite. Doubles tell microseconds apart.

    The seconds are those of `seconds_not_before`: of the instants for which it gives them, the result is a whole
    microsecond, or the first nanosecond after one, if there is such an instant.

    A change at the end of the year 9999 may only show at the first double after it, which RFC 3339 can't write. Then it
    is the last instant before: no clock shows one between both.

    >>> shown_instant(1_800_000_000.5), shown_instant(float("inf"))
    ('2027-01-15T08:00:00.5Z', None)
    >>> shown_instant(seconds_not_before(1_800_000_000 * SECOND + 1))
    '2027-01-15T08:00:00.000000001Z'
    """
    if math.isinf(seconds):
        return None
    exact = min(from_seconds(seconds), END - 1)
    rounded = round(exact / _MICROSECOND) * _MICROSECOND
    after = round(from_seconds(math.nextafter(seconds, -math.inf)) / _MICROSECOND) * _MICROSECOND + 1
    shown = (one for one in (rounded, after) if EARLIEST <= one < END and seconds_not_before(one) == seconds)
    return show_instant(next(shown, exact))
