"""Bounds what one evaluation may do at once, so that a server can do longer work beside its event loop."""

from typing import Final

MOST_COMPILED: Final = 2_000
"""The steps that an evaluation may take to specialise a program: ten for each condition that becomes a test, one for
each that is only ranked. It is about 5 ms."""

STEPS_TO_COMPILE: Final = 10

MOST_TESTED: Final = 200_000
"""The steps that an evaluation may take to test conditions: one for each, `STEPS_OF_PATTERN` for a pattern. It is about
20 ms."""

STEPS_OF_PATTERN: Final = 2_000
"""A pattern may be searched for in a long text."""


class TakesLong(Exception):
    """An evaluation would take longer than an impatient engine may work at once. A patient one answers it.

    `work` is equal for evaluations that wait for the same work: once one of them is answered, the others may be quick.
    It is None if they have no work in common.
    """

    def __init__(self, work: object | None = None):
        super().__init__("the evaluation takes long")
        self.work = work


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
