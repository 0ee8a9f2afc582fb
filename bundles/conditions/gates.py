"""The values for which gates hold, as spans of three variables: the instant, the minute of the week, the address."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from .addresses import merge_blocks, parse_block
from .instants import EARLIEST, END
from .intervals import united
from .windows import TimeWindow, week_spans

INSTANT: Final = "\1instant"
"""The instant of the request, in nanoseconds (C8)."""

ADDRESS: Final = "\1address"
"""The address of the request as a number: IPv4, and above them IPv6 (C9)."""

WEEK: Final = "\1week"
"""The minute of the week, by the wall clock of a time zone. Each zone is a variable: see `week`."""

V6_START: Final = 2**32
"""The number of the first IPv6 address. Smaller numbers are IPv4 addresses."""

Span: TypeAlias = tuple[float, float]
"""Numbers from the first up to, and not including, the second."""

Gates: TypeAlias = Mapping[str, Sequence[Span]]
"""The spans of each variable that gates compare: in order, and apart from each other."""

_REMEMBERED: Final = 4_096


def gates_of(window: TimeWindow | None, allowlist: Sequence[str] | None) -> Gates:
    """Returns the spans of a window and of an allowlist. None sets no limit."""
    found: dict[str, Sequence[Span]] = dict(() if window is None else window_spans(window))
    if allowlist is not None:
        found[ADDRESS] = allowlist_spans(tuple(allowlist))
    return found


def meet(left: Gates, right: Gates) -> bool:
    """Returns whether some request can pass the gates of both. Hours of the week in different time zones meet."""
    return all(_share(left[key], right[key]) for key in left.keys() & right.keys())


def within(inner: Gates, outer: Gates) -> bool:
    """Returns whether each request that passes `inner` passes `outer`. If the answer is yes, it is certain."""
    return all(key in inner and _holds(inner[key], spans) for key, spans in outer.items())


def window_spans(window: TimeWindow) -> Iterator[tuple[str, Sequence[Span]]]:
    """Yields the variables that a window limits, each with its spans."""
    if window.not_before is not None or window.not_after is not None or not window.is_weekly:
        low = EARLIEST if window.not_before is None else window.not_before
        high = END if window.not_after is None else window.not_after
        yield INSTANT, ((low, high),)
    if window.is_weekly:
        yield week(window.timezone), _hours(window)


@lru_cache(_REMEMBERED)
def allowlist_spans(allowlist: tuple[str, ...]) -> tuple[Span, ...]:
    """Returns the addresses of an allowlist, as numbers."""
    found = []
    for block in merge_blocks(map(parse_block, allowlist)):
        base = V6_START if block.version == 6 else 0
        found.append((base + int(block.network_address), base + int(block.broadcast_address) + 1))
    return tuple(united(found))


@lru_cache(_REMEMBERED)
def _hours(window: TimeWindow) -> tuple[Span, ...]:
    return tuple(united(week_spans(window)))


def week(zone: str) -> str:
    """Returns the variable of the minute of the week in a time zone."""
    return f"{WEEK}\0{zone}"


def _share(left: Sequence[Span], right: Sequence[Span]) -> bool:
    one = other = 0
    while one < len(left) and other < len(right):
        if left[one][1] <= right[other][0]:
            one += 1
        elif right[other][1] <= left[one][0]:
            other += 1
        else:
            return True
    return False


def _holds(inner: Sequence[Span], outer: Sequence[Span]) -> bool:
    place = 0
    for start, end in inner:
        while place < len(outer) and outer[place][1] < end:
            place += 1
        if place == len(outer) or outer[place][0] > start:
            return False
    return True
