"""Compares filter trees by their meaning: whether they are true of the same rows (rules F5, F6)."""

from collections import defaultdict
from collections.abc import Mapping
from functools import reduce
from typing import assert_never

from ..constants import CanonicalKey, canonical_key, value_count
from .canonical import STEPS
from .diagrams import FALSE, TRUE, Diagrams, Node, OutOfSteps
from .domain import Test, partition
from .normalise import normalised
from .tree import And, Const, FilterTree, Not, Or, TreeComparison, complement, leaves


def same_meaning(left: FilterTree, right: FilterTree, steps: int = STEPS) -> bool:
    """Returns whether two trees are true of the same rows, whatever their form.

    If that takes more than `steps`, it returns whether they are the same but for order and nesting.

    >>> from ..operators import Operator
    >>> low, high = TreeComparison("k", Operator.LT, 5), TreeComparison("k", Operator.GTE, 5)
    >>> same_meaning(Or((low, high)), Not(TreeComparison("k", Operator.LT, 5))), same_meaning(low, low)
    (False, True)
    """
    try:
        both = _Both(left, right, steps)
        return both.node(left) == both.node(right)
    except OutOfSteps:
        return _flat(left) == _flat(right)


class _Both:
    """The diagrams of two trees, which share one partition of every attribute."""

    def __init__(self, left: FilterTree, right: FilterTree, steps: int):
        tests: dict[str, dict[CanonicalKey, Test]] = defaultdict(dict)
        for leaf in (*leaves(left), *leaves(right)):
            steps -= value_count(leaf.value)
            tests[leaf.key].setdefault(_meant(leaf), (leaf.op, leaf.value))
        if steps < 0:
            raise OutOfSteps
        self._numbers: Mapping[tuple[str, CanonicalKey], int] = {
            (key, meant): number for key, found in tests.items() for number, meant in enumerate(found)
        }
        domains = {key: partition(list(found.values())) for key, found in tests.items()}
        self._diagrams = Diagrams(domains, steps)
        self._levels = {
            (question.key, question.pattern): level for level, question in enumerate(self._diagrams.questions)
        }

    def node(self, tree: FilterTree) -> Node:
        """Returns the node of a tree."""
        match tree:
            case Const(value):
                return TRUE if value else FALSE
            case TreeComparison():
                return self._leaf(tree)
            case Not(child):
                return self._diagrams.negation(self.node(child))
            case And(children):
                return reduce(self._diagrams.conjunction, map(self.node, children))
            case Or(children):
                return reduce(self._diagrams.disjunction, map(self.node, children))
            case _:
                assert_never(tree)

    def _leaf(self, leaf: TreeComparison) -> Node:
        """Returns the node of a comparison. A pattern is asked where the cell does not tell whether it matches."""
        number = self._numbers[leaf.key, _meant(leaf)]
        level, pattern = self._levels[leaf.key, None], self._levels.get((leaf.key, number))
        question = self._diagrams.questions[level]
        asked = FALSE if pattern is None else self._diagrams.node(pattern, [FALSE, TRUE])
        children = [
            FALSE if not holding >> number & 1 else asked if is_open and pattern is not None else TRUE
            for holding, is_open in zip(question.domain.holding, question.domain.open, strict=True)
        ]
        return self._diagrams.node(level, children)


def _meant(leaf: TreeComparison) -> CanonicalKey:
    return (leaf.op, canonical_key(leaf.value))


def _flat(tree: FilterTree) -> FilterTree:
    """Returns a tree with negations at the leaves, without nesting, in order."""
    match tree:
        case Not(child):
            return complement(_flat(child))
        case And(children):
            return normalised(And(tuple(map(_flat, children))))
        case Or(children):
            return normalised(Or(tuple(map(_flat, children))))
        case _:
            return tree
