"""Instants for each class of instants that time windows distinguish, as far as they come soon (C8)."""

from collections.abc import Callable, Iterator, Sequence
from datetime import tzinfo
from itertools import islice
from typing import Final

from ...bundles.conditions.instants import EARLIEST, END, SECOND
from ...bundles.conditions.window_changes import next_change
from ...bundles.conditions.windows import TimeWindow

_WEEK: Final = 8 * 86_400 * SECOND
_MOST_CHANGES: Final = 40


def sampled_instants(windows: Sequence[TimeWindow], zones: Callable[[str], tzinfo], instant: int) -> list[int]:
    """Returns instants, in nanoseconds: each at which a window changes in the eight days after `instant`, and in those
    after and before the limits of a window. The soonest after `instant` come first.
    """
    bases, weekly = {instant}, any(one.is_weekly for one in windows)
    for one in windows:
        bases.update(edge for edge in (one.not_before, one.not_after) if edge is not None)
        bases.update(edge - (_WEEK if weekly else 1) for edge in (one.not_before, one.not_after) if edge is not None)
    bases = {base for base in bases if EARLIEST <= base < END}
    found = set(bases)
    for base in bases:
        for one in windows:
            found.update(islice(_changes(one, zones(one.timezone), base), _MOST_CHANGES))
    return sorted((one for one in found if EARLIEST <= one < END), key=lambda one: (one < instant, abs(one - instant)))


def _changes(window: TimeWindow, zone: tzinfo, base: int) -> Iterator[int]:
    change = next_change(window, zone, base)
    while change is not None and change <= base + _WEEK:
        yield change
        change = next_change(window, zone, change)
