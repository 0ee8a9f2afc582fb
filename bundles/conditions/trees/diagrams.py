"""Reduced ordered decision diagrams over the cells of attributes: conditions with the same meaning are the same node.

A node asks a question, which is a variable of the diagram: in which cell is an attribute? Or, in an open cell: does an
opaque test hold? Each answer leads to another node. The order of questions is fixed: keys by code point, and after each
key its opaque tests. Diagrams are reduced and shared, so two conditions have the same meaning if and only if they are
the same node. Every step is counted, so the work is bounded, and takes the same number of steps on every machine.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .domain import Domain, opaque_of

Node: TypeAlias = int
"""A condition: the number of its node in one `Diagrams`."""

FALSE: Node = 0
TRUE: Node = 1


MAX_QUESTIONS = 128
"""Conditions with more attributes and opaque tests have no diagram, because functions recur for each question."""


class OutOfSteps(Exception):
    """The work needs more steps than the budget allows."""


@dataclass(frozen=True, slots=True)
class Question:
    """The question of the nodes of one level: the cell of `key`, or whether the opaque test number `opaque` holds.

    `opaque` is None for the cell. `all_opaque` are all opaque tests of the key, as bits. `answers` is the number of
    answers. `after` is the level of the next key.
    """

    key: str
    domain: Domain
    opaque: int | None
    all_opaque: int
    answers: int
    after: int

    def is_open(self, answer: int) -> bool:
        """Returns whether opaque tests of the key may still be asked after this answer."""
        return self.opaque is not None or self.domain.open[answer]

    def open_tests(self, answer: int) -> int:
        """Returns, as bits, the opaque tests of the key that this answer does not decide."""
        return self.all_opaque & self.domain.holding[answer] if self.domain.open[answer] else 0


class Diagrams:
    """Diagrams over attributes, with a domain for each key."""

    def __init__(self, domains: Mapping[str, Domain], steps: int):
        """`steps` is the budget. Each method raises OutOfSteps if the budget is spent."""
        self.questions = tuple(_questions(domains))
        if len(self.questions) > MAX_QUESTIONS:
            raise OutOfSteps
        self.steps = steps
        self._levels: list[int] = [len(self.questions)] * 2
        self._children: list[tuple[Node, ...]] = [(), ()]
        self._nodes: dict[tuple[int, tuple[Node, ...]], Node] = {}
        self._conjunctions: dict[tuple[Node, Node], Node] = {}
        self._disjunctions: dict[tuple[Node, Node], Node] = {}
        self._negations: dict[Node, Node] = {FALSE: TRUE, TRUE: FALSE}
        self._implied: dict[tuple[Node, Node], bool] = {}
        self._needed: dict[tuple[Node, Node], int] = {}
        self._restrictions: dict[tuple[Node, int, int], Node] = {}

    def spend(self, steps: int) -> None:
        """Takes steps from the budget. Raises OutOfSteps if it is spent."""
        self.steps -= steps
        if self.steps < 0:
            raise OutOfSteps

    def level(self, node: Node) -> int:
        """Returns the level of a node, which is the index of its question."""
        return self._levels[node]

    def children(self, node: Node, level: int) -> Sequence[Node]:
        """Returns the node for each answer to the question of `level`, which is the node's own level or before it."""
        if self._levels[node] == level:
            return self._children[node]
        return (node,) * self.questions[level].answers

    def node(self, level: int, children: Sequence[Node]) -> Node:
        """Returns the node that asks the question of `level`. `children` are the nodes of its answers."""
        self.spend(len(children))
        if children.count(children[0]) == len(children):
            return children[0]
        key = (level, tuple(children))
        found = self._nodes.get(key)
        if found is None:
            found = self._nodes[key] = len(self._levels)
            self._levels.append(level)
            self._children.append(key[1])
        return found

    def conjunction(self, left: Node, right: Node) -> Node:
        """Returns the condition that both conditions hold."""
        if left == right or right == TRUE:
            return left
        if left == TRUE:
            return right
        if left == FALSE or right == FALSE:
            return FALSE
        key = (left, right) if left < right else (right, left)
        found = self._conjunctions.get(key)
        if found is None:
            level, pairs = self._both(left, right)
            found = self._conjunctions[key] = self.node(level, [self.conjunction(one, other) for one, other in pairs])
        return found

    def _both(self, left: Node, right: Node) -> tuple[int, Iterable[tuple[Node, Node]]]:
        """Returns the level of the first question of two nodes, and the nodes of each of its answers."""
        levels, children = self._levels, self._children
        level, other = levels[left], levels[right]
        if level == other:
            return level, zip(children[left], children[right], strict=True)
        if level < other:
            return level, ((child, right) for child in children[left])
        return other, ((left, child) for child in children[right])

    def negation(self, node: Node) -> Node:
        """Returns the condition that `node` does not hold."""
        found = self._negations.get(node)
        if found is None:
            found = self.node(self._levels[node], [self.negation(child) for child in self._children[node]])
            self._negations[node] = found
            self._negations[found] = node
        return found

    def disjunction(self, left: Node, right: Node) -> Node:
        """Returns the condition that at least one of the conditions holds."""
        if left == right or right == FALSE:
            return left
        if left == FALSE:
            return right
        if left == TRUE or right == TRUE:
            return TRUE
        key = (left, right) if left < right else (right, left)
        found = self._disjunctions.get(key)
        if found is None:
            level, pairs = self._both(left, right)
            found = self._disjunctions[key] = self.node(level, [self.disjunction(one, other) for one, other in pairs])
        return found

    def difference(self, left: Node, right: Node) -> Node:
        """Returns the condition that `left` holds and `right` does not."""
        if left == FALSE or right == FALSE:
            return left
        return self.conjunction(left, self.negation(right))

    def implies(self, left: Node, right: Node) -> bool:
        """Returns whether `right` holds whenever `left` holds.

        PERF: it makes no nodes, and ends at the first answer after which `left` alone holds.
        """
        if left in (FALSE, right) or right == TRUE:
            return True
        if left == TRUE or right == FALSE:
            return False
        found = self._implied.get((left, right))
        if found is None:
            _, pairs = self._both(left, right)
            self.spend(1)
            found = self._implied[left, right] = all(self.implies(one, other) for one, other in pairs)
        return found

    def needed_keys(self, lower: Node, upper: Node) -> int:
        """Returns, as bits, keys on which each condition depends that `lower` implies and that implies `upper`.

        A key is the bit of the level after its questions. If `lower` is `upper`, these are all keys of the condition.
        """
        if lower == FALSE or upper == TRUE:
            return 0
        found = self._needed.get((lower, upper))
        if found is None:
            level, pairs = self._both(lower, upper)
            found, some, every = 0, FALSE, TRUE
            for low, high in pairs:
                found |= self.needed_keys(low, high)
                some, every = self.disjunction(some, low), self.conjunction(every, high)
            if not self.implies(some, every):
                found |= 1 << self.questions[level].after
            self._needed[lower, upper] = found
        return found

    def opaque_in(self, level: int, nodes: Iterable[Node]) -> int:
        """Returns, as bits, the opaque tests of the key of `level` that nodes ask for."""
        question = self.questions[level]
        found, seen, ahead = 0, set[Node](), list(nodes)
        while question.opaque is None and question.all_opaque and ahead:
            node = ahead.pop()
            if node not in seen and level < self._levels[node] < question.after:
                self.spend(1)
                seen.add(node)
                found |= 1 << (self.questions[self._levels[node]].opaque or 0)
                ahead.extend(self._children[node])
        return found

    def restricted(self, node: Node, level: int, cell: int) -> Node:
        """Returns `node` restricted to one cell of the attribute of `level`.

        It answers the questions of the opaque tests that the cell decides.
        """
        question = self.questions[level]
        if self._levels[node] >= question.after or question.opaque is not None:
            return node
        unknown = question.open_tests(cell)
        if unknown == question.all_opaque:
            return node
        key = (node, level, cell)
        found = self._restrictions.get(key)
        if found is None:
            opaque = self.questions[self._levels[node]].opaque
            if opaque is None:
                raise ValueError("the node asks for the cell of the attribute")
            self.spend(1)
            if unknown >> opaque & 1:
                children = [self.restricted(child, level, cell) for child in self._children[node]]
                found = self.node(self._levels[node], children)
            else:
                child = self._children[node][question.domain.holding[cell] >> opaque & 1]
                found = self.restricted(child, level, cell)
            self._restrictions[key] = found
        return found


def _questions(domains: Mapping[str, Domain]) -> list[Question]:
    found: list[Question] = []
    for key in sorted(domains):
        domain = domains[key]
        opaque = sorted((order, number) for number, order in opaque_of(domain.tests))
        bits = sum(1 << number for _, number in opaque)
        after = len(found) + 1 + len(opaque)
        found.append(Question(key, domain, None, bits, len(domain.holding), after))
        found.extend(Question(key, domain, number, bits, 2, after) for _, number in opaque)
    return found
