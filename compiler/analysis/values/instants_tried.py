"""The instants that are tried for a witness: a usual one, the ends of windows, and times at which zones differ."""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Final, TypeAlias

from ....bundles.conditions.gates import INSTANT
from ....bundles.conditions.instants import EARLIEST, END, SECOND
from ....bundles.conditions.windows import DAY_MINUTES
from ..conditions.lines import LineDomain
from ..conditions.variables import UNREADABLE, SpanTest, is_week, parts

ZoneOf: TypeAlias = Callable[[str], tzinfo]
"""Returns a time zone by its name."""

USUAL: Final = int(datetime(2026, 1, 5, 10, tzinfo=UTC).timestamp()) * SECOND
"""A Monday. A witness has this instant if no window needs another one."""

_MINUTE: Final = 60 * SECOND
_DAY: Final = DAY_MINUTES * _MINUTE
_MONTHS: Final = (0, 91, 182, 273)
"""Days from the usual instant, on which the clocks of summer and of winter are tried."""

_NEAR: Final = (-_DAY, -1, 0, 1, _MINUTE, _DAY)


def instants(lines: dict[str, LineDomain], zone_of: ZoneOf) -> Iterator[int]:
    """Yields instants at which windows may have another result, in nanoseconds."""
    yield USUAL
    bases = [USUAL + days * _DAY for days in _MONTHS]
    ends = _ends(lines)
    yield from ends
    yield from (end + near for end in ends for near in _NEAR if EARLIEST <= end + near < END)
    for key, line in lines.items():
        if is_week(key):
            zone = zone_of(parts(key)[1])
            minutes = sorted({end for cell in line.cells for span in cell.spans for end in span})
            for base in (*bases, *ends):
                yield from (_at(base, int(minute) % (7 * DAY_MINUTES), zone) for minute in minutes)


def _ends(lines: dict[str, LineDomain]) -> list[int]:
    cells = lines[INSTANT].cells if INSTANT in lines else ()
    return sorted({int(end) for cell in cells for span in cell.spans for end in span if EARLIEST < end < END})


@lru_cache(65_536)
def _at(base: int, minute: int, zone: tzinfo) -> int:
    """Returns the instant of a minute of the week of `base`, by the wall clock of a zone."""
    try:
        local = datetime.fromtimestamp(base // SECOND, zone)
        monday = (local - timedelta(days=local.weekday())).replace(hour=0, minute=0, second=0, microsecond=0)
        wall = (monday.replace(tzinfo=None) + timedelta(minutes=minute)).replace(tzinfo=zone)
        return int(wall.timestamp()) * SECOND
    except (OverflowError, ValueError, OSError):
        return base


def minute_of_week(instant: int, zone: tzinfo) -> int | None:
    """Returns the minute of the week that a wall clock shows, or None if it can't show the instant."""
    try:
        local = datetime.fromtimestamp(instant // SECOND, zone)
    except (OverflowError, ValueError, OSError):
        return None
    return local.weekday() * DAY_MINUTES + local.hour * 60 + local.minute


def in_cell(cell: SpanTest, value: float | None) -> bool:
    """Returns whether a cell has a number of its line, or None: one that can't be read."""
    if value is None:
        return UNREADABLE in cell.states
    return any(low <= value < high for low, high in cell.spans)


def fits(key: str, cell: SpanTest, instant: int | None, zone_of: ZoneOf) -> bool:
    """Returns whether an instant, or None for one that can't be read, fits a cell of an instant or of a week."""
    if key == INSTANT or instant is None:
        return in_cell(cell, instant)
    return in_cell(cell, minute_of_week(instant, zone_of(parts(key)[1])))


def readable(cells: Iterable[SpanTest]) -> bool:
    """Returns whether each cell has values on its line."""
    return all(cell.spans for cell in cells)


def nearest_clock(cell: SpanTest | None) -> float:
    """Returns epoch seconds in a cell of the clock: those of the usual instant, or the nearest."""
    usual = USUAL / SECOND
    if cell is None or in_cell(cell, usual):
        return usual
    low, high = min(cell.spans, key=lambda span: min(abs(end - usual) for end in span))
    return low if low > usual else max(high - 1, low)
