"""Ordered decision diagrams over the classes of attributes: equal conditions are one node, whatever they look like.

A node asks for the cell of one attribute, or in an open cell for whether one pattern matches, and leads on by the
answer; the order of questions is fixed: keys by code point, behind each its patterns. Reduced and shared, so two
conditions mean the same exactly where they are the same node. Every step is counted, so the work is bounded, and the
same work takes the same number of steps everywhere.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .domain import Domain, patterns_of

Node: TypeAlias = int
"""A condition, as the number of its node in one `Diagrams`."""

FALSE: Node = 0
TRUE: Node = 1


MAX_QUESTIONS = 128
"""Conditions on more attributes and patterns are not made into diagrams: functions recur from question to question."""


class OutOfSteps(Exception):
    """A piece of work needs more steps than it was given."""


@dataclass(frozen=True, slots=True)
class Question:
    """What the nodes of one level ask: the cell of `key`, or whether `pattern` matches it, the test of that number.

    `patterns` are all of the key's, as bits; `answers` is how many there are; `after` is the level of the next key.
    """

    key: str
    domain: Domain
    pattern: int | None
    patterns: int
    answers: int
    after: int

    def is_open(self, answer: int) -> bool:
        """Whether patterns, behind this question or itself, are open once it has this answer."""
        return self.pattern is not None or self.domain.open[answer]


class Diagrams:
    """Diagrams over the attributes with these domains, by key."""

    def __init__(self, domains: Mapping[str, Domain], steps: int):
        """`steps` are those that may be taken; each method raises OutOfSteps where they do not suffice."""
        self.questions = tuple(_questions(domains))
        if len(self.questions) > MAX_QUESTIONS:
            raise OutOfSteps
        self.steps = steps
        self._levels: list[int] = [len(self.questions)] * 2
        self._children: list[tuple[Node, ...]] = [(), ()]
        self._nodes: dict[tuple[int, tuple[Node, ...]], Node] = {}
        self._both: dict[tuple[Node, Node], Node] = {}
        self._negated: dict[Node, Node] = {FALSE: TRUE, TRUE: FALSE}
        self._decided: dict[tuple[Node, int, int], Node] = {}

    def take(self, steps: int) -> None:
        """Count some steps."""
        self.steps -= steps
        if self.steps < 0:
            raise OutOfSteps

    def level(self, node: Node) -> int:
        """Which question a node asks."""
        return self._levels[node]

    def children(self, node: Node, level: int) -> Sequence[Node]:
        """What a node leads to by each answer to the question of a level that is not behind its own."""
        if self._levels[node] == level:
            return self._children[node]
        return (node,) * self.questions[level].answers

    def node(self, level: int, children: Sequence[Node]) -> Node:
        """The node that asks the question of `level` and leads on to `children`."""
        self.take(len(children))
        if children.count(children[0]) == len(children):
            return children[0]
        key = (level, tuple(children))
        found = self._nodes.get(key)
        if found is None:
            found = self._nodes[key] = len(self._levels)
            self._levels.append(level)
            self._children.append(key[1])
        return found

    def both(self, left: Node, right: Node) -> Node:
        """The condition that both hold."""
        if left == right or right == TRUE:
            return left
        if left == TRUE:
            return right
        if left == FALSE or right == FALSE:
            return FALSE
        key = (left, right) if left < right else (right, left)
        found = self._both.get(key)
        if found is None:
            level = min(self._levels[left], self._levels[right])
            pairs = zip(self.children(left, level), self.children(right, level), strict=True)
            found = self._both[key] = self.node(level, [self.both(*pair) for pair in pairs])
        return found

    def negated(self, node: Node) -> Node:
        """The condition that it does not hold."""
        found = self._negated.get(node)
        if found is None:
            found = self.node(self._levels[node], [self.negated(child) for child in self._children[node]])
            self._negated[node] = found
            self._negated[found] = node
        return found

    def either(self, left: Node, right: Node) -> Node:
        """The condition that one of them holds."""
        return self.negated(self.both(self.negated(left), self.negated(right)))

    def without(self, left: Node, right: Node) -> Node:
        """The condition that the left one holds and the right one does not."""
        return self.both(left, self.negated(right))

    def implies(self, left: Node, right: Node) -> bool:
        """Whether the right one holds wherever the left one does."""
        return left == FALSE or right == TRUE or self.without(left, right) == FALSE

    def patterns_in(self, level: int, nodes: Iterable[Node]) -> int:
        """The patterns that some nodes ask for behind the cell of the key that `level` asks for, as bits."""
        question = self.questions[level]
        found, seen, ahead = 0, set[Node](), list(nodes)
        while question.pattern is None and question.patterns and ahead:
            node = ahead.pop()
            if node not in seen and level < self._levels[node] < question.after:
                self.take(1)
                seen.add(node)
                found |= 1 << (self.questions[self._levels[node]].pattern or 0)
                ahead.extend(self._children[node])
        return found

    def decided(self, node: Node, level: int, cell: int) -> Node:
        """The condition in a cell of the attribute that `level` asks for, with patterns decided where none is open."""
        question = self.questions[level]
        if self._levels[node] >= question.after or question.is_open(cell):
            return node
        key = (node, level, cell)
        found = self._decided.get(key)
        if found is None:
            pattern = self.questions[self._levels[node]].pattern
            if pattern is None:
                raise ValueError("the node stands before the attribute")
            self.take(1)
            child = self._children[node][question.domain.holding[cell] >> pattern & 1]
            found = self._decided[key] = self.decided(child, level, cell)
        return found


def _questions(domains: Mapping[str, Domain]) -> list[Question]:
    found: list[Question] = []
    for key in sorted(domains):
        domain = domains[key]
        patterns = sorted((pattern, number) for number, pattern in patterns_of(domain.tests))
        bits = sum(1 << number for _, number in patterns)
        after = len(found) + 1 + len(patterns)
        found.append(Question(key, domain, None, bits, len(domain.holding), after))
        found.extend(Question(key, domain, number, bits, 2, after) for _, number in patterns)
    return found
