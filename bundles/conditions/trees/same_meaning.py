"""Compares filter trees by their meaning: whether they are true of the same rows (rules F5, F6)."""

from ..operators import OF_ELEMENTS
from .canonical import STEPS
from .diagrams import OutOfSteps
from .direct_grants import FilterLike, with_comparisons
from .normalise import normal_or, normalised
from .tree import And, FilterTree, Not, Or, TreeComparison, complement
from .tree_diagrams import TreeDiagrams


def same_meaning(one: FilterLike, other: FilterLike, steps: int = STEPS) -> bool:
    """Returns whether two trees are true of the same rows, whatever their form.

    If that takes more than `steps`, it returns whether they are the same but for order and nesting.

    >>> from ..operators import Operator
    >>> from .tree import TreeComparison
    >>> low, high = TreeComparison("k", Operator.LT, 5), TreeComparison("k", Operator.GTE, 5)
    >>> same_meaning(Or((low, high)), Not(TreeComparison("k", Operator.LT, 5))), same_meaning(low, low)
    (False, True)
    """
    left, right = flat(with_comparisons(one)), flat(with_comparisons(other))
    try:
        both = TreeDiagrams(left, right, steps)
        return both.node(left) == both.node(right)
    except OutOfSteps:
        return left == right


def flat(tree: FilterTree) -> FilterTree:
    """Returns a tree with negations at the leaves, without nesting, in order."""
    match tree:
        case Not(child):
            return complement(flat(child))
        case And(children):
            return normalised(And(tuple(map(flat, children))))
        case Or(children):
            return normalised(Or(tuple(map(flat, children))))
        case TreeComparison(key, op, value) if OF_ELEMENTS[op]:
            return normal_or([TreeComparison.normal(key, op, value)])
        case _:
            return tree
