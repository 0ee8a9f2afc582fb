"""Diagrams of differences of two decisions: which values of the variables the second allows and the first denies.

They keep the rules of both models that can still hold after each answer, as `RuleDiagram` does for one filter. A rule
of both models is one rule here. So where only rules of both are left, nothing differs, and the search ends there.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from typing import Final, NamedTuple, TypeAlias

from ....bundles.conditions.constants import CanonicalKey, value_count
from ....bundles.conditions.operators import Operator
from ....bundles.conditions.trees.diagrams import FALSE, TRUE, Diagrams, Node, OutOfSteps
from ....bundles.conditions.trees.domain import MISSING, Domain, Test, normal_test, partition
from ....bundles.conditions.trees.rule_diagram import Bits, numbers_in, union_of
from ..conditions.lines import LineDomain, line_domain
from ..conditions.variables import PRESENT, AnyTest, Body, SpanTest, ValueTest, is_attribute
from .cases import Cases, SubjectTypes

FIRST: Final = 1
SECOND: Final = 2
BOTH: Final = 3


NamedBody: TypeAlias = tuple[str, Body]
"""A rule: its effect, and its body."""


class Kind(Enum):
    """The kind of a change of answers."""

    GAINS = auto()
    LOSES = auto()
    OTHER_REASON = auto()


class Nodes(NamedTuple):
    """The conditions for a gain and for a loss."""

    gains: Node
    loses: Node


_NONE: Final = Nodes(FALSE, FALSE)


class DifferenceDiagrams:
    """The diagrams of several classes of subjects, which share their nodes. `lines` has the special variables."""

    def __init__(self, rules: Iterable[NamedBody], steps: int, cases: Cases):
        """`rules` are those of all classes and both models. Raises OutOfSteps if it takes more than `steps`."""
        self.cases = cases
        self._known_cases: dict[SubjectTypes, Node] = {}
        self._rules = tuple(rules)
        self._places = {rule: number for number, rule in enumerate(self._rules)}
        self.lines: dict[str, LineDomain] = {}
        self.numbers: dict[str, dict[CanonicalKey, int]] = {}
        domains, needs = self._domains(steps)
        self.diagrams = Diagrams(domains, steps)
        self.diagrams.spend(len(self._rules) + sum(len(domain.holding) for domain in domains.values()))
        everyone = (1 << len(self._rules)) - 1
        questions = self.diagrams.questions
        self._alive = [self._by_answer(q.key, q.domain, q.opaque, needs[q.key], everyone) for q in questions]
        self._pending = [0]
        for question in reversed(questions):
            waiting = union_of(
                rules
                for need, rules in needs[question.key].items()
                if question.opaque is None or any(number == question.opaque for number, _ in need)
            )
            self._pending.append(self._pending[-1] | waiting)
        self._pending.reverse()
        self._by_side: Sequence[tuple[int, Bits, Bits]] = ()
        self._known: dict[tuple[int, Bits, int, int], Nodes] = {}

    def changes(self, old: Iterable[NamedBody], new: Iterable[NamedBody]) -> Mapping[Kind, Node]:
        """Returns the nodes of the changes from one set of rules to another. Raises OutOfSteps."""
        self._known = {}
        self._by_side = [(side, *self._effects(rules)) for side, rules in ((FIRST, old), (SECOND, new))]
        nodes = self._node(0, union_of(allow | deny for _, allow, deny in self._by_side), 0, 0)
        return {Kind.GAINS: nodes.gains, Kind.LOSES: nodes.loses}

    def of_cases(self, types: SubjectTypes) -> Node:
        """Returns the condition that a request of a subject of some types is a case. Raises OutOfSteps."""
        if not self.cases.sides:
            return TRUE
        found = self._known_cases.get(types)
        if found is None:
            found = TRUE
            for level in range(len(self.diagrams.questions) - 1, -1, -1):
                question = self.diagrams.questions[level]
                if question.opaque is None:
                    cells = self._cells(question.key, question.domain, types)
                    answers = [found if cells >> cell & 1 else FALSE for cell in range(question.answers)]
                    found = self.diagrams.node(level, answers)
            self._known_cases[types] = found
        return found

    def _cells(self, key: str, domain: Domain, types: SubjectTypes) -> int:
        if is_attribute(key):
            return self.cases.cells(key, domain, types)
        possible = self.cases.states(key, types)
        cells = enumerate(self.lines[key].cells)
        return sum(1 << number for number, cell in cells if cell.spans or possible & cell.states)

    def meets(self, node: Node, rule: NamedBody) -> bool:
        """Returns whether a rule can hold where a condition does. Raises OutOfSteps."""
        if rule not in self._places:
            return False
        return self.diagrams.conjunction(node, self.changes((), (rule,))[Kind.GAINS]) != FALSE

    def _effects(self, rules: Iterable[NamedBody]) -> tuple[Bits, Bits]:
        """Returns the ALLOWs among some rules, and their denials."""
        allow = deny = 0
        for rule in rules:
            if rule[0] == "ALLOW":
                allow |= 1 << self._places[rule]
            else:
                deny |= 1 << self._places[rule]
        return allow, deny

    def _domains(self, steps: int) -> tuple[dict[str, Domain], dict[str, dict[frozenset[tuple[int, bool]], Bits]]]:
        """Returns the domain of each variable, and the rules that need each set of its tests, by (number, missing)."""
        tests: dict[str, dict[AnyTest, None]] = defaultdict(dict)
        for _, body in self._rules:
            for key, test in body:
                tests[key][test] = None
        cost = sum(_cost(test) for found in tests.values() for test in found)
        if cost > steps:
            raise OutOfSteps
        domains: dict[str, Domain] = {}
        for key, found in tests.items():
            domains[key] = self._attribute(key, found) if is_attribute(key) else self._line(key, found)
        needs: dict[str, dict[frozenset[tuple[int, bool]], Bits]] = {key: defaultdict(int) for key in tests}
        for number, (_, body) in enumerate(self._rules):
            needed: dict[str, set[tuple[int, bool]]] = defaultdict(set)
            for key, test in body:
                named = test.meant if isinstance(test, ValueTest) else (test,)
                missing = isinstance(test, ValueTest) and test.or_missing
                needed[key].add((self.numbers[key][named], missing))
            for key, need in needed.items():
                needs[key][frozenset(need)] |= 1 << number
        return domains, needs

    def _attribute(self, key: str, tests: Iterable[AnyTest]) -> Domain:
        found: dict[CanonicalKey, Test] = {}
        for test in tests:
            if isinstance(test, ValueTest):
                found.setdefault(test.meant, normal_test(test.op, test.value))
                if test.or_missing or not self.cases.may_be_missing(key):  # so that a missing value has a separate cell
                    found.setdefault(PRESENT.meant, (PRESENT.op, PRESENT.value))
        self.numbers[key] = {meant: number for number, meant in enumerate(found)}
        return partition(list(found.values()))

    def _line(self, key: str, tests: Iterable[AnyTest]) -> Domain:
        found = [test for test in tests if isinstance(test, SpanTest)]
        self.numbers[key] = {(test,): number for number, test in enumerate(found)}
        self.lines[key] = line_domain(key, found)
        return self.lines[key].domain

    def _by_answer(
        self,
        key: str,
        domain: Domain,
        opaque: int | None,
        needs: dict[frozenset[tuple[int, bool]], Bits],
        everyone: Bits,
    ) -> list[Bits]:
        """Returns, for each answer to a question, the rules that can still hold."""
        if opaque is not None:
            needing = union_of(rules for need, rules in needs.items() if any(number == opaque for number, _ in need))
            return [everyone & ~needing, everyone]
        free = everyone & ~union_of(needs.values())
        single: dict[int, Bits] = defaultdict(int)
        for need, rules in needs.items():
            if len(need) == 1:
                single[next(iter(need))[0]] |= rules
        several = [
            (union_of(1 << number for number, _ in need), rules) for need, rules in needs.items() if len(need) > 1
        ]
        found = []
        for holding in domain.holding:
            self.diagrams.spend(1 + holding.bit_count() // 8 + len(several))
            left = free | union_of(single[number] for number in numbers_in(holding) if number in single)
            found.append(left | union_of(rules for need, rules in several if need & holding == need))
        if is_attribute(key):
            cell = domain.cells[MISSING]
            found[cell] |= union_of(rules for need, rules in needs.items() if all(missing for _, missing in need))
        return found

    def _node(self, level: int, left: Bits, granted: int, denied: int) -> Nodes:
        """Returns the nodes of `level` for `left`, the rules that no earlier answer has excluded.

        `granted` and `denied` are the sides on which an ALLOW holds, and on which none can or a denial holds.
        """
        pending = self._pending[level]
        settled = left & ~pending
        left &= pending
        for side, allow, deny in self._by_side:
            if settled & deny:
                denied |= side
            if settled & allow:
                granted |= side
            if not granted & side and not left & allow:
                denied |= side
        if denied == BOTH:
            return _NONE
        needed = 0
        for side, allow, deny in self._by_side:
            if not denied & side:
                needed |= deny if granted & side else deny | allow
        left &= needed
        if not left:
            if not denied:
                return _NONE
            return Nodes(TRUE, FALSE) if denied == FIRST else Nodes(FALSE, TRUE)
        if not denied and granted in (0, BOTH) and not self._differs(left):
            return _NONE
        key = level, left, granted, denied
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._asked(*key)
        return found

    def _differs(self, left: Bits) -> bool:
        """Returns whether a rule of one side alone is left."""
        (_, *first), (_, *second) = self._by_side
        return left & (first[0] | first[1]) != left & (second[0] | second[1])

    def _asked(self, level: int, left: Bits, granted: int, denied: int) -> Nodes:
        children = [self._node(after, left & alive, granted, denied) for after, alive in self._answers(level)]
        self.diagrams.spend(len(children))
        gains, loses = zip(*children, strict=True)
        return Nodes(self.diagrams.node(level, gains), self.diagrams.node(level, loses))

    def _answers(self, level: int) -> Iterator[tuple[int, Bits]]:
        """Yields, for each answer to the question of a level, the next level, and the rules that can still hold."""
        question = self.diagrams.questions[level]
        still_open = question.domain.open if question.opaque is None else (True,) * question.answers
        for alive, is_open in zip(self._alive[level], still_open, strict=True):
            yield level + 1 if is_open else question.after, alive


def _cost(test: AnyTest) -> int:
    if isinstance(test, SpanTest):
        return 1 + len(test.spans)
    length = len(test.value) if test.op is Operator.REGEX else 0
    return value_count(test.value) + length
