"""Whether two policies can hold together: on one request, for one subject that has the roles of both."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from ...bundles.conditions.addresses import Block
from ...bundles.conditions.comparisons import constants_of
from ...bundles.conditions.trees.domain import Test, is_satisfiable
from ...bundles.conditions.windows import DAY_MINUTES, TimeWindow
from .prepared_policy import PreparedPolicy

_STEPS_A_CONSTANT = 16
_WEEK_DAYS = 7
_REMEMBERED_WINDOWS = 4_096


class OutOfSteps(Exception):
    """The budget of a lint is spent."""


class Budget:
    """The steps that a lint may still take."""

    def __init__(self, steps: int):
        self.steps = steps

    def spend(self, steps: int) -> None:
        """Take steps. Raises OutOfSteps where there are not so many left."""
        self.steps -= steps
        if self.steps < 0:
            raise OutOfSteps


def can_overlap(left: PreparedPolicy, right: PreparedPolicy, budget: Budget) -> bool:
    """Whether the conditions of both can hold together, pairs of type and action left to the caller.

    Never a wrong no. Attributes are independent of each other, dotted or not; roles never exclude each other; hours
    of the week in different zones are taken to meet. Raises OutOfSteps.
    """
    budget.spend(1)
    shared = left.tests.keys() & right.tests.keys()
    for attribute in shared & left.constants.keys() & right.constants.keys():
        if left.constants[attribute].isdisjoint(right.constants[attribute]):
            return False
    compared = [(*left.tests[attribute], *right.tests[attribute]) for attribute in shared]
    for tests in sorted(compared, key=_size):
        budget.spend(_STEPS_A_CONSTANT * _size(tests))
        if not is_satisfiable(tests):
            return False
    return (
        left.is_satisfiable
        and right.is_satisfiable
        and windows_overlap(left.window, right.window)
        and blocks_overlap(left.blocks, right.blocks)
    )


def windows_overlap(left: TimeWindow | None, right: TimeWindow | None) -> bool:
    """Whether some instant can lie in both windows: the spans exactly, the hours where the zones are equal.

    >>> windows_overlap(TimeWindow(not_after=5.0), TimeWindow(not_before=5.0))
    False
    """
    if left is None or right is None:
        return True
    starts = [window.not_before for window in (left, right) if window.not_before is not None]
    ends = [window.not_after for window in (left, right) if window.not_after is not None]
    if starts and ends and max(starts) >= min(ends):
        return False
    if not (left.is_weekly and right.is_weekly) or left.timezone != right.timezone:
        return True
    return _week(left) & _week(right) != 0


def blocks_overlap(left: Sequence[Block] | None, right: Sequence[Block] | None) -> bool:
    """Whether some address lies in a block of each; the blocks are merged and in order."""
    if left is None or right is None:
        return True
    one, other = 0, 0
    while one < len(left) and other < len(right):
        if _first(left[one]) > _last(right[other]):
            other += 1
        elif _first(right[other]) > _last(left[one]):
            one += 1
        else:
            return True
    return False


def _size(tests: Iterable[Test]) -> int:
    """How many constants are compared with."""
    return sum(len(constants_of(op, constant)) for op, constant in tests)


@lru_cache(_REMEMBERED_WINDOWS)
def _week(window: TimeWindow) -> int:
    """The minutes of the week that a window covers, a bit for each, Monday 00:00 the lowest."""
    minutes = 0
    for day in window.days:
        if window.start < window.end:
            minutes |= _minutes(day, window.start, window.end)
        else:
            minutes |= _minutes(day, window.start, DAY_MINUTES) | _minutes((day + 1) % _WEEK_DAYS, 0, window.end)
    return minutes


def _minutes(day: int, start: int, end: int) -> int:
    return ((1 << (end - start)) - 1) << (day * DAY_MINUTES + start)


def _first(block: Block) -> tuple[int, int]:
    return block.version, int(block.network_address)


def _last(block: Block) -> tuple[int, int]:
    return block.version, int(block.broadcast_address)
