"""The meaning of a filter tree by the oracle's comparisons, its text for messages, and the law of its shape (F6)."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

from writ.bundles.conditions.trees.direct_grants import FilterLike
from writ.bundles.conditions.trees.instant_comparisons import InstantComparison, instant_comparison_in
from writ.bundles.conditions.trees.tree import And, Const, FilterTree, Not, Or, TreeComparison

from tests.support.oracle_conditions import compare, in_order
from tests.support.oracle_instants import text_instant


def tree_holds(tree: FilterLike, read: Callable[[str], Any]) -> bool:
    """Returns whether a tree holds for an entity; `read` gives the attribute that a key names."""
    match tree:
        case Const(value):
            return value
        case InstantComparison(key, op, instant):
            left = text_instant(read(key))
            return left is not None and in_order(op, left, Fraction(instant, 10**9))
        case TreeComparison(key, op, value):
            of_instants = instant_comparison_in(tree)
            return tree_holds(of_instants, read) if of_instants else compare(op, read(key), value)
        case Not(child):
            return not tree_holds(child, read)
        case And(children):
            return all(tree_holds(child, read) for child in children)
        case Or(children):
            return any(tree_holds(child, read) for child in children)


def shown(tree: FilterTree) -> str:
    """Returns a tree as text, in which `1` and `1.0` differ."""
    match tree:
        case Const(value):
            return "true" if value else "false"
        case TreeComparison(key, op, value):
            return f"{key} {op} {value!r}"
        case Not(child):
            return f"not {shown(child)}"
        case And(children):
            return f"and({', '.join(map(shown, children))})"
        case Or(children):
            return f"or({', '.join(map(shown, children))})"


def check_shape(tree: FilterTree) -> None:
    """No node has a child of its own kind, a single child, or one twice; constants stand alone, Not only at leaves."""
    match tree:
        case Not(child):
            assert isinstance(child, TreeComparison)
        case And(children) | Or(children):
            assert not any(isinstance(child, Const | type(tree)) for child in children)
            assert len(children) >= 2
            assert len(set(children)) == len(children)
            assert all(left.rank < right.rank for left, right in pairwise(children))
            for child in children:
                check_shape(child)
