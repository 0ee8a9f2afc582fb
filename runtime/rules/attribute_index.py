"""An index over many rules: the value of one attribute leads to the few rules that can hold.

A policy for each customer, project or document is common, and all of them are on one type and action. If many rules
compare one attribute with strings or numbers, only those that compare it with the request's value are tested, and the
rules that do not compare it. A rule that is found is still tested whole, so the index only leaves out rules that can't
hold.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from operator import attrgetter
from typing import TypeAlias

from ...bundles.conditions.comparisons import constants_of
from ...bundles.conditions.operators import NAMES_ITS_VALUES, TAKES_LIST
from ...bundles.conditions.values import Json, is_number
from ...bundles.program.clauses import AttributeSection, Comparison
from ..requests.members import Attributes
from .attributes import ValueOf, attribute_value
from .rule import Rule, first_that_holds

INDEXED_FROM = 16
"""Fewer rules than this are not indexed: testing one after the other is as fast."""

AttributeKey: TypeAlias = tuple[AttributeSection, str]

_RANK = attrgetter("rank")


class AttributeIndex:
    """The rules of one effect, in the order in which they are reported (D8). If they are many, it indexes them.

    `steps` bounds the steps that finding the first rule takes; see `effort`.
    """

    __slots__ = ("_by_value", "_others", "_value_of", "indexed", "rules", "steps")

    def __init__(self, rules: Sequence[Rule]):
        """`rules` are in order."""
        attribute = _best_attribute([rule.clause.body for rule in rules])
        self.rules = tuple(rules)
        self.indexed = attribute is not None
        self._value_of: ValueOf | None = None if attribute is None else attribute_value(*attribute)
        self._by_value: dict[str | float, list[Rule]] = {}
        self._others: list[Rule] = []
        for rule in rules:
            values = None if attribute is None else _values(rule.clause.body, attribute)
            for value in values or ():
                self._by_value.setdefault(value, []).append(rule)
            if values is None:
                self._others.append(rule)
        self.steps = _steps(self._others) + max(map(_steps, self._by_value.values()), default=0)

    def first(
        self,
        t: str,
        i: str | None,
        s: Attributes,
        n: str | None,
        r: Attributes,
        a: Attributes,
        c: Attributes,
        now: float,
    ) -> Rule | None:
        """Returns the first rule that holds, or None. It takes the arguments of a test."""
        others: Iterable[Rule] = self._others
        found: Rule | None = None
        if self._value_of is not None:
            value = self._value_of(t, i, s, n, r, a, c, now)
            with_value = self._by_value.get(value, ()) if _is_plain(value) else ()
            found = first_that_holds(with_value, t, i, s, n, r, a, c, now)
            if found is not None:  # only a rule that is reported before it can still be the first
                others = islice(others, bisect_left(self._others, found.rank, key=_RANK))
        return first_that_holds(others, t, i, s, n, r, a, c, now) or found


def first_rule(
    indexes: Sequence[AttributeIndex],
    t: str,
    i: str | None,
    s: Attributes,
    n: str | None,
    r: Attributes,
    a: Attributes,
    c: Attributes,
    now: float,
) -> Rule | None:
    """Returns the first rule of several orders that holds, or None. It takes the arguments of a test."""
    first: Rule | None = None
    for index in indexes:
        found = index.first(t, i, s, n, r, a, c, now)
        if found is not None and (first is None or found.rank < first.rank):
            first = found
    return first


def _best_attribute(bodies: Sequence[Sequence[object]]) -> AttributeKey | None:
    """Returns the attribute that most rules compare with strings or numbers, or None if fewer than half of many do."""
    if len(bodies) < INDEXED_FROM:
        return None
    counts: Counter[AttributeKey] = Counter()
    for body in bodies:
        counts.update(
            {(atom.section, atom.key) for atom in body if isinstance(atom, Comparison) and _is_indexable(atom)}
        )
    if not counts:
        return None
    attribute, count = min(counts.items(), key=lambda item: (-item[1], item[0]))
    return attribute if count * 2 >= len(bodies) else None


def _steps(rules: Iterable[Rule]) -> int:
    return sum(rule.body.steps for rule in rules)


def _is_indexable(atom: Comparison) -> bool:
    if (atom.section, atom.key) == ("resource_attrs", "type"):
        return False
    if not NAMES_ITS_VALUES[atom.op]:
        return False
    return all(map(_is_plain, atom.value)) if TAKES_LIST[atom.op] else _is_plain(atom.value)


def _is_plain(value: Json) -> bool:
    """Whether a value is a string or a number. A dictionary finds these as C3 compares them."""
    return isinstance(value, str) or is_number(value)


def _values(body: Sequence[object], attribute: AttributeKey) -> frozenset[str | float] | None:
    """Returns the values that the attribute can have if the body holds, or None if it can have any."""
    found: frozenset[str | float] | None = None
    for atom in body:
        if isinstance(atom, Comparison) and (atom.section, atom.key) == attribute and _is_indexable(atom):
            these = frozenset(constants_of(atom.op, atom.value))
            found = these if found is None else found & these
    return found
