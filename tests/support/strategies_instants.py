"""Instants around the edges that models use, and the many ways in which a request writes one."""

import math
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from tests.support.strategies_pick import Pick

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EDGES = tuple(
    int((datetime.fromisoformat(text) - EPOCH).total_seconds())
    for text in (
        "2024-01-01T00:00:00+00:00",  # a Monday, a month and a year begin
        "2024-03-31T01:00:00+00:00",  # Europe/Oslo springs forward
        "2024-10-27T01:00:00+00:00",  # and falls back
        "2024-03-10T07:00:00+00:00",  # America/New_York springs forward
        "2024-11-03T06:00:00+00:00",  # and falls back
        "2024-10-05T15:30:00+00:00",  # Australia/Lord_Howe springs forward, by half an hour
        "2024-04-06T15:00:00+00:00",  # and falls back
    )
)
FIRST, LAST = -62135596800, 253402300799
OFFSETS = (0, 60, -300, 630, 345, -1, 1439, -1439)
UNREADABLE: tuple[Any, ...] = (
    "",
    "now",
    "1704067200",
    "2024-01-01",
    "2024-01-01T00:00:00",
    "2024-01-01 00:00:00Z",
    "2024-01-01T00:00:00Z\n",
    " 2024-01-01T00:00:00Z",
    "2024-01-01T00:00:60Z",
    "2024-01-01T24:00:00Z",
    "2024-02-30T00:00:00Z",
    "2023-02-29T00:00:00Z",
    "2024-13-01T00:00:00Z",
    "2024-01-01T00:00:00.Z",
    "2024-01-01T00:00:00,5Z",
    "2024-01-01T00:00.5Z",
    "2024-01-01T00:00:00+0000",
    "2024-01-01T00:00:00+00",
    "2024-01-01T00:00:00+24:00",
    "2024-01-01T00:00:00+00:60",
    "2024-01-01T00:00:00\u221201:00",
    "20240101T000000Z",
    "2024-W01-1T00:00:00Z",
    "\uff12\uff10\uff12\uff14-01-01T00:00:00Z",
    "0000-01-01T00:00:00Z",
    "0001-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01",
    "\ud800",
    True,
    False,
    [],
    {},
    [1704067200],
    {"time": 1704067200},
    10**400,
    1e308,
    -1e308,
    FIRST - 1,
    LAST + 1,
)
EXTREMES: tuple[Any, ...] = (
    0,
    -0.0,
    -1,
    FIRST,
    LAST,
    LAST + 0.5,
    "0001-01-01T00:00:00Z",
    "0001-01-01T00:00:00-23:59",
    "0001-01-02T00:00:00+23:59",
    "9999-12-31T23:59:59.999999Z",
    "9999-12-31T00:00:00-23:59",
    "9999-12-31T23:59:59+23:59",
)


@st.composite
def instants(draw: st.DrawFn) -> float:
    """Epoch seconds at an edge, a few half hours from one, or the least bit before or after these."""
    return near_edge(Pick.drawn(draw))


def near_edge(pick: Pick) -> float:
    """Epoch seconds as `instants` gives them."""
    edge = pick.one(EDGES) + (1800 * pick.number(-50, 50) if pick.chance(2, 3) else 0)
    beside = pick.one((0.0, 0.0, 0.5, -0.5, 1.0, -1.0, math.inf, -math.inf))
    return math.nextafter(edge, beside) if math.isinf(beside) else edge + beside


def model_instant(pick: Pick) -> str:
    """An RFC 3339 instant as a model writes it, at an edge or half a second after."""
    return text(pick, pick.one(EDGES) + pick.one((Fraction(0), Fraction(0), Fraction(1, 2))))


def text(pick: Pick, instant: Fraction, seconds: bool = True) -> str:
    """An RFC 3339 text of exactly `instant`, with any offset and case; a whole minute is written without
    seconds where `seconds` is false."""
    whole, fraction = math.floor(instant), instant - math.floor(instant)
    offset = pick.one(OFFSETS)
    local = (EPOCH + timedelta(seconds=whole, minutes=offset)).replace(tzinfo=None).isoformat()
    if fraction:
        local += f".{digits(fraction)}"
    elif not seconds and local.endswith(":00"):
        local = local[:-3]
    else:
        local += pick.one(("", "", ".0", ".000000", ".000000000"))
    sign, (hours, minutes) = "-" if offset < 0 else "+", divmod(abs(offset), 60)
    written = local + (f"{sign}{hours:02}:{minutes:02}" if offset or pick.chance(1, 2) else "Z")
    return written.lower() if pick.chance(1, 5) else written


def digits(fraction: Fraction) -> str:
    """All the decimals of a fraction below 1 whose denominator is a power of two."""
    places = fraction.denominator.bit_length() - 1
    return f"{int(fraction * 10**places):0{places}}"


def context_time(pick: Pick) -> Any:
    """The values of `context.time` in a request: an instant as text or number, an extreme, or garbage."""
    kind = pick.one(("text", "text", "text", "number", "number", "extreme", "garbage", "garbage"))
    if kind == "extreme":
        return pick.one(EXTREMES)
    if kind == "garbage":
        return pick.one(UNREADABLE)
    instant = near_edge(pick)
    if kind == "text":
        return text(pick, Fraction(instant), seconds=pick.chance(1, 2))
    return int(instant) if instant.is_integer() and pick.chance(1, 2) else instant
