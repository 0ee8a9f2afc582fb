"""The canonical form where every attribute stands for itself: most conditions need no diagram (rule F6).

One ALLOW, and DENYs on one attribute each: the condition is a product of one set for each attribute. ALLOWs on one
attribute each, and no DENY: a sum of such sets. PERF: that is the form which diagrams lead to, in a fifth of the time.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain

from ..constants import weight
from ..operators import Operator
from .domain import Test, divide
from .rule_diagram import Conjunction
from .tree import Form, joined
from .value_sets import set_form

FEW_CONSTANTS = 100
"""With more of them, the steps are counted."""


def plain_form(allows: Sequence[Conjunction], denies: Sequence[Conjunction]) -> Form | None:
    """The canonical form, None where it takes a diagram: attributes depend on each other, or there is a pattern."""
    comparisons = list(chain(*allows, *denies))
    if len(comparisons) > FEW_CONSTANTS or sum(weight(constant) for _, _, constant in comparisons) > FEW_CONSTANTS:
        return None
    if any(op == Operator.REGEX for _, op, _ in comparisons):
        return None
    if len(allows) == 1 and all(map(_is_on_one_key, denies)):
        return _product(allows[0], denies)
    if not denies and all(map(_is_on_one_key, allows)):
        return _sum(allows)
    return None


def _is_on_one_key(rule: Conjunction) -> bool:
    return len({key for key, _, _ in rule}) == 1


def _product(allow: Conjunction, denies: Sequence[Conjunction]) -> Form:
    by_key: dict[str, tuple[list[list[Test]], list[list[Test]]]] = defaultdict(lambda: ([[]], []))
    for key, op, constant in allow:
        by_key[key][0][0].append((op, constant))
    for rule in denies:
        by_key[rule[0][0]][1].append([(op, constant) for _, op, constant in rule])
    return joined("and", (_set(key, *rules) for key, rules in by_key.items()))


def _sum(allows: Sequence[Conjunction]) -> Form:
    by_key: dict[str, list[list[Test]]] = defaultdict(list)
    for rule in allows:
        by_key[rule[0][0]].append([(op, constant) for _, op, constant in rule])
    return joined("or", (_set(key, rules, []) for key, rules in by_key.items()))


def _set(key: str, allows: Sequence[list[Test]], denies: Sequence[list[Test]]) -> Form:
    """The values of one attribute for which some list of `allows` holds whole and none of `denies` does."""
    domain = divide(list(chain(*allows, *denies)))
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
    return set_form(key, domain, cells)
