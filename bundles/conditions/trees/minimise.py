"""Finds a short tree for the condition of a diagram. The tree depends only on the condition (rule F6).

The method finds irredundant sums of products for binary diagrams (Minato, Morreale). It is extended to questions with
many answers and to negations, so that a product of sums stays as short as it was written.

1. The answers to the first question are grouped by the condition that they lead to.
2. A part that holds for all answers becomes one term, without the question. The rest of each group becomes a term, for
   all answers for which it is true.
3. Terms may overlap. So each term is a condition between a `lower` bound (the rows that no term covers yet) and an
   `upper` bound (the rows that it may cover). The term is the shortest tree between the bounds.
4. The same is done for the negation. The result is the shorter tree of both.
"""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

from . import tree as trees
from .diagrams import FALSE, TRUE, Diagrams, Node, Question
from .domain import Domain
from .normalise import normalised
from .tree import FilterTree, TreeComparison, complement, fold_and, fold_or, leaf_count
from .value_sets import value_set_tree

MANY_GROUPS = 32
"""With more groups than this, a term is not extended to other groups, and redundant terms are kept."""


ValueSets: TypeAlias = Callable[[str, Domain, int, int], FilterTree]
"""Returns the tree of "the attribute is in one of these cells". The last cells, as bits, make no difference."""


class Cover(NamedTuple):
    """A condition as its node and as a tree."""

    node: Node
    tree: FilterTree


class AnswerGroup(NamedTuple):
    """Answers, as bits, that lead to the same bounds. `answer` is one of them.

    If the group is `open`, its bounds still ask for opaque tests.
    """

    answers: int
    answer: int
    open: bool
    lower: Node
    upper: Node


class Term(NamedTuple):
    """A term of a sum, and its condition in each group that it covers, by the group's index."""

    tree: FilterTree
    nodes: dict[int, Node]


class Minimiser:
    """Finds short trees for the nodes of some diagrams."""

    def __init__(self, diagrams: Diagrams, sets: ValueSets = value_set_tree):
        """`sets` returns the tree of a set of cells of an attribute."""
        self._diagrams = diagrams
        self._value_sets = sets
        self._found: dict[tuple[Node, Node], Cover] = {}
        self._sums: dict[tuple[Node, Node], Cover] = {}
        self._sets: dict[tuple[int, int, int], FilterTree] = {}

    def tree(self, node: Node, cases: Node = TRUE) -> FilterTree:
        """Returns the tree of a node. Rows that are none of the `cases` make no difference.

        Raises OutOfSteps if the budget of the diagrams is spent.
        """
        diagrams = self._diagrams
        lower, upper = diagrams.conjunction(node, cases), diagrams.disjunction(node, diagrams.negation(cases))
        return normalised(self._between(lower, upper).tree)

    def _between(self, lower: Node, upper: Node) -> Cover:
        """Returns the shortest tree that is found for a condition between `lower` and `upper`.

        `lower` implies the condition, and the condition implies `upper`.
        """
        if lower == FALSE:
            return Cover(FALSE, trees.FALSE)
        if upper == TRUE:
            return Cover(TRUE, trees.TRUE)
        found = self._found.get((lower, upper))
        if found is None:
            found = self._found[lower, upper] = self._shorter(lower, upper)
        return found

    def _shorter(self, lower: Node, upper: Node) -> Cover:
        negate = self._diagrams.negation
        positive = self._sum(lower, upper)
        if leaf_count(positive.tree) <= max(1, self._diagrams.needed_keys(lower, upper).bit_count()):
            return positive  # PERF: no tree has fewer leaves
        negative = self._sum(negate(upper), negate(lower))
        if leaf_count(positive.tree) <= leaf_count(negative.tree):
            return positive
        return Cover(negate(negative.node), complement(negative.tree))

    def _sum(self, lower: Node, upper: Node) -> Cover:
        """Returns a condition between the bounds as a sum of terms over the answers to the first question."""
        found = self._sums.get((lower, upper))
        if found is None:
            level = min(self._diagrams.level(lower), self._diagrams.level(upper))
            found = self._sums[lower, upper] = _Sum(self, level, lower, upper).cover()
        return found

    def _answers_tree(self, level: int, answers: int, free: int) -> FilterTree:
        """Returns the tree of "the answer to the question is one of `answers`". `free` answers make no difference."""
        found = self._sets.get((level, answers, free))
        if found is None:
            found = self._sets[level, answers, free] = self._made_answers_tree(level, answers, free)
        return found

    def _made_answers_tree(self, level: int, answers: int, free: int) -> FilterTree:
        question = self._diagrams.questions[level]
        if question.opaque is None:
            return self._value_sets(question.key, question.domain, answers, free)
        holds = TreeComparison.normal(question.key, *question.domain.tests[question.opaque])
        return {0b01: complement(holds), 0b10: holds, 0b11: trees.TRUE}[answers]


class _Sum:
    """One sum of terms while it is built."""

    def __init__(self, minimiser: Minimiser, level: int, lower: Node, upper: Node):
        self._minimiser, self._level = minimiser, level
        self._diagrams = diagrams = minimiser._diagrams
        self._followers: dict[int, int] = {}
        self._groups = self._grouped(lower, upper)
        self._common = TRUE
        for group in self._groups:
            self._common = diagrams.conjunction(self._common, group.upper)
        self._terms: list[Term] = []
        self._covered = [FALSE] * len(self._groups)

    def _grouped(self, lower: Node, upper: Node) -> list[AnswerGroup]:
        diagrams, level = self._diagrams, self._level
        question = diagrams.questions[level]
        bounds = list(zip(diagrams.children(lower, level), diagrams.children(upper, level), strict=True))
        opaque = diagrams.opaque_in(level, chain.from_iterable(bounds)) if question.all_opaque else 0
        if opaque:
            self._follow_gaps(question, bounds)
        answers: dict[tuple[tuple[Node, Node], int], int] = {}
        for answer, both in enumerate(bounds):
            if answer not in self._followers:
                key = both, self._decision(question, answer, opaque) if opaque else 0
                answers[key] = answers.get(key, 0) | 1 << answer
        diagrams.spend(len(answers))
        return [
            AnswerGroup(bits, (bits & -bits).bit_length() - 1, decided < 0, low, high)
            for ((low, high), decided), bits in answers.items()
        ]

    def _decision(self, question: Question, answer: int, opaque: int) -> int:
        """Returns a number that is equal for answers after which the tests `opaque` are decided in the same way.

        It is negative if the answer leaves some of them open.
        """
        holding = question.domain.holding[answer] & opaque
        return ~holding if question.domain.open[answer] else holding

    def _follow_gaps(self, question: Question, bounds: Sequence[tuple[Node, Node]]) -> None:
        """Finds the strings that differ from a gap next to them only in the patterns that match.

        Such a string follows the gap. If both gaps fit, it follows the gap above it. That gap begins at the next
        string, which may be a constant, but most strings have no previous string.
        """
        for answer, gaps in question.domain.between.items():
            for gap in reversed(gaps):
                if gap is not None and bounds[answer] == tuple(
                    self._diagrams.restricted(bound, self._level, answer) for bound in bounds[gap]
                ):
                    self._followers.setdefault(answer, gap)

    def cover(self) -> Cover:
        """Returns the sum. The last term is the one for all answers, from the rows that no other term covers."""
        diagrams = self._diagrams
        for index in self._order():
            group = self._groups[index]
            missing = diagrams.difference(diagrams.difference(group.lower, self._common), self._covered[index])
            term = self._minimiser._between(missing, group.upper)
            if term.node != FALSE:
                self._add(Term(term.tree, self._extended(index, term.node)))
        missing = FALSE
        for group, covered in zip(self._groups, self._covered, strict=True):
            missing = diagrams.disjunction(missing, diagrams.difference(group.lower, covered))
        whole = self._minimiser._between(missing, self._common)
        if whole.node != FALSE:
            self._add(Term(whole.tree, self._everywhere(whole.node)))
        self._drop_redundant()
        return Cover(self._node(), fold_or([self._term_tree(term) for term in self._terms]))

    def _add(self, term: Term) -> None:
        self._terms.append(term)
        for index, node in term.nodes.items():
            self._covered[index] = self._diagrams.disjunction(self._covered[index], node)

    def _order(self) -> list[int]:
        """Returns the order of groups: first the open ones, whose terms may be used in others; then by implication."""
        diagrams, groups = self._diagrams, self._groups
        ranks = [0] * len(groups)
        if len(groups) <= MANY_GROUPS:
            uppers = [group.upper for group in groups]
            ranks = [sum([diagrams.implies(other, upper) for other in uppers]) for upper in uppers]
        return sorted(range(len(groups)), key=lambda index: (not groups[index].open, ranks[index]))

    def _extended(self, index: int, node: Node) -> dict[int, Node]:
        """Returns the groups that a term of one group may cover, with its condition in each."""
        if len(self._groups) > MANY_GROUPS:
            return {index: node}
        return {
            other: there
            for other, there in self._everywhere(node).items()
            if other == index or self._diagrams.implies(there, self._groups[other].upper)
        }

    def _everywhere(self, node: Node) -> dict[int, Node]:
        """Returns a condition in each group: where the answer decides opaque tests, it is restricted."""
        if not self._diagrams.questions[self._level].all_opaque:
            return dict.fromkeys(range(len(self._groups)), node)
        return {index: self._restricted(node, index) for index in range(len(self._groups))}

    def _restricted(self, node: Node, index: int) -> Node:
        return self._diagrams.restricted(node, self._level, self._groups[index].answer)

    def _drop_redundant(self) -> None:
        """Drops each term that the other terms cover together."""
        if not 1 < len(self._terms) <= MANY_GROUPS:
            return
        for term in self._terms.copy():
            others = [other for other in self._terms if other is not term]
            if all(
                self._diagrams.implies(self._groups[index].lower, self._union(others, index)) for index in term.nodes
            ):
                self._terms = others
                for index in term.nodes:
                    self._covered[index] = self._union(others, index)

    def _union(self, terms: Sequence[Term], index: int) -> Node:
        """Returns the condition that terms cover together in one group."""
        found = FALSE
        for term in terms:
            if index in term.nodes:
                found = self._diagrams.disjunction(found, term.nodes[index])
        return found

    def _node(self) -> Node:
        children = [FALSE] * self._diagrams.questions[self._level].answers
        for index, group in enumerate(self._groups):
            covered = self._covered[index]
            for answer in range(len(children)):
                if group.answers >> answer & 1:
                    children[answer] = covered
        for answer, gap in self._followers.items():
            children[answer] = self._diagrams.restricted(children[gap], self._level, answer)
        return self._diagrams.node(self._level, children)

    def _term_tree(self, term: Term) -> FilterTree:
        answers = sum(self._groups[index].answers for index in term.nodes)
        answers |= sum(1 << answer for answer, gap in self._followers.items() if answers >> gap & 1)
        free = sum(self._groups[index].answers for index, node in term.nodes.items() if node == FALSE)
        return fold_and([self._minimiser._answers_tree(self._level, answers, free), term.tree])
