"""A filter tree as JSON: nodes of the contract's shape (contract 2.7, rules F4 to F6)."""

from collections.abc import Iterable
from typing import Any, TypeAlias, assert_never

from ...bundles.conditions.trees.direct_grants import direct_grants_in
from ...bundles.conditions.trees.instant_comparisons import instant_comparison_in
from ...bundles.conditions.trees.tree import And, Const, FilterTree, Not, Or, TreeComparison

JsonTree: TypeAlias = dict[str, Any]
"""A node of type `field`, `logical`, `const` or `direct`."""


def show_tree(tree: FilterTree) -> JsonTree:
    """Returns the JSON of a tree. If all children of a node are negated, it is negated once, as a DENY reads.

    >>> from ...bundles.conditions.operators import Operator
    >>> show_tree(Not(TreeComparison("status", Operator.EQ, "draft")))["conditions"]
    [{'type': 'field', 'field': 'status', 'operator': 'eq', 'value': 'draft'}]
    """
    match tree:
        case TreeComparison(key, op, value):
            direct = direct_grants_in(tree)
            if direct is not None:
                return direct.shown()
            of_instants = instant_comparison_in(tree)
            if of_instants is not None:
                return of_instants.shown()
            return {"type": "field", "field": key, "operator": str(op), "value": value}
        case Not(child):
            return _logical("not", [child])
        case And(children):
            return _joint("and", "or", children)
        case Or(children):
            return _joint("or", "and", children)
        case Const(value):
            return {"type": "const", "value": value}
        case _:
            assert_never(tree)


def _joint(operator: str, dual: str, children: tuple[FilterTree, ...]) -> JsonTree:
    negated = [child.child for child in children if isinstance(child, Not)]
    if len(negated) < len(children):
        return _logical(operator, children)
    return {"type": "logical", "operator": "not", "conditions": [_logical(dual, negated)]}


def _logical(operator: str, children: Iterable[FilterTree]) -> JsonTree:
    return {"type": "logical", "operator": operator, "conditions": list(map(show_tree, children))}
