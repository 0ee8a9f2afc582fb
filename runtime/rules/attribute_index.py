"""Finds the first of many rules that holds, asking only those that the value of one attribute lets through.

A policy for each customer, project or document is common, and all of them lie on one type and action. Where many rules
compare one attribute with strings or numbers, that attribute's value leads to the few that can hold; they are then
tested whole, so this only leaves out what can't hold.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeAlias

from ...bundles.conditions.comparisons import constants_of
from ...bundles.conditions.keys import read, reads_own_key, steps_of
from ...bundles.conditions.operators import NAMES_ITS_VALUES
from ...bundles.conditions.values import Json, is_number
from ...bundles.program.clauses import AttributeSection, Comparison
from ..requests.members import Attributes
from .rule import Rule

INDEXED_FROM = 16
"""Fewer rules than this are tested one after the other, which is as fast."""

Key: TypeAlias = tuple[AttributeSection, str]
ValueOf: TypeAlias = Callable[
    [str, str | None, Attributes, str | None, Attributes, Attributes, Attributes, float], Json
]
"""Takes what a test takes, and gives the value of one attribute."""


class RuleSearch:
    """Rules of one effect, in the order in which they are reported (D8)."""

    __slots__ = ("_by_value", "_others", "_value_of", "indexed", "rules")

    def __init__(self, rules: Sequence[Rule]):
        """`rules` are in order."""
        key = _most_telling([rule.clause.body for rule in rules])
        self.rules = tuple(rules)
        self.indexed = key is not None
        self._value_of: ValueOf | None = None if key is None else _reader(*key)
        self._by_value: dict[str | float, list[int]] = {}
        self._others: list[int] = []
        for place, rule in enumerate(rules):
            values = None if key is None else _values(rule.clause.body, key)
            for value in values or ():
                self._by_value.setdefault(value, []).append(place)
            if values is None:
                self._others.append(place)

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
        """The first rule that holds, None where none does."""
        found: int | None = None
        if self._value_of is not None:
            value = self._value_of(t, i, s, n, r, a, c, now)
            let_through = self._by_value.get(value, ()) if _is_plain(value) else ()
            found = self._first_of(let_through, len(self.rules), t, i, s, n, r, a, c, now)
        before = len(self.rules) if found is None else found
        other = self._first_of(self._others, before, t, i, s, n, r, a, c, now)
        found = found if other is None else other
        return None if found is None else self.rules[found]

    def _first_of(
        self,
        places: Sequence[int],
        before: int,
        t: str,
        i: str | None,
        s: Attributes,
        n: str | None,
        r: Attributes,
        a: Attributes,
        c: Attributes,
        now: float,
    ) -> int | None:
        """The first of `places` whose rule holds, None where it is not in front of `before`."""
        for place in places:
            if place > before:
                break
            for test in self.rules[place].body.tests:
                if not test(t, i, s, n, r, a, c, now):
                    break
            else:
                return place
        return None


def first_rule(
    searches: Sequence[RuleSearch],
    t: str,
    i: str | None,
    s: Attributes,
    n: str | None,
    r: Attributes,
    a: Attributes,
    c: Attributes,
    now: float,
) -> Rule | None:
    """The first rule of several orders that holds, None where none does."""
    first: Rule | None = None
    for search in searches:
        found = search.first(t, i, s, n, r, a, c, now)
        if found is not None and (first is None or found.rank < first.rank):
            first = found
    return first


def _most_telling(bodies: Sequence[Sequence[object]]) -> Key | None:
    """The attribute that most rules compare with strings or numbers, where at least half of many do."""
    if len(bodies) < INDEXED_FROM:
        return None
    counts: Counter[Key] = Counter()
    for body in bodies:
        counts.update({(atom.section, atom.key) for atom in body if isinstance(atom, Comparison) and _is_telling(atom)})
    if not counts:
        return None
    key, count = min(counts.items(), key=lambda item: (-item[1], item[0]))
    return key if count * 2 >= len(bodies) else None


def _is_telling(atom: Comparison) -> bool:
    if (atom.section, atom.key) == ("resource_attrs", "type"):
        return False
    return NAMES_ITS_VALUES[atom.op] and all(map(_is_plain, constants_of(atom.op, atom.value)))


def _is_plain(value: Json) -> bool:
    """Whether a value is a string or a number: what a dictionary finds by the equality of rule C3, flags left out."""
    return isinstance(value, str) or is_number(value)


def _values(body: Sequence[object], key: Key) -> frozenset[str | float] | None:
    """The values of which `key` must be one for the body to hold, None where it may be anything."""
    found: frozenset[str | float] | None = None
    for atom in body:
        if isinstance(atom, Comparison) and (atom.section, atom.key) == key and _is_telling(atom):
            these = frozenset(constants_of(atom.op, atom.value))
            found = these if found is None else found & these
    return found


def _reader(section: AttributeSection, key: str) -> ValueOf:
    """Reads the attribute. A resource's own type is never the one: it is folded into the tests."""
    steps = steps_of(key)
    if reads_own_key(section, key):
        match section, key:
            case "subject_attrs", "type":
                return lambda t, i, s, n, r, a, c, now: t
            case "subject_attrs", _:
                return lambda t, i, s, n, r, a, c, now: i
            case _:
                return lambda t, i, s, n, r, a, c, now: n
    match section:
        case "subject_attrs":
            return lambda t, i, s, n, r, a, c, now: read(s, key, steps)
        case "resource_attrs":
            return lambda t, i, s, n, r, a, c, now: read(r, key, steps)
        case "action_attrs":
            return lambda t, i, s, n, r, a, c, now: read(a, key, steps)
        case "context_attrs":
            return lambda t, i, s, n, r, a, c, now: read(c, key, steps)
