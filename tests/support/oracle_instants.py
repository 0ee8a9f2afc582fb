"""The meaning of an instant: RFC 3339 text or epoch seconds, to the nanosecond (C8), and of `now` (X5)."""

import math
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from tests.support.oracle_entities import Json, Question

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EARLIEST = Fraction(-62135596800)
END = Fraction(253402300800)
NANOSECOND = Fraction(1, 10**9)
LONGEST_TEXT = 64
RFC3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?"
    r"(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))",
    re.ASCII,
)


def instant_of_request(asked: Question) -> Fraction | None:
    """`context.time` when sent, else the clock; None where it can't be read (C8)."""
    time = asked.context.get("time")
    return instant(asked.now if time is None else time)


def text_instant(value: Json) -> Fraction | None:
    """The instant of an attribute, which has to be a text (X5)."""
    return instant(value) if isinstance(value, str) else None


def instant(value: Json) -> Fraction | None:
    """Epoch seconds of an RFC 3339 text or a finite number, to the nanosecond; None where it can't be read (C8)."""
    if isinstance(value, str):
        seconds = rfc3339(value)
    elif isinstance(value, int | float) and not isinstance(value, bool) and -math.inf < value < math.inf:
        seconds = Fraction(value)
    else:
        return None
    if seconds is None or not EARLIEST <= seconds < END:
        return None
    return math.floor(seconds / NANOSECOND) * NANOSECOND


@lru_cache(4096)
def rfc3339(text: str) -> Fraction | None:
    """Exact epoch seconds of an RFC 3339 text; seconds are optional, second 60 and a long text are not read (C8)."""
    parts = RFC3339.fullmatch(text)
    if parts is None or len(text) > LONGEST_TEXT:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in parts.groups()[:6])
    fraction, sign, hours, minutes = parts.groups()[6:]
    try:
        local = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
    east = int(f"{sign}1") * (int(hours) * 3600 + int(minutes) * 60) if sign else 0
    return (local - EPOCH) // timedelta(seconds=1) - east + Fraction(Decimal(fraction or 0))
