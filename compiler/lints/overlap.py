"""Decides whether two policies can hold for the same request, if its subject has the roles of both."""

from collections.abc import Iterable

from ...bundles.conditions.comparisons import constants_of
from ...bundles.conditions.gates import meet
from ...bundles.conditions.trees.domain import Test, is_satisfiable
from .prepared_policy import PreparedPolicy

_STEPS_A_CONSTANT = 16


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
    return left.is_satisfiable and right.is_satisfiable and meet(left.gates, right.gates)


def _share_subjects(left: PreparedPolicy, right: PreparedPolicy) -> bool:
    """Returns whether both policies have a role that neither leaves out, or are for everyone else (P2, P6)."""
    if not (left.policy.except_roles or right.policy.except_roles):
        return True
    excepted = {*(left.policy.except_roles or ()), *(right.policy.except_roles or ())}
    return all(one.policy.roles is None or not excepted.issuperset(one.policy.roles) for one in (left, right))


def _size(tests: Iterable[Test]) -> int:
    """Returns the number of constants in the tests."""
    return sum(len(constants_of(op, constant)) for op, constant in tests)
