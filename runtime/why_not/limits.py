"""The limits of a search for the smallest sets of changes. A larger search says that it is not complete."""

from dataclasses import dataclass
from typing import Final


class OutOfSteps(Exception):
    """The search has taken all of its steps."""


@dataclass(frozen=True, slots=True)
class WhyNotLimits:
    """`changes` in one set, `sets` in an answer, `nodes` of the search, and `steps` of it.

    A test of a condition and a look at a DENY are a step. A node is NODE_STEPS.

    `values` are tried of one attribute, and `changes_of_windows` are looked at for the instants among them.
    """

    changes: int = 4
    sets: int = 50
    nodes: int = 20_000
    steps: int = 200_000
    values: int = 5_000
    changes_of_windows: int = 5_000


NODE_STEPS: Final = 4
"""A node costs as many steps as so many tests."""

DEFAULT: Final = WhyNotLimits()


class Budget:
    """The steps that are left."""

    def __init__(self, steps: int):
        """`steps` are those of the whole search."""
        self._left = steps

    def spend(self, steps: int = 1) -> None:
        """Takes steps. Raises OutOfSteps if too few are left."""
        self._left -= steps
        if self._left < 0:
            raise OutOfSteps
