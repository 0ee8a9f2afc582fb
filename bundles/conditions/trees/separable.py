"""The canonical tree of a condition that can be decided for each attribute separately, without a diagram (rule F6).

- With one ALLOW, and DENYs on one attribute each, the condition is a conjunction of one set of values per attribute.
- With ALLOWs on one attribute each, and no DENY, it is a disjunction of such sets.

PERF: most conditions are like this. A diagram leads to the same tree, but takes five times as long.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain

from ..constants import value_count
from ..operators import OF_ELEMENTS, Operator
from .domain import Test, partition
from .normalise import normal_and, normal_or
from .rule_diagram import Conjunction
from .tree import FilterTree
from .value_sets import value_set_tree

FEW_CONSTANTS = 100
"""With more constants than this, a diagram is used, which counts its steps."""


def separable_tree(allows: Sequence[Conjunction], denies: Sequence[Conjunction]) -> FilterTree | None:
    """Returns the canonical tree, or None if a diagram is needed.

    That is so if attributes depend on each other, if there is an opaque test, or if there are many constants.
    """
    comparisons = list(chain(*allows, *denies))
    if len(comparisons) > FEW_CONSTANTS or sum(value_count(constant) for _, _, constant in comparisons) > FEW_CONSTANTS:
        return None
    if any(op == Operator.REGEX or OF_ELEMENTS[op] for _, op, _ in comparisons):
        return None
    if len(allows) == 1 and all(map(_is_on_one_key, denies)):
        return _conjunction(allows[0], denies)
    if not denies and all(map(_is_on_one_key, allows)):
        return _disjunction(allows)
    return None


def _is_on_one_key(rule: Conjunction) -> bool:
    return len({key for key, _, _ in rule}) == 1


def _conjunction(allow: Conjunction, denies: Sequence[Conjunction]) -> FilterTree:
    by_key: dict[str, tuple[list[list[Test]], list[list[Test]]]] = defaultdict(lambda: ([[]], []))
    for key, op, constant in allow:
        by_key[key][0][0].append((op, constant))
    for rule in denies:
        by_key[rule[0][0]][1].append([(op, constant) for _, op, constant in rule])
    return normal_and(_values(key, *rules) for key, rules in by_key.items())


def _disjunction(allows: Sequence[Conjunction]) -> FilterTree:
    by_key: dict[str, list[list[Test]]] = defaultdict(list)
    for rule in allows:
        by_key[rule[0][0]].append([(op, constant) for _, op, constant in rule])
    return normal_or(_values(key, rules, []) for key, rules in by_key.items())


def _values(key: str, allows: Sequence[list[Test]], denies: Sequence[list[Test]]) -> FilterTree:
    """Returns the tree of the values that pass all tests of some list in `allows`, and of no list in `denies`."""
    domain = partition(list(chain(*allows, *denies)))
    needs: list[int] = []
    taken = 0
    for rule in (*allows, *denies):
        needs.append((1 << len(rule)) - 1 << taken)
        taken += len(rule)
    allowing, denying = needs[: len(allows)], needs[len(allows) :]
    cells = 0
    for cell, holding in enumerate(domain.holding):
        if any(not need & ~holding for need in allowing) and all(need & ~holding for need in denying):
            cells |= 1 << cell
    return value_set_tree(key, domain, cells)
