"""The diagrams of filter trees that share one partition of every attribute (rule F6)."""

from collections import defaultdict
from collections.abc import Mapping
from functools import reduce
from typing import assert_never

from ..constants import CanonicalKey, value_count
from .diagrams import FALSE, TRUE, Diagrams, Node, OutOfSteps
from .domain import Test, meant_by, normal_test, partition
from .tree import And, Const, FilterTree, Not, Or, TreeComparison, leaves


class TreeDiagrams:
    """The diagrams of two trees."""

    def __init__(self, left: FilterTree, right: FilterTree, steps: int):
        """Raises OutOfSteps if that takes more than `steps`, as its methods do."""
        tests: dict[str, dict[CanonicalKey, Test]] = defaultdict(dict)
        for leaf in (*leaves(left), *leaves(right)):
            steps -= value_count(leaf.value)
            tests[leaf.key].setdefault(_meant(leaf), normal_test(leaf.op, leaf.value))
        if steps < 0:
            raise OutOfSteps
        self._numbers: Mapping[tuple[str, CanonicalKey], int] = {
            (key, meant): number for key, found in tests.items() for number, meant in enumerate(found)
        }
        domains = {key: partition(list(found.values())) for key, found in tests.items()}
        self.diagrams = Diagrams(domains, steps)
        self._levels = {
            (question.key, question.opaque): level for level, question in enumerate(self.diagrams.questions)
        }

    def node(self, tree: FilterTree) -> Node:
        """Returns the node of a tree."""
        match tree:
            case Const(value):
                return TRUE if value else FALSE
            case TreeComparison():
                return self._leaf(tree)
            case Not(child):
                return self.diagrams.negation(self.node(child))
            case And(children):
                return reduce(self.diagrams.conjunction, map(self.node, children))
            case Or(children):
                return reduce(self.diagrams.disjunction, map(self.node, children))
            case _:
                assert_never(tree)

    def _leaf(self, leaf: TreeComparison) -> Node:
        """Returns the node of a comparison. An opaque test is asked where the cell does not decide it."""
        number = self._numbers[leaf.key, _meant(leaf)]
        level, opaque = self._levels[leaf.key, None], self._levels.get((leaf.key, number))
        question = self.diagrams.questions[level]
        asked = FALSE if opaque is None else self.diagrams.node(opaque, [FALSE, TRUE])
        children = [
            FALSE if not holding >> number & 1 else asked if is_open and opaque is not None else TRUE
            for holding, is_open in zip(question.domain.holding, question.domain.open, strict=True)
        ]
        return self.diagrams.node(level, children)


def _meant(leaf: TreeComparison) -> CanonicalKey:
    return meant_by(leaf.op, leaf.value)
