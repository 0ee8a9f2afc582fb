"""The diagram of "some ALLOW holds and no DENY does", made from all rules at once (rule F1).

Answer by answer it is followed which rules still can hold; where the same ones are left, the same node is. That takes
no operation on diagrams, so a thousand rules on a thousand values of one attribute are a thousand steps or so.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from bundles.conditions.constants import Meaning, meaning
from bundles.conditions.diagrams import FALSE, TRUE, Diagrams, Node
from bundles.conditions.domain import Domain, Test, compared_with, divide
from bundles.conditions.values import Json

Conjunction: TypeAlias = Sequence[tuple[str, str, Json]]
"""Comparisons that must all hold, as (key, operator, constant)."""

Bits: TypeAlias = int
"""A set of numbers, as bits."""


class Ruled:
    """The diagram of some rules, in its own `diagrams`."""

    def __init__(self, allows: Sequence[Conjunction], denies: Sequence[Conjunction], steps: int):
        """Raises OutOfSteps where `steps` do not suffice."""
        rules = [*allows, *denies]
        self._settled = 1 << len(rules)  # stands for ALLOWs that hold, whichever they are
        self._allows = (1 << len(allows)) - 1 | self._settled
        self._denies = self._settled - 1 & ~self._allows
        needs, tests = _needs(rules)
        self.diagrams = Diagrams({}, steps)
        self.diagrams.take(sum(_cost(key_tests) for key_tests in tests.values()))
        domains = {key: divide(list(key_tests.values())) for key, key_tests in tests.items()}
        self.diagrams = Diagrams(domains, self.diagrams.steps)
        self._alive = [
            self._by_answer(question.domain, question.pattern, needs[question.key])
            for question in self.diagrams.questions
        ]
        self._pending = self._pending_from([needs[question.key] for question in self.diagrams.questions])
        self._known: dict[tuple[int, Bits], Node] = {}
        self.node = self._node(0, self._settled - 1)

    def _by_answer(self, domain: Domain, pattern: int | None, needs: dict[Bits, Bits]) -> list[Bits]:
        """For each answer to a question, the rules that it leaves."""
        everyone = self._allows | self._denies
        if pattern is not None:
            needing = _union(rules for need, rules in needs.items() if need >> pattern & 1)
            return [everyone & ~needing, everyone]
        free = everyone & ~_union(needs.values())
        single = {need: rules for need, rules in needs.items() if need.bit_count() == 1}
        several = [(need, rules) for need, rules in needs.items() if need.bit_count() > 1]
        found = []
        for holding in domain.holding:
            self.diagrams.take(1 + holding.bit_count() + len(several))
            left = free | _union(single.get(bit, 0) for bit in _bits(holding))
            found.append(left | _union(rules for need, rules in several if need & holding == need))
        return found

    def _pending_from(self, needs: Sequence[dict[Bits, Bits]]) -> list[Bits]:
        """For each level, the rules that depend on its question or one behind it; none at the end."""
        pending = [0]
        for question, key_needs in zip(reversed(self.diagrams.questions), reversed(needs), strict=True):
            pattern = question.pattern
            rules = _union(rules for need, rules in key_needs.items() if pattern is None or need >> pattern & 1)
            pending.append(pending[-1] | rules)
        return pending[::-1]

    def _node(self, level: int, left: Bits) -> Node:
        """The node where `left` are the rules that no answer up to `level` has excluded."""
        pending = self._pending[level]
        if left & self._denies & ~pending or not left & self._allows:
            return FALSE
        if left & self._allows & ~pending:
            left = left & self._denies | self._settled
            if left == self._settled:
                return TRUE
        found = self._known.get((level, left))
        if found is None:
            found = self._known[level, left] = self._asked(level, left)
        return found

    def _asked(self, level: int, left: Bits) -> Node:
        question = self.diagrams.questions[level]
        patterns_open = question.domain.open if question.pattern is None else (True,) * question.answers
        children = [
            self._node(level + 1 if is_open else question.after, left & alive)
            for alive, is_open in zip(self._alive[level], patterns_open, strict=True)
        ]
        return self.diagrams.node(level, children)


def _needs(rules: Sequence[Conjunction]) -> tuple[dict[str, dict[Bits, Bits]], dict[str, dict[Meaning, Test]]]:
    """By key: the rules that need each set of tests; and the tests by what they mean, numbered in their order."""
    tests: dict[str, dict[Meaning, Test]] = defaultdict(dict)
    numbers: dict[tuple[str, Meaning], int] = {}
    needs: dict[str, dict[Bits, Bits]] = defaultdict(lambda: defaultdict(int))
    for rule, conjunction in enumerate(rules):
        needed: dict[str, Bits] = defaultdict(int)
        for key, op, constant in conjunction:
            meant = (op, meaning(constant))
            number = numbers.setdefault((key, meant), len(tests[key]))
            tests[key][meant] = (op, constant)
            needed[key] |= 1 << number
        for key, need in needed.items():
            needs[key][need] |= 1 << rule
    return needs, tests


def _cost(tests: dict[Meaning, Test]) -> int:
    """The steps that dividing a domain takes: one a constant, one for each pattern on it."""
    constants = sum(len(list(compared_with(test))) for test in tests.values())
    patterns = sum(op == "regex" for op, _ in tests.values())
    return len(tests) + constants * (1 + patterns)


def _bits(bits: Bits) -> Iterator[Bits]:
    while bits:
        lowest = bits & -bits
        yield lowest
        bits ^= lowest


def _union(sets: Iterable[Bits]) -> Bits:
    found = 0
    for bits in sets:
        found |= bits
    return found
