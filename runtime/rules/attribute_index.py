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

from ...bundles.conditions.values import Unreadable
from ..requests.members import Attributes
from .attributes import Asked, ValueOf, attribute_value
from .indexable import AttributeKey, is_plain
from .memberships import HasGroups
from .rule import Rule, first_that_holds

INDEXED_FROM = 32
"""Fewer rules than this are not indexed: the function that is written for them takes half the time of an index."""

_RANK = attrgetter("rank")


class AttributeIndex:
    """The rules of one effect, in the order in which they are reported (D8). If they are many, it indexes them.

    `steps` bounds the steps that finding the first rule takes; see `effort`.
    """

    __slots__ = ("_by_value", "_others", "_value_of", "indexed", "rules", "steps")

    def __init__(self, rules: Sequence[Rule]):
        """`rules` are in order."""
        attribute = _best_attribute(rules)
        self.rules = tuple(rules)
        self.indexed = attribute is not None
        self._value_of: ValueOf | None = None if attribute is None else attribute_value(*attribute)
        self._by_value: dict[str | float, list[Rule]] = {}
        self._others: list[Rule] = []
        for rule in rules:
            if attribute in rule.body.indexable:
                for value in rule.body.values(rule.clause.body, attribute):
                    self._by_value.setdefault(value, []).append(rule)
            else:
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
        h: HasGroups,
        now: float,
    ) -> Rule | None:
        """Returns the first rule that holds, or None. It takes the arguments of a test."""
        others: Iterable[Rule] = self._others
        found: Rule | None = None
        if self._value_of is not None:
            value = self._value_of(t, i, s, n, r, a, c, h, now)
            plain = is_plain(value)
            if not plain and isinstance(value, Unreadable):  # it fulfils any comparison of a DENY (C11)
                return first_that_holds(self.rules, t, i, s, n, r, a, c, h, now)
            with_value = self._by_value.get(value, ()) if plain else ()
            found = first_that_holds(with_value, t, i, s, n, r, a, c, h, now)
            if found is not None:  # only a rule that is reported before it can still be the first
                others = islice(others, bisect_left(self._others, found.rank, key=_RANK))
        return first_that_holds(others, t, i, s, n, r, a, c, h, now) or found

    def to_count(self, asked: Asked) -> list[Rule]:
        """Returns the rules that hold if their rate limit is not reached, in no order. All of them have one (C10)."""
        with_value: Sequence[Rule] = ()
        if self._value_of is not None:
            value = self._value_of(*asked)
            with_value = self._by_value.get(value, ()) if is_plain(value) else ()
        found = []
        for rule in (*with_value, *self._others):
            for test in rule.body.without_rate:
                if not test(*asked):
                    break
            else:
                found.append(rule)
        return found


def first_rule(
    indexes: Sequence[AttributeIndex],
    t: str,
    i: str | None,
    s: Attributes,
    n: str | None,
    r: Attributes,
    a: Attributes,
    c: Attributes,
    h: HasGroups,
    now: float,
) -> Rule | None:
    """Returns the first rule of several orders that holds, or None. It takes the arguments of a test."""
    first: Rule | None = None
    for index in indexes:
        found = index.first(t, i, s, n, r, a, c, h, now)
        if found is not None and (first is None or found.rank < first.rank):
            first = found
    return first


def _best_attribute(rules: Sequence[Rule]) -> AttributeKey | None:
    """Returns the attribute that most rules compare with strings or numbers, or None if fewer than half of many do."""
    if len(rules) < INDEXED_FROM:
        return None
    counts: Counter[AttributeKey] = Counter()
    for rule in rules:
        counts.update(rule.body.indexable)
    if not counts:
        return None
    attribute, count = min(counts.items(), key=lambda item: (-item[1], item[0]))
    return attribute if count * 2 >= len(rules) else None


def _steps(rules: Iterable[Rule]) -> int:
    return sum(rule.body.steps for rule in rules)
