"""Finds the first of many rules that holds, asking only those that the value of one attribute lets through.

A policy for each customer, project or document is common, and all of them lie on one type and action. Where many rules
compare one attribute with strings or numbers, that attribute's value leads to the few that can hold; they are then
tested whole, so this only leaves out what can't hold.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from bundles.conditions.keys import read, reads_own_key, steps_of
from bundles.conditions.values import Json, is_number
from bundles.program import Comparison, Section
from runtime.attributes import Test
from runtime.requests import Attributes

INDEXED_FROM = 16
"""Fewer rules than this are tested one after the other, which is as fast."""

Key: TypeAlias = tuple[Section, str]
ValueOf: TypeAlias = Callable[
    [str, str | None, Attributes, str | None, Attributes, Attributes, Attributes, float], Json
]
"""Takes what a test takes, and gives the value of one attribute."""

Candidate: TypeAlias = tuple[int, tuple[Test, ...]]
"""A rule's place in the order in which rules are reported, and its tests."""


class RuleSearch:
    """The rules of one effect, in the order in which they are reported (D8)."""

    __slots__ = ("_by_value", "_others", "_value_of", "indexed")

    def __init__(self, bodies: Sequence[Sequence[object]], tests: Sequence[tuple[Test, ...]]):
        """`bodies` are the atoms of each rule and `tests` their closures, both in order."""
        key = _most_telling(bodies)
        self.indexed = key is not None
        self._value_of: ValueOf | None = None if key is None else _reader(*key)
        self._by_value: dict[str | float, list[Candidate]] = defaultdict(list)
        self._others: list[Candidate] = []
        for place, (body, rule) in enumerate(zip(bodies, tests, strict=True)):
            values = None if key is None else _values(body, key)
            for value in values or ():
                self._by_value[value].append((place, rule))
            if values is None:
                self._others.append((place, rule))
        self._by_value = dict(self._by_value)

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
    ) -> int | None:
        """The place of the first rule that holds, None where none does."""
        found: int | None = None
        if self._value_of is not None:
            value = self._value_of(t, i, s, n, r, a, c, now)
            candidates = self._by_value.get(value, ()) if _is_plain(value) else ()
            found = next(_holding(candidates, t, i, s, n, r, a, c, now), None)
        for place, tests in self._others:
            if found is not None and place > found:
                return found
            for test in tests:
                if not test(t, i, s, n, r, a, c, now):
                    break
            else:
                return place
        return found


def _holding(
    candidates: Sequence[Candidate],
    t: str,
    i: str | None,
    s: Attributes,
    n: str | None,
    r: Attributes,
    a: Attributes,
    c: Attributes,
    now: float,
) -> Iterator[int]:
    for place, tests in candidates:
        if all(test(t, i, s, n, r, a, c, now) for test in tests):
            yield place


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
    if atom.op == "eq":
        return _is_plain(atom.value)
    return atom.op == "in" and all(map(_is_plain, atom.value))


def _is_plain(value: Json) -> bool:
    """Whether a value is a string or a number: what a dictionary finds by the equality of rule C3, flags left out."""
    return isinstance(value, str) or is_number(value)


def _values(body: Sequence[object], key: Key) -> frozenset[str | float] | None:
    """The values of which `key` must be one for the body to hold, None where it may be anything."""
    found: frozenset[str | float] | None = None
    for atom in body:
        if isinstance(atom, Comparison) and (atom.section, atom.key) == key and _is_telling(atom):
            these = frozenset(atom.value if atom.op == "in" else (atom.value,))
            found = these if found is None else found & these
    return found


def _reader(section: Section, key: str) -> ValueOf:
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
