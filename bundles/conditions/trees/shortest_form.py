"""A short form for the condition that a diagram stands for: determined by the condition alone (rule F6).

A question's answers fall into groups that lead to the same. What holds whatever the answer is told once, without the
question; for each group the rest is told under the answers for which it is true, as many of them as possible. What is
already covered may be told again or left out: each part is a condition *between* what must still be covered (`least`)
and what may be (`most`), and the shortest between them is taken. The same is tried for the negation, and the shorter
of both is the form. (This is how irredundant sums are found for binary diagrams, extended to many answers and to both
polarities, so that a product of sums stays as short as it was written.)
"""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from ..operators import Operator
from . import tree as forms
from .diagrams import FALSE, TRUE, Diagrams, Node, Question
from .tree import Form, compared, negated, rough, tidied
from .value_sets import set_form

MANY_GROUPS = 32
"""Of more groups than these, a part is not tried on the other groups' answers."""


OPEN = -1
"""Stands for what patterns are decided to be where they are open."""


class Covering(NamedTuple):
    """A condition as its node and its form."""

    node: Node
    form: Form


class Group(NamedTuple):
    """Answers, as bits, that lead to the same bounds; `answer` is one that stands for all of them.

    Behind `open` ones the bounds ask for patterns.
    """

    answers: int
    answer: int
    open: bool
    least: Node
    most: Node


class Part(NamedTuple):
    """A form, and what it comes to in each group for which it is told."""

    form: Form
    nodes: dict[int, Node]


class ShortestForm:
    """Finds forms for the nodes of some diagrams."""

    def __init__(self, diagrams: Diagrams):
        self._diagrams = diagrams
        self._found: dict[tuple[Node, Node], Covering] = {}
        self._sums: dict[tuple[Node, Node], Covering] = {}
        self._sets: dict[tuple[int, int, int], Form] = {}

    def form(self, node: Node) -> Form:
        """The form of a node. Raises OutOfSteps."""
        return tidied(self._between(node, node).form)

    def _between(self, least: Node, most: Node) -> Covering:
        """The shortest form of a condition that `least` implies and that implies `most`."""
        if least == FALSE:
            return Covering(FALSE, forms.FALSE)
        if most == TRUE:
            return Covering(TRUE, forms.TRUE)
        found = self._found.get((least, most))
        if found is None:
            found = self._found[least, most] = self._shorter(least, most)
        return found

    def _shorter(self, least: Node, most: Node) -> Covering:
        negate = self._diagrams.negated
        told = self._sum(least, most)
        if told.form.size == 1:
            return told
        against = self._sum(negate(most), negate(least))
        if told.form.size <= against.form.size:
            return told
        return Covering(negate(against.node), negated(against.form))

    def _sum(self, least: Node, most: Node) -> Covering:
        """A condition between the bounds as a sum: under which answers to the first question which part holds."""
        found = self._sums.get((least, most))
        if found is None:
            level = min(self._diagrams.level(least), self._diagrams.level(most))
            found = self._sums[least, most] = _Sum(self, level, least, most).covering()
        return found

    def _set_form(self, level: int, answers: int, free: int) -> Form:
        """The form of "the answer to the question is one of these", of which the `free` ones make no difference."""
        found = self._sets.get((level, answers, free))
        if found is None:
            found = self._sets[level, answers, free] = self._made_set_form(level, answers, free)
        return found

    def _made_set_form(self, level: int, answers: int, free: int) -> Form:
        question = self._diagrams.questions[level]
        if question.pattern is None:
            return set_form(question.key, question.domain, answers, free)
        _, pattern = question.domain.tests[question.pattern]
        matches = compared(question.key, Operator.REGEX, pattern)
        return {0b01: negated(matches), 0b10: matches, 0b11: forms.TRUE}[answers]


class _Sum:
    """One sum in the making."""

    def __init__(self, finding: ShortestForm, level: int, least: Node, most: Node):
        self._finding, self._level = finding, level
        self._diagrams = diagrams = finding._diagrams
        self._followers: dict[int, int] = {}
        self._groups = self._grouped(least, most)
        self._common = TRUE
        for group in self._groups:
            self._common = diagrams.both(self._common, group.most)
        self._parts: list[Part] = []

    def _grouped(self, least: Node, most: Node) -> list[Group]:
        diagrams, level = self._diagrams, self._level
        question = diagrams.questions[level]
        bounds = list(zip(diagrams.children(least, level), diagrams.children(most, level), strict=True))
        patterns = diagrams.patterns_in(level, chain.from_iterable(bounds))
        if patterns:
            self._follow_gaps(question, bounds)
        answers: dict[tuple[Node, Node, int], int] = {}
        for answer, (low, high) in enumerate(bounds):
            if answer not in self._followers:
                key = (low, high, self._decision(question, answer, patterns))
                answers[key] = answers.get(key, 0) | 1 << answer
        diagrams.take(len(answers))
        return [
            Group(bits, (bits & -bits).bit_length() - 1, decided == OPEN, low, high)
            for (low, high, decided), bits in answers.items()
        ]

    def _decision(self, question: Question, answer: int, patterns: int) -> int:
        """Equal for answers behind which `patterns` are decided in the same way."""
        if not patterns:
            return 0
        return OPEN if question.domain.open[answer] else question.domain.holding[answer] & patterns

    def _follow_gaps(self, question: Question, bounds: Sequence[tuple[Node, Node]]) -> None:
        """Find the strings that differ from a gap beside them only in what patterns are decided to be.

        Where both gaps would do, it is the one above: there is a next string, which may be a constant, but none before.
        """
        for answer, gaps in question.domain.between.items():
            for gap in reversed(gaps):
                if gap is not None and bounds[answer] == tuple(
                    self._diagrams.decided(bound, self._level, answer) for bound in bounds[gap]
                ):
                    self._followers.setdefault(answer, gap)

    def covering(self) -> Covering:
        """What is true of all answers is found last, when the parts have left it what they do not cover."""
        diagrams = self._diagrams
        for place in self._order():
            group = self._groups[place]
            missing = diagrams.without(diagrams.without(group.least, self._common), self._covered(place))
            part = self._finding._between(missing, group.most)
            if part.node != FALSE:
                self._parts.append(Part(part.form, self._told(place, part.node)))
        missing = FALSE
        for place, group in enumerate(self._groups):
            missing = diagrams.either(missing, diagrams.without(group.least, self._covered(place)))
        whole = self._finding._between(missing, self._common)
        if whole.node != FALSE:
            everywhere = {place: self._decided(whole.node, place) for place in range(len(self._groups))}
            self._parts.append(Part(whole.form, everywhere))
        self._drop_needless()
        return Covering(self._node(), rough("or", [self._form(part) for part in self._parts]))

    def _order(self) -> list[int]:
        """Groups with open patterns first, whose parts may be decided in the others; then those that imply others."""
        diagrams, groups = self._diagrams, self._groups
        ranks = [0] * len(groups)
        if len(groups) <= MANY_GROUPS:
            ranks = [sum(diagrams.implies(other.most, group.most) for other in groups) for group in groups]
        return sorted(range(len(groups)), key=lambda place: (not groups[place].open, ranks[place]))

    def _told(self, place: int, node: Node) -> dict[int, Node]:
        """The groups for which a part can be told, and what it comes to there."""
        if len(self._groups) > MANY_GROUPS:
            return {place: node}
        decided = {other: self._decided(node, other) for other in range(len(self._groups))}
        return {
            other: there
            for other, there in decided.items()
            if other == place or self._diagrams.implies(there, self._groups[other].most)
        }

    def _decided(self, node: Node, place: int) -> Node:
        return self._diagrams.decided(node, self._level, self._groups[place].answer)

    def _covered(self, place: int, parts: Sequence[Part] | None = None) -> Node:
        """What some parts cover in one group."""
        found = FALSE
        for part in self._parts if parts is None else parts:
            if place in part.nodes:
                found = self._diagrams.either(found, part.nodes[place])
        return found

    def _drop_needless(self) -> None:
        """Leave out what the other parts cover together."""
        if len(self._parts) > MANY_GROUPS:
            return
        for part in self._parts.copy():
            others = [other for other in self._parts if other is not part]
            if all(
                self._diagrams.implies(self._groups[place].least, self._covered(place, others)) for place in part.nodes
            ):
                self._parts = others

    def _node(self) -> Node:
        children = [FALSE] * self._diagrams.questions[self._level].answers
        for place, group in enumerate(self._groups):
            covered = self._covered(place)
            for answer in range(len(children)):
                if group.answers >> answer & 1:
                    children[answer] = covered
        for answer, gap in self._followers.items():
            children[answer] = self._diagrams.decided(children[gap], self._level, answer)
        return self._diagrams.node(self._level, children)

    def _form(self, part: Part) -> Form:
        answers = sum(self._groups[place].answers for place in part.nodes)
        answers |= sum(1 << answer for answer, gap in self._followers.items() if answers >> gap & 1)
        free = sum(self._groups[place].answers for place, node in part.nodes.items() if node == FALSE)
        return rough("and", [self._finding._set_form(self._level, answers, free), part.form])
