"""The attributes that rules read. A search depends on some of them that its request does not send (S6).

PERF: each attribute is a bit of a number. For each set of attributes that requests lack, the rules are looked through
once. Then a request costs a look at each attribute, and the tests of those rules that read one which it lacks.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Final, NamedTuple

from ...bundles.conditions.attribute_keys import read, reads_own_key, steps_of
from ...bundles.conditions.references import GROUPS
from ...bundles.program.clauses import (
    ATTRIBUTE_SECTIONS,
    AgainstNow,
    Atom,
    Clause,
    Comparison,
    During,
    From,
    Rate,
    Reference,
    is_gate,
)
from ...bundles.program.demands import Demand
from ..requests.members import BadRequest
from ..rules.attributes import Asked, Test
from ..rules.conditions import Conjunction, never

_PLACES: Final[dict[str, int]] = {section: place for place, section in enumerate(ATTRIBUTE_SECTIONS)}
"""The place of each section, in the order of the attributes in `Asked`."""

SUBJECTS: Final = _PLACES["subject_attrs"]
RESOURCES: Final = _PLACES["resource_attrs"]


class _Attribute(NamedTuple):
    """An attribute of an entity or of the context. If `also` is there, it is read where `key` is absent (C9).

    The key `id` of an entity stands for everything that its key decides: its roles and its groups too.
    """

    section: str
    key: str
    also: str | None = None

    @property
    def name(self) -> str:
        return f"{self.section.removesuffix('_attrs')}.{self.key}"


_ADDRESS: Final = _Attribute("context_attrs", "ip", "ip_address")
_TIME: Final = _Attribute("context_attrs", "time")
_SUBJECT: Final = _Attribute("subject_attrs", "id")

MOST_PLANS: Final = 16
"""The plans that are kept for the rules on an action, and the names for each plan."""

LONGEST_PLAN: Final = 256
"""A plan with more steps is not kept."""


@dataclass(frozen=True, slots=True)
class _RuleReads:
    """The bits of the attributes that a rule reads, and each of its tests with the bits that the test reads."""

    reads: int
    tests: tuple[tuple[int, Test], ...]
    is_gated: bool
    """True if it has gates that are not decided, which `tests` lacks."""

    def step(self, lacking: int, unknown: int) -> "_Step":
        """Returns the rule for requests that lack some attributes; `unknown` are these and those of candidates."""
        tests = tuple([test for reads, test in self.tests if not reads & unknown])
        return _Step(tests, self.reads & lacking, not (self.is_gated or self.reads & unknown))


class _Step(NamedTuple):
    """A rule: tests of what is known, the lacking attributes that it reads, and whether it reads nothing unknown."""

    tests: tuple[Test, ...]
    opens: int
    is_certain: bool

    @property
    def decides(self) -> bool:
        return bool(self.opens) or self.is_certain


class _Plan(NamedTuple):
    """The rules for requests that lack the same attributes. `others` are ALLOWs that only let something be found."""

    allows: tuple[_Step, ...]
    others: tuple[_Step, ...]
    denies: tuple[_Step, ...]
    denies_open: bool
    names: dict[int, tuple[str, ...]]

    @property
    def length(self) -> int:
        return len(self.allows) + len(self.others) + len(self.denies)


@dataclass(frozen=True, slots=True)
class AttributeReads:
    """The attributes that the rules on an action read."""

    allows: tuple[_RuleReads, ...]
    denies: tuple[_RuleReads, ...]
    bits: dict[_Attribute, int]
    _plans: dict[tuple[int, int | None], _Plan] = field(default_factory=dict)
    _given: dict[int | None, "_Given"] = field(default_factory=dict)

    def left_open(self, asked: Asked, searched: int | None, granted: bool) -> tuple[str, ...] | None:
        """Returns the names of the attributes that `asked` lacks and on which the answer may depend, sorted.

        It is None if it is plain that nothing is found, whatever else is sent. `searched` is SUBJECTS or RESOURCES,
        whose attributes are never lacking, or None if the actions are searched. `granted` says that a direct grant
        counts.
        """
        if not (self.allows or granted):
            return None
        lacking = self._lacking(asked, searched)
        if not lacking:
            return ()
        plan = self._plans.get((lacking, searched)) or self._planned(lacking, searched)
        opened, may_hold = (0, True) if granted and searched is None else _opened(plan.allows, asked, granted)
        if not opened:
            if not plan.denies_open:
                return ()
            if not (may_hold or any(_may_hold(step.tests, asked) for step in plan.others)):
                return None
        for tests, opens, is_certain in plan.denies:
            if (is_certain or opens & ~opened) and _may_hold(tests, asked):
                if is_certain:
                    return None
                opened |= opens
        return (plan.names.get(opened) or self._named(opened, plan)) if opened else ()

    def _lacking(self, asked: Asked, searched: int | None) -> int:
        given = self._given.get(searched) or self._given_but(searched)
        _, _, s, _, r, a, c, _, _ = asked
        attributes, found = (s, r, a, c), 0
        for bit, place, key in given.plain:
            if attributes[place].get(key) is None:
                found |= bit
        for bit, place, key, steps, also in given.others:
            sent = attributes[place]
            if read(sent, key, steps) is None and (also is None or sent.get(also) is None):
                found |= bit
        return found

    def _given_but(self, searched: int | None) -> "_Given":
        sent = [
            (bit, _PLACES[one.section], one.key, steps_of(one.key), one.also)
            for one, bit in self.bits.items()
            if not reads_own_key(one.section, one.key) and _PLACES[one.section] != searched
        ]
        plain = tuple([one[:3] for one in sent if not one[3] and one[4] is None])
        others = tuple([one for one in sent if one[3] or one[4] is not None])
        found = self._given[searched] = _Given(plain, others)
        return found

    def _planned(self, lacking: int, searched: int | None) -> _Plan:
        unknown = lacking | sum([bit for one, bit in self.bits.items() if _PLACES[one.section] == searched])
        allows = [rule.step(lacking, unknown) for rule in self.allows]
        denies = tuple([step for rule in self.denies if (step := rule.step(lacking, unknown)).decides])
        plan = _Plan(
            tuple([step for step in allows if step.decides]),
            tuple([step for step in allows if not step.decides]),
            denies,
            any(step.opens for step in denies),
            {},
        )
        if plan.length <= LONGEST_PLAN:
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            self._plans[lacking, searched] = plan
        return plan

    def _named(self, opened: int, plan: _Plan) -> tuple[str, ...]:
        names = tuple(sorted({one.name for one, bit in self.bits.items() if bit & opened}))
        if len(plan.names) >= MOST_PLANS:
            plan.names.clear()
        plan.names[opened] = names
        return names


class _Given(NamedTuple):
    """The attributes that a request may send, by their bit, the place of their section and their key.

    `others` have a path, or another key that may be read instead.
    """

    plain: tuple[tuple[int, int, str], ...]
    others: tuple[tuple[int, int, str, tuple[str, ...], str | None], ...]


def _opened(allows: Iterable[_Step], asked: Asked, granted: bool) -> tuple[int, bool]:
    """Returns the lacking attributes on which ALLOWs depend, and whether something may be found.

    Rules after one that holds for every candidate decide nothing.
    """
    opened, may_hold = 0, granted
    for tests, opens, is_certain in allows:
        if (is_certain or opens & ~opened) and _may_hold(tests, asked):
            may_hold = True
            if is_certain:
                break
            opened |= opens
    return opened, may_hold


def _may_hold(tests: Iterable[Test], asked: Asked) -> bool:
    """Returns False if a condition fails that reads nothing unknown."""
    try:
        for test in tests:
            if not test(*asked):
                return False
    except BadRequest:  # a value that JSON has not, and that the answer did not need
        return True
    return True


def attribute_reads(rules: Iterable[tuple[Clause, Conjunction]], decided: bool) -> AttributeReads:
    """Returns what rules read, which are in the order in which they are reported (D8).

    If gates are not `decided`, they count as unknown (F2).
    """
    bits: dict[_Attribute, int] = {}
    found: dict[str, list[_RuleReads]] = {"ALLOW": [], "DENY": []}
    for clause, body in rules:
        one = _rule_reads(clause, body, decided, bits)
        if one is not None:
            found[clause.effect].append(one)
    return AttributeReads(tuple(found["ALLOW"]), tuple(found["DENY"]), bits)


def _rule_reads(clause: Clause, body: Conjunction, decided: bool, bits: dict[_Attribute, int]) -> _RuleReads | None:
    """Returns what a rule reads, or None if it never holds. No search decides a rate limit (C10)."""
    reads, tests, is_gated = 0, [], False
    if clause.roles is not None or clause.except_roles:
        reads |= bits.setdefault(_SUBJECT, 1 << len(bits))
    demands = body.demands or repeat(())
    for atom, test, some in zip(clause.body, body.by_atom, demands, strict=False):
        if isinstance(atom, Rate):
            continue
        if test is never:
            return None
        of_test = 0
        for one in _attributes(atom, some, decided):
            of_test |= bits.setdefault(one, 1 << len(bits))
        reads |= of_test
        if decided or not is_gate(atom):
            tests.append((of_test, test))
        else:
            is_gated = True
    return _RuleReads(reads, tuple(tests), is_gated)


def _attributes(atom: Atom, demands: Sequence[Demand], decided: bool) -> Iterator[_Attribute]:
    """Yields the attributes that a condition reads. The type of an entity is always known."""
    if isinstance(atom, Comparison | Reference | AgainstNow) and not _is_type(atom.section, atom.key):
        yield _Attribute(atom.section, atom.key)
    if isinstance(atom, Reference) and not _is_type(atom.value_of.section, atom.value_of.key):
        yield _SUBJECT if atom.value_of == GROUPS else _Attribute(atom.value_of.section, atom.value_of.key)
    if isinstance(atom, From):
        yield _ADDRESS
    if isinstance(atom, During | AgainstNow) and not decided:
        yield _TIME
    for demand in demands:
        yield _Attribute(demand.section, demand.key)


def attribute_names(atom: Atom, demands: Sequence[Demand] = ()) -> tuple[str, ...]:
    """Returns the names of the attributes that a condition reads where gates are not decided, as S6 names them."""
    return tuple(one.name for one in _attributes(atom, demands, decided=False))


def _is_type(section: str, key: str) -> bool:
    return key == "type" and reads_own_key(section, key)
