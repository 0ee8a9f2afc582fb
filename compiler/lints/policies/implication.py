"""Decides whether one policy holds whenever another one does, if both apply to the request."""

from collections.abc import Sequence

from ....bundles.conditions.comparisons import constants_of
from ....bundles.conditions.gates import within
from ....bundles.conditions.trees.diagrams import FALSE
from ....bundles.conditions.trees.diagrams import OutOfSteps as OutOfDiagramSteps
from ....bundles.conditions.trees.domain import passes_all
from ....bundles.conditions.trees.rule_diagram import Conjunction, RuleDiagram
from ..overlap import Budget
from ..prepared_policy import Attribute, Meaning, PreparedPolicy

DIAGRAM_STEPS = 20_000
"""The steps of one decision diagram. If it needs more, the answer is no."""

_STEPS_A_CONSTANT = 16
_STEPS_A_COMPARISON = 20
_STEPS_A_DIAGRAM = 200


def applies_to_all_of(wide: PreparedPolicy, narrow: PreparedPolicy) -> bool:
    """Returns whether `wide` applies to each subject that `narrow` applies to (P2, P6)."""
    if not set(wide.policy.except_roles or ()) <= set(narrow.policy.except_roles or ()):
        return False
    if wide.policy.roles is None:
        return True
    return narrow.policy.roles is not None and set(narrow.policy.roles) <= set(wide.policy.roles)


class Implication:
    """Decides for one lint whether policies hold whenever others do. PERF: it remembers what it compared."""

    def __init__(self, budget: Budget):
        self._budget = budget
        self._known: dict[tuple[Meaning, Meaning], bool] = {}

    def holds(self, narrow: PreparedPolicy, wide: PreparedPolicy) -> bool:
        """Returns whether the conditions of `wide` are true whenever those of `narrow` are, which can be true.

        If the answer is yes, it is certain. A no may be wrong for patterns, for hours of the week in different time
        zones, and for attributes that are not independent. A rate limit of `wide` may be reached, so the answer is no
        then. Raises OutOfSteps.
        """
        self._budget.spend(1 + len(wide.tests))
        return gates_imply(narrow, wide) and all(
            attribute in narrow.tests and self._passes(narrow, wide, attribute) for attribute in wide.tests
        )

    def _passes(self, narrow: PreparedPolicy, wide: PreparedPolicy, attribute: Attribute) -> bool:
        mine, its = narrow.meanings[attribute], wide.meanings[attribute]
        if its <= mine:
            return True
        known = self._known.get((mine, its))
        if known is None:
            tests = narrow.tests[attribute], wide.tests[attribute]
            constants = sum(len(constants_of(op, value)) for some in tests for op, value in some)
            self._budget.spend(_STEPS_A_COMPARISON + _STEPS_A_CONSTANT * constants)
            known = self._known[mine, its] = passes_all(*tests)
        return known


def gates_imply(narrow: PreparedPolicy, wide: PreparedPolicy) -> bool:
    """Returns whether the time window and the allowlist of `wide` hold whenever those of `narrow` do, and it has no
    limit.
    """
    conditions = wide.policy.conditions
    if conditions is not None and conditions.rate_limit is not None:
        return False
    return within(narrow.gates, wide.gates)


def covered_by(narrow: PreparedPolicy, several: Sequence[PreparedPolicy], budget: Budget) -> bool:
    """Returns whether some policy of `several` holds whenever the comparisons of `narrow` do. Their gates are not
    compared.

    If the answer is yes, it is certain. Raises OutOfSteps.
    """
    conjunctions = [_conjunction(one) for one in several]
    constants = sum(len(constants_of(op, value)) for one in conjunctions for _, op, value in one)
    budget.spend(_STEPS_A_DIAGRAM * len(conjunctions) + _STEPS_A_CONSTANT * constants)
    return _is_covered(_conjunction(narrow), conjunctions)


def _is_covered(narrow: Conjunction, several: Sequence[Conjunction]) -> bool:
    try:
        return RuleDiagram([narrow], several, DIAGRAM_STEPS).node == FALSE
    except OutOfDiagramSteps:
        return False


def _conjunction(prepared: PreparedPolicy) -> Conjunction:
    """Returns the comparisons of a policy. Keys of different sections differ."""
    return [(f"{section} {key}", op, value) for (section, key), tests in prepared.tests.items() for op, value in tests]
