"""Builds the diagram of "some ALLOW holds and no DENY holds" from all rules at once (rule F1).

After each answer, it keeps the rules that can still hold. If two paths of answers leave the same rules, they lead to
the same node. This needs no operations on diagrams. So a thousand rules on a thousand values of one attribute take
about a thousand steps.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from ..constants import CanonicalKey, value_count
from ..operators import Operator
from ..values import Json
from .diagrams import FALSE, MAX_QUESTIONS, TRUE, Diagrams, Node, OutOfSteps
from .domain import Domain, Test, compared_with, is_opaque, meant_by, normal_test, opaque_of, partition, patterns_of

Conjunction: TypeAlias = Sequence[tuple[str, Operator, Json]]
"""Comparisons that must all hold, as (key, operator, constant)."""

Bits: TypeAlias = int
"""A set of numbers, as bits."""

Needs: TypeAlias = dict[frozenset[int], Bits]
"""For each set of tests, by number, the rules that need all of them.

PERF: the keys are sets, because sets of tests as bits have few different hashes; see `partition`.
"""

READ_IN_A_STEP = 10
"""The number of values in constants that are read in the time of one step."""

CHARACTERS_IN_A_STEP = 100
"""The number of characters that the slowest patterns search in the time of one step."""


class RuleDiagram:
    """The diagram of some rules, in its own `diagrams`."""

    def __init__(self, allows: Sequence[Conjunction], denies: Sequence[Conjunction], steps: int):
        """Raises OutOfSteps if building the diagram takes more than `steps`."""
        rules = [*allows, *denies]
        self._settled = 1 << len(rules)  # represents all ALLOWs that hold
        self._allows = (1 << len(allows)) - 1 | self._settled
        self._denies = self._settled - 1 & ~self._allows
        self.diagrams = Diagrams({}, steps)
        self.diagrams.spend(sum(value_count(constant) for rule in rules for _, _, constant in rule) // READ_IN_A_STEP)
        needs, tests = _needs(rules)
        self.diagrams.spend(sum(_cost(key_tests.values()) for key_tests in tests.values()))
        if len(tests) + sum(len(opaque_of(key_tests.values())) for key_tests in tests.values()) > MAX_QUESTIONS:
            raise OutOfSteps
        domains = {key: partition(list(key_tests.values())) for key, key_tests in tests.items()}
        self.diagrams = Diagrams(domains, self.diagrams.steps)
        self._alive = [
            self._by_answer(question.domain, question.opaque, needs[question.key])
            for question in self.diagrams.questions
        ]
        self._pending = self._pending_from([needs[question.key] for question in self.diagrams.questions])
        self._known: dict[tuple[int, Bits], Node] = {}
        self.node = self._node(0, self._settled - 1)

    def _by_answer(self, domain: Domain, opaque: int | None, needs: Needs) -> list[Bits]:
        """Returns, for each answer to a question, the rules that can still hold."""
        everyone = self._allows | self._denies
        if opaque is not None:
            needing = union_of(rules for need, rules in needs.items() if opaque in need)
            return [everyone & ~needing, everyone]
        free = everyone & ~union_of(needs.values())
        single = {test: rules for need, rules in needs.items() if len(need) == 1 for test in need}
        several = [(sum(1 << test for test in need), rules) for need, rules in needs.items() if len(need) > 1]
        found = []
        for holding in domain.holding:
            self.diagrams.spend(1 + holding.bit_count() + len(several))
            left = free | union_of(single.get(test, 0) for test in numbers_in(holding))
            found.append(left | union_of(rules for need, rules in several if need & holding == need))
        return found

    def _pending_from(self, needs: Sequence[Needs]) -> list[Bits]:
        """Returns, for each level, the rules that depend on its question or on a later one."""
        pending = [0]
        for question, key_needs in zip(reversed(self.diagrams.questions), reversed(needs), strict=True):
            opaque = question.opaque
            rules = union_of(rules for need, rules in key_needs.items() if opaque is None or opaque in need)
            pending.append(pending[-1] | rules)
        return pending[::-1]

    def _node(self, level: int, left: Bits) -> Node:
        """Returns the node of `level` for `left`, the rules that no earlier answer has excluded."""
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
        still_open = question.domain.open if question.opaque is None else (True,) * question.answers
        children = [
            self._node(level + 1 if is_open else question.after, left & alive)
            for alive, is_open in zip(self._alive[level], still_open, strict=True)
        ]
        return self.diagrams.node(level, children)


def _needs(rules: Sequence[Conjunction]) -> tuple[Mapping[str, Needs], Mapping[str, dict[CanonicalKey, Test]]]:
    """Returns, by key, the rules that need each set of tests; and the tests by their canonical key, in order."""
    tests: dict[str, dict[CanonicalKey, Test]] = defaultdict(dict)
    numbers: dict[tuple[str, CanonicalKey], int] = {}
    needs: dict[str, Needs] = defaultdict(lambda: defaultdict(int))
    for rule, conjunction in enumerate(rules):
        needed: dict[str, set[int]] = defaultdict(set)
        for key, op, constant in conjunction:
            meant = meant_by(op, constant)
            number = numbers.setdefault((key, meant), len(tests[key]))
            tests[key][meant] = normal_test(op, constant)
            needed[key].add(number)
        for key, need in needed.items():
            needs[key][frozenset(need)] |= 1 << rule
    return needs, tests


def _cost(tests: Collection[Test]) -> int:
    """Returns the steps of partitioning a domain.

    Each value takes one step. Patterns take steps for their length, and for the strings that they search. Tests of
    elements take steps for the arrays in which they look.
    """
    constants = [constant for test in tests for constant in compared_with(test)]
    patterns = [pattern for _, pattern in patterns_of(tests)]
    searched = sum(1 + len(text) // CHARACTERS_IN_A_STEP for text in constants if isinstance(text, str))
    of_elements = [constant for op, constant in tests if op != Operator.REGEX and is_opaque(op, constant)]
    looked_at = 1 + sum(value_count(constant) for constant in constants if isinstance(constant, list))
    elements = sum(map(value_count, of_elements)) + len(of_elements) * looked_at
    searching = sum(map(len, patterns)) + len(patterns) * searched
    return len(tests) + sum(map(value_count, constants)) + searching + elements


def numbers_in(bits: Bits) -> Iterator[int]:
    """Yields the numbers of a set."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def union_of(sets: Iterable[Bits]) -> Bits:
    """Returns the union of sets."""
    found = 0
    for bits in sets:
        found |= bits
    return found
