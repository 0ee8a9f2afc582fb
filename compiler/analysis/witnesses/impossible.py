"""Proves that no request takes any path of a condition: attributes that are compared with each other have no values.

A pool of values stands for all values, if it has a value of each kind between any two constants for each attribute.
Tests of patterns and of elements have no such pool, unless a strict model lists the values. Then nothing is proved.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Final

from ....bundles.conditions.operators import OF_ELEMENTS, TAKES_LIST
from ....bundles.conditions.trees.diagrams import FALSE, TRUE, Node
from ....bundles.conditions.trees.instant_comparisons import instant_of_text
from ....bundles.conditions.values import Json
from ..conditions.relations import comparison_of, relation
from ..conditions.variables import (
    MISSING,
    UNREADABLE,
    SpanTest,
    attribute,
    is_attribute,
    is_now,
    is_reference,
    parts,
    sides_of,
)
from ..differences.cases import SubjectTypes
from ..differences.diagram import DifferenceDiagrams
from ..values.candidates import fits
from .linked import unique

_MOST_STEPS: Final = 4_000
_MOST_ELEMENTS: Final = 14
_MOST_ATTRIBUTES: Final = 4
_INSTANT: Final = "2026-01-05T10:00:00Z"

Answers = Mapping[str, int]
"""The cells of some variables."""


@dataclass
class Impossible:
    """Finds conditions without a request, in some diagrams, for subjects of some types."""

    found: DifferenceDiagrams
    types: SubjectTypes
    steps: int = _MOST_STEPS
    _known: dict[tuple[tuple[str, int], ...], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._domains = {question.key: question.domain for question in self.found.diagrams.questions}
        self._links = {key: sides_of(key) for key in self.found.lines if is_reference(key)}
        self._orders = {key: attribute(*parts(key)[1:]) for key in self.found.lines if is_now(key)}
        self._group_of = self._grouped()
        self._pools = {id(group): self._pool(group) for group in self._group_of.values()}

    def is_empty(self, node: Node) -> bool:
        """Returns whether no request takes a path from a node to TRUE. It is not proved if it takes many steps."""
        waiting: list[tuple[Node, dict[str, int]]] = [(node, {})]
        while waiting:
            node, answers = waiting.pop()
            self.steps -= 1
            if node == TRUE or self.steps < 0:
                return False
            question = self.found.diagrams.questions[self.found.diagrams.level(node)]
            for answer, child in enumerate(self.found.diagrams.children(node, self.found.diagrams.level(node))):
                if child == FALSE:
                    continue
                if question.opaque is not None:
                    waiting.append((child, answers))
                    continue
                further = {**answers, question.key: answer}
                if self._may_be(question.key, further):
                    waiting.append((child, further))
        return True

    def _grouped(self) -> dict[str, list[str]]:
        """Returns, for each attribute, those that are compared with each other, and so with it."""
        groups: dict[str, list[str]] = {key: [key] for key in self._domains if is_attribute(key)}
        for key in (*self._orders.values(), *(one for pair in self._links.values() for one in pair)):
            groups.setdefault(key, [key])
        for left, right in self._links.values():
            if groups[left] is not groups[right]:
                groups[left] += groups[right]
                for key in groups[right]:
                    groups[key] = groups[left]
        return groups

    def _may_be(self, key: str, answers: Answers) -> bool:
        """Returns whether some values fit the answers about the attributes that a variable is about."""
        about = self._links[key][0] if key in self._links else self._orders.get(key, key)
        group = self._group_of.get(about)
        pool = None if group is None else self._pools[id(group)]
        if group is None or pool is None:
            return True
        names = {*group, *(one for one, (left, _) in self._links.items() if left in group)}
        names |= {one for one, left in self._orders.items() if left in group}
        asked = tuple(sorted((name, answer) for name, answer in answers.items() if name in names))
        if asked not in self._known:
            self._known[asked] = self._solvable(group, dict(asked), pool)
        return self._known[asked]

    def _solvable(self, group: Sequence[str], asked: Answers, pool: "_Pool") -> bool:
        masks = {key: self._fitting(key, asked, pool) for key in group}
        links = [
            (left, right, self.found.lines[key].cells[asked[key]].states)
            for key, (left, right) in self._links.items()
            if key in asked
        ]
        return self._fill(list(group), masks, links, pool)

    def _fill(
        self,
        left: list[str],
        masks: dict[str, int],
        links: Sequence[tuple[str, str, frozenset[str]]],
        pool: "_Pool",
    ) -> bool:
        if not all(masks.values()):
            return False
        if not left:
            return True
        key = min(left, key=lambda one: masks[one].bit_count())
        rest = [one for one in left if one != key]
        for number in _numbers_in(masks[key]):
            self.steps -= 1
            if self.steps < 0:
                return True
            further = {**masks, key: 1 << number}
            for one, other, states in links:
                if one == key:
                    further[other] &= pool.after(number, states)
                if other == key:
                    further[one] &= pool.before(number, states)
            if self._fill(rest, further, links, pool):
                return True
        return False

    def _fitting(self, key: str, asked: Answers, pool: "_Pool") -> int:
        """Returns the values of a pool, as bits, that an attribute may have."""
        orders = [
            self.found.lines[one].cells[asked[one]] for one, of in self._orders.items() if of == key and one in asked
        ]
        found = 0
        for number, value in enumerate(pool.values):
            fitting = key not in asked or fits(self._domains[key], asked[key], {}, value)
            if (
                fitting
                and all(_may_order(value, cell) for cell in orders)
                and self.found.cases.takes(key, value, self.types)
            ):
                found |= 1 << number
        return found

    def _pool(self, group: Sequence[str]) -> "_Pool | None":
        """Returns values that stand for all values of some attributes, or None if there is no such pool."""
        domains = [self._domains[key] for key in group if key in self._domains]
        is_ordered = any(key in group for key in self._orders.values())
        if len(group) > _MOST_ATTRIBUTES or any(any(domain.open) for domain in domains):
            return None
        if is_ordered and (len(group) > 1 or any(domain.strings for domain in domains)):
            return None
        numbers = sorted({one for domain in domains for one in domain.numbers})
        texts = sorted({one for domain in domains for one in domain.strings})
        points = [one for domain in domains for one in domain.points]
        scalars: list[Json] = [*_numbers(numbers, len(group)), *_texts(texts, len(group)), True, False, {"k": 1}]
        lists: list[Json] = [[], *([f"~{number}"] for number in range(len(group)))]
        listed = [one for key in group for one in self.found.cases.listed(key, self.types)]
        if self._reads_elements(group):
            elements = unique([*scalars, *listed])
            if len(elements) > _MOST_ELEMENTS:
                return None
            lists += [list(some) for size in (1, 2) for some in combinations(elements, size)]
        instants = [_INSTANT] if is_ordered else []
        return _Pool(unique([None, *scalars, {"k": 2}, *points, *lists, *listed, *instants]))

    def _reads_elements(self, group: Sequence[str]) -> bool:
        """Returns whether a comparison of some attributes looks into arrays."""
        for key, (left, _) in self._links.items():
            if left in group:
                for (test,) in self.found.numbers[key]:
                    assert isinstance(test, SpanTest)
                    op, _ = comparison_of(test.states)
                    if TAKES_LIST[op] or OF_ELEMENTS[op]:
                        return True
        return False


class _Pool:
    """Values, and how they are related."""

    def __init__(self, values: Sequence[Json]) -> None:
        self.values = values
        self._after: dict[int, dict[str, int]] = {}
        self._before: dict[int, dict[str, int]] = {}

    def after(self, number: int, states: frozenset[str]) -> int:
        """Returns the values on the right of a relation, as bits, for the value on its left."""
        if number not in self._after:
            self._after[number] = _by_relation(relation(self.values[number], one) for one in self.values)
        return _joined(self._after[number], states)

    def before(self, number: int, states: frozenset[str]) -> int:
        """Returns the values on the left of a relation, as bits, for the value on its right."""
        if number not in self._before:
            self._before[number] = _by_relation(relation(one, self.values[number]) for one in self.values)
        return _joined(self._before[number], states)


def _by_relation(relations: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = defaultdict(int)
    for number, one in enumerate(relations):
        found[one] |= 1 << number
    return found


def _joined(masks: Mapping[str, int], states: frozenset[str]) -> int:
    found = 0
    for state in states:
        found |= masks.get(state, 0)
    return found


def _numbers_in(mask: int) -> Iterator[int]:
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def _may_order(value: Json, cell: SpanTest) -> bool:
    """Returns whether a value may compare with the instant of some request as a cell says (X5)."""
    if value is None:
        return MISSING in cell.states
    if instant_of_text(value) is None:
        return UNREADABLE in cell.states
    return bool(cell.states - {MISSING})


def _numbers(constants: Sequence[int | float], count: int) -> Iterator[int | float]:
    """Yields constants, with as many numbers as `count` in each gap, as far as it has so many."""
    yield from constants
    low, high = (constants[0], constants[-1]) if constants else (0, 0)
    for one in range(1, count + 1):
        yield from (int(low) - one, int(high) + one)
    for left, right in pairwise(constants):
        between = (left + (right - left) * one / (count + 1) for one in range(1, count + 1))
        yield from (one for one in between if left < one < right)


def _texts(constants: Sequence[str], count: int) -> Iterator[str]:
    """Yields constants, with as many texts as `count` in each gap, as far as it has so many."""
    yield from constants
    ends = ("", *constants)
    yield ""
    for place, low in enumerate(ends):
        for one in range(1, count + 1):
            text = low + "\0" * one
            if place + 1 == len(ends) or text < ends[place + 1]:
                yield text
