"""Bounds what one evaluation may do at once on an event loop, so that a server does longer work in other threads."""

from math import inf
from typing import Final

from ..bundles.event_loop import TakesLong, on_event_loop

MOST_COMPILED: Final = 2_000
"""The steps that an evaluation may take to specialise a program: for each rule, and for each condition that becomes a
test, more for a larger constant. It is about 5 ms."""

STEPS_TO_COMPILE: Final = 10

MOST_TESTED: Final = 50_000
"""The steps that an evaluation may take to test conditions: `STEPS_OF_PATTERN` for a pattern, `STEPS_OF_RATE` for a
rate limit, else by the size of the constant. It is about 5 ms."""

MOST_HELD: Final = 2_000
"""The holdings and groups of a subject that an evaluation may read."""

MOST_GRANTING: Final = 1_000
"""The groups with grants that an evaluation may look through for one resource, about 1 µs each."""

STEPS_OF_PATTERN: Final = 500
"""A search takes up to 0.3 ms (see `QUICK_SEARCH` of `automata`), but few take a tenth of it."""

STEPS_OF_REFERENCE: Final = 20
"""Comparing two values of a request takes 1 µs, since long ones are refused; see `rules.reference_guard`. To read the
text of an instant takes 3 µs."""

STEPS_OF_RATE: Final = 500
"""To count for a rate limit, and to find the time to wait, takes 0.05 ms."""


class Effort:
    """The steps that are left to a piece of work."""

    __slots__ = ("_left", "_work")

    def __init__(self, most: float, work: object):
        self._left, self._work = most, work

    def spend(self, steps: int) -> None:
        """Count steps. Raises TakesLong if there were too many."""
        self._left -= steps
        if self._left < 0:
            raise TakesLong(self._work)


UNBOUNDED: Final = Effort(inf, None)


def effort_for(work: object, most: int) -> Effort:
    """Returns the effort of `most` steps that an event loop may spend on `work`, and another thread without bound."""
    return Effort(most, work) if on_event_loop() else UNBOUNDED
