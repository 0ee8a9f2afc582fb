"""Decides whether two policies can hold for the same request, if its subject has the roles of both."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from ...bundles.conditions.addresses import Block
from ...bundles.conditions.comparisons import constants_of
from ...bundles.conditions.trees.domain import Test, is_satisfiable
from ...bundles.conditions.windows import TimeWindow, week_spans
from .prepared_policy import PreparedPolicy

_STEPS_A_CONSTANT = 16
_REMEMBERED_WINDOWS = 4_096


class BudgetSpent(Exception):
    """The budget of a lint is spent."""


class Budget:
    """The steps that a lint may still take."""

    def __init__(self, steps: int):
        self.steps = steps

    def spend(self, steps: int) -> None:
        """Takes steps. Raises OutOfSteps if fewer are left."""
        self.steps -= steps
        if self.steps < 0:
            raise BudgetSpent


def can_overlap(left: PreparedPolicy, right: PreparedPolicy, budget: Budget) -> bool:
    """Returns whether both policies can apply to one subject, with their conditions true. It does not compare their
    types and actions.

    If the answer is no, it is certain. A yes may be wrong, because the comparison makes some assumptions. Attributes
    are independent, even dotted ones. A subject can hold any two roles, without any others. Hours of the week in
    different time zones overlap. Raises OutOfSteps.
    """
    budget.spend(1)
    if not _share_subjects(left, right):
        return False
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


def _share_subjects(left: PreparedPolicy, right: PreparedPolicy) -> bool:
    """Returns whether both policies have a role that neither leaves out, or are for everyone else (P2, P6)."""
    if not (left.policy.except_roles or right.policy.except_roles):
        return True
    excepted = {*(left.policy.except_roles or ()), *(right.policy.except_roles or ())}
    return all(one.policy.roles is None or not excepted.issuperset(one.policy.roles) for one in (left, right))


def windows_overlap(left: TimeWindow | None, right: TimeWindow | None) -> bool:
    """Returns whether some instant can be in both windows. It compares hours of the week only if the time zones are
    equal.

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
    return week_of(left) & week_of(right) != 0


def blocks_overlap(left: Sequence[Block] | None, right: Sequence[Block] | None) -> bool:
    """Returns whether some address is in a block of each list.

    The blocks of a list are merged and in order; None has all.
    """
    if left is None or right is None:
        return True
    one, other = 0, 0
    while one < len(left) and other < len(right):
        if first_of(left[one]) > last_of(right[other]):
            other += 1
        elif first_of(right[other]) > last_of(left[one]):
            one += 1
        else:
            return True
    return False


def _size(tests: Iterable[Test]) -> int:
    """Returns the number of constants in the tests."""
    return sum(len(constants_of(op, constant)) for op, constant in tests)


@lru_cache(_REMEMBERED_WINDOWS)
def week_of(window: TimeWindow) -> int:
    """Returns the minutes of the week that a window covers, as bits. Monday 00:00 is the lowest bit."""
    minutes = 0
    for start, end in week_spans(window):
        minutes |= ((1 << (end - start)) - 1) << start
    return minutes


def first_of(block: Block) -> tuple[int, int]:
    """Returns a sort key of the first address of a block."""
    return block.version, int(block.network_address)


def last_of(block: Block) -> tuple[int, int]:
    """Returns a sort key of the last address of a block."""
    return block.version, int(block.broadcast_address)
