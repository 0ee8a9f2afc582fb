"""Instants for each class of instants that time windows distinguish, as far as they come soon (C8)."""

from collections.abc import Callable, Iterator, Sequence
from datetime import tzinfo
from itertools import islice
from typing import Final, NamedTuple

from ...bundles.conditions.instants import EARLIEST, END, SECOND
from ...bundles.conditions.window_changes import next_change
from ...bundles.conditions.windows import TimeWindow

_WEEK: Final = 8 * 86_400 * SECOND
_MOST_CHANGES: Final = 40


class SampledInstants(NamedTuple):
    """Instants in nanoseconds, and whether a limit left none out."""

    instants: list[int]
    complete: bool


def sampled_instants(
    windows: Sequence[TimeWindow], zones: Callable[[str], tzinfo], instant: int, most: int
) -> SampledInstants:
    """Returns instants, in nanoseconds: each at which a window changes in the eight days after `instant`, and in those
    after and before the limits of a window. The soonest after `instant` come first. `most` changes are looked at.
    """
    bases, weekly = {instant}, any(one.is_weekly for one in windows)
    for one in windows:
        bases.update(edge for edge in (one.not_before, one.not_after) if edge is not None)
        bases.update(edge - (_WEEK if weekly else 1) for edge in (one.not_before, one.not_after) if edge is not None)
    bases = {base for base in bases if EARLIEST <= base < END}
    found = set(bases)
    changes = _all_changes(windows, zones, sorted(bases, key=lambda base: (base != instant, base)))
    looked_at = list(islice(changes, most + 1))
    found.update(change for change in looked_at[:most] if change is not None)
    instants = (one for one in found if EARLIEST <= one < END)
    soonest = sorted(instants, key=lambda one: (one < instant, abs(one - instant)))
    return SampledInstants(soonest, len(looked_at) <= most)


def _all_changes(
    windows: Sequence[TimeWindow], zones: Callable[[str], tzinfo], bases: Sequence[int]
) -> Iterator[int | None]:
    """Yields the changes of each window after each base, and None where one has no more."""
    for base in bases:
        for one in windows:
            yield from islice(_changes(one, zones(one.timezone), base), _MOST_CHANGES)
            yield None


def _changes(window: TimeWindow, zone: tzinfo, base: int) -> Iterator[int]:
    change = next_change(window, zone, base)
    while change is not None and change <= base + _WEEK:
        yield change
        change = next_change(window, zone, change)
