"""Finds comparisons of one attribute with one reference that are never true together (X2, X5, X6)."""

from collections.abc import Iterable, Mapping
from typing import Final

from ...bundles.conditions.operators import Operator
from ..checks.conditions_of import LocatedCondition

_CASES: Final[Mapping[Operator, str]] = {
    Operator.EQ: "=",
    Operator.NE: "<>",
    Operator.LT: "<",
    Operator.LTE: "<=",
    Operator.GT: ">",
    Operator.GTE: ">=",
    Operator.IN: "in",
    Operator.NIN: "out",
    Operator.HAS_ANY: "shared",
    Operator.HAS_NONE: "apart",
}
"""The cases in which a comparison holds: signs of an order, or the name of the only case."""

_EXCLUDING: Final = (frozenset("<=>"), frozenset(("in", "out")), frozenset(("shared", "apart")))
"""The cases that exclude each other."""


def first_opposed(conditions: Iterable[LocatedCondition]) -> LocatedCondition | None:
    """Returns the first comparison that leaves no case to those before it, or None."""
    left: dict[tuple[str, str, str, int], frozenset[str]] = {}
    for located in conditions:
        condition = located.condition
        if condition.value_of is None or condition.op not in _CASES:
            continue
        named = _CASES[condition.op]
        cases = frozenset((named,)) if named.isalpha() else frozenset(named)
        kind = next(place for place, every in enumerate(_EXCLUDING) if cases <= every)
        key = (located.section, condition.key, condition.value_of, kind)
        left[key] = left.get(key, _EXCLUDING[kind]) & cases
        if not left[key]:
            return located
    return None
