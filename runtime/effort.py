"""Bounds what one evaluation may do at once in an impatient thread, so that a server does longer work elsewhere."""

from typing import Final

from ..bundles.patience import TakesLong, is_impatient

MOST_COMPILED: Final = 2_000
"""The steps that an evaluation may take to specialise a program: ten for each condition that becomes a test, one for
each that is only ranked. It is about 5 ms."""

STEPS_TO_COMPILE: Final = 10

MOST_TESTED: Final = 100_000
"""The steps that an evaluation may take to test conditions: one for each, `STEPS_OF_PATTERN` for a pattern. It is about
10 ms."""

STEPS_OF_PATTERN: Final = 1_000
"""A pattern may be searched for in a long text."""


class Effort:
    """The steps that are left to a piece of work."""

    __slots__ = ("_left", "_work")

    def __init__(self, most: int, work: object):
        self._left, self._work = most, work

    def spend(self, steps: int) -> None:
        """Count steps. Raises TakesLong if there were too many."""
        self._left -= steps
        if self._left < 0:
            raise TakesLong(self._work)


def effort_for(work: object) -> Effort | None:
    """Returns the effort that this thread may spend on specialising for `work`, or None if it may take any time."""
    return Effort(MOST_COMPILED, work) if is_impatient() else None
