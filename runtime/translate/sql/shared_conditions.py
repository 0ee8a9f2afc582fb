"""Puts a condition that all branches of an OR have outside of the OR, where an index of a database serves it.

A tenant is such a condition. A DENY on other tenants gives `not (tenant ne "t5")` to one branch, since a row without a
tenant is not denied, and an ALLOW gives `tenant eq "t5"` to another. The second implies the first.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from ....bundles.conditions.trees.tree import And, Not, Or, fold_and, fold_or
from ..column_conditions import ColumnCondition, NoneOf, OneOf, Plan

MOST_CANDIDATES: Final = 8
"""The different conditions on one column that are tried for each OR."""

OnColumn: TypeAlias = ColumnCondition | Not[ColumnCondition]
"""A condition on one column, or its negation."""


def shared_outside(plan: Plan) -> Plan:
    """Returns a plan with the same meaning, in which each OR has what its branches share in front of it."""
    match plan:
        case Not(Or(children)):
            return shared_outside(And(tuple(map(_negated, children))))
        case And(children):
            return fold_and(_flat(shared_outside(child) for child in children))
        case Or(children):
            return _with_shared(tuple(map(shared_outside, children)))
        case _:
            return plan


def _negated(plan: Plan) -> Plan:
    return plan.child if isinstance(plan, Not) else Not(plan)


def _flat(plans: Iterable[Plan]) -> Iterator[Plan]:
    for plan in plans:
        yield from plan.children if isinstance(plan, And) else (plan,)


def _with_shared(branches: Sequence[Plan]) -> Plan:
    conjunctions = [tuple(_flat([branch])) for branch in branches]
    shared = [*_shared(conjunctions)]
    if not shared:
        return Or(tuple(branches))
    rest: list[Plan] = [
        fold_and([one for one in branch if not any(_same(one, other) for other in shared)]) for branch in conjunctions
    ]
    return fold_and(_flat([*shared, fold_or(rest)]))


def _shared(conjunctions: Sequence[Sequence[Plan]]) -> Iterator[OnColumn]:
    """Yields each condition of a branch that every branch implies."""
    of_columns = [_by_column(branch) for branch in conjunctions]
    for column in of_columns[0]:
        if not all(column in branch for branch in of_columns):
            continue
        for candidate in _different(one for branch in of_columns for one in branch[column]):
            if all(any(_implies(one, candidate) for one in branch[column]) for branch in of_columns):
                yield candidate


def _by_column(branch: Iterable[Plan]) -> dict[int, list[OnColumn]]:
    """Returns the conditions of a branch by the identity of their field. A plan has one field for each key."""
    found: dict[int, list[OnColumn]] = {}
    for one in branch:
        inner = one.child if isinstance(one, Not) else one
        if isinstance(inner, ColumnCondition):
            found.setdefault(id(inner.field), []).append(one)  # type: ignore[arg-type]  # its child is a column's
    return found


def _different(conditions: Iterable[OnColumn]) -> list[OnColumn]:
    found: list[OnColumn] = []
    for one in conditions:
        if len(found) < MOST_CANDIDATES and not any(_same(one, other) for other in found):
            found.append(one)
    return found


def _same(one: Plan, other: Plan) -> bool:
    """Returns whether two conditions on a column are the same, wherever they stand in the filter."""
    if isinstance(one, Not) and isinstance(other, Not):
        return _same(one.child, other.child)
    if not (isinstance(one, ColumnCondition) and isinstance(other, ColumnCondition)):
        return False
    return one.field is other.field and one.test == other.test


def _implies(one: OnColumn, other: OnColumn) -> bool:
    """Returns whether a condition is known to imply another one on the same column."""
    if _same(one, other):
        return True
    match one, other:
        case ColumnCondition(test=OneOf(values)), Not(ColumnCondition(test=NoneOf(others))):
            return set(values) <= set(others)
        case ColumnCondition(test=OneOf(values)), ColumnCondition(test=OneOf(others)):
            return set(values) <= set(others)
        case _:
            return False
