"""Partial evaluation: the rules that remain of a specialised program while the resource is unknown (F1, F2, S2).

Roles, type and action are known already. Conditions on subject and action are decided here. Request-time gates are
decided too, or left open. The residual of each rule is a conjunction of comparisons with the resource's attributes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import cached_property
from typing import TypeAlias

from ...bundles.conditions.comparisons import predicate
from ...bundles.conditions.operators import Operator
from ...bundles.conditions.patterns import require_pattern
from ...bundles.conditions.references import ValueOf
from ...bundles.conditions.trees.instant_comparisons import instant_comparison_in
from ...bundles.conditions.trees.tree import TreeComparison
from ...bundles.conditions.values import Json
from ...bundles.conditions.windows import TimeWindow
from ...bundles.program.clauses import (
    AgainstNow,
    Atom,
    AttributeSection,
    Comparison,
    During,
    Effect,
    Rate,
    Reference,
    is_gate,
)
from ...bundles.program.demands import Demand
from ..requests.members import NO_ATTRIBUTES, Attributes
from ..rules.against_now import instant_of_request, row_test
from ..rules.attributes import NO_CLOCK, Asked, Test
from ..rules.conditions import conjunction, fault_of, never
from ..rules.foreign_values import path_of
from ..rules.memberships import NOBODY, HasGroups
from ..rules.reasons import AccessPath, GrantingPath, PolicyPath
from ..rules.reference_guard import guard_of
from ..rules.references import value_reader
from ..rules.rule import Rule
from ..rules.specialise import Specialised, TypeRules
from .attribute_reads import AttributeReads, attribute_reads
from .instants_of_rows import comparisons_at
from .referred_values import UNMET, Constant, Frozen, Unmet, constant_of, frozen, thawed

Residual: TypeAlias = tuple[Constant, ...]
"""A conjunction of comparisons with an unknown entity's attributes, as (key, operator, constant)."""

Outcome: TypeAlias = tuple[tuple[int, ...], tuple[Frozen, ...], int | None]
"""The numbers of those rules that remain, among the rules that depend on subject, action or gates; the values to which
their comparisons with the resource refer; and the instant with which they compare it, if it is readable (X5).

A filter depends on this and on the specialised program, and on nothing else.
"""


OnAttribute: TypeAlias = Comparison | Reference | AgainstNow
"""A condition on an attribute of some entity."""


@dataclass(frozen=True)
class OpenRule:
    """A rule with a residual: its tests of the request, and the comparisons with the unknown resource."""

    path: PolicyPath
    of_request: tuple[Test, ...]
    residual: Residual
    open_gates: tuple[Atom, ...] = ()
    """Its gates that are not decided."""
    referring: tuple[Reference, ...] = ()
    """Its comparisons of the resource with values that the request will have (X3)."""
    timed: tuple[AgainstNow, ...] = ()
    """Its comparisons of the resource with the instant that the request will have (X5)."""
    excepted: Residual = ()
    """Comparisons with the resource, none of which may hold: those of a DENY with `now` (X5)."""

    @cached_property
    def of_resource(self) -> tuple[Test, ...]:
        """The residual as tests. PERF: filters do not need them."""
        atoms, tests = [], []
        for comparison in self.residual:
            of_instants = instant_comparison_in(TreeComparison(*comparison))
            if of_instants is None:
                atoms.append(Comparison("resource_attrs", *comparison))
            else:
                tests.append(row_test(of_instants, excepted=False))
        for comparison in self.excepted:
            of_instants = instant_comparison_in(TreeComparison(*comparison))
            assert of_instants is not None, "only comparisons with `now` have exceptions"
            tests.append(row_test(of_instants, excepted=True))
        return (*conjunction(atoms, "ALLOW", "", _no_zone).tests, *tests)


@dataclass(frozen=True, slots=True)
class RemainingRules:
    """The rules that remain, for each effect in the order in which they are reported (D8)."""

    allows: tuple[OpenRule, ...]
    denies: tuple[OpenRule, ...]
    left_out: tuple[Atom, ...] = ()
    """The gates of the DENYs that are left out, because their gates are not decided (F2)."""

    @property
    def open_gates(self) -> list[Atom]:
        """The gates by which the evaluation may differ from the filter."""
        return [*self.left_out, *(gate for rule in self.allows for gate in rule.open_gates)]

    @property
    def admits_all(self) -> bool:
        """True if every resource is admitted: an ALLOW has no residual, and there is no DENY (F4)."""
        return not self.denies and any(not rule.residual for rule in self.allows)

    @property
    def denies_all(self) -> bool:
        """True if no resource is admitted: a DENY has no residual."""
        return any(not rule.residual for rule in self.denies)

    def path(self, id: str | None, attributes: Attributes, granted: bool) -> GrantingPath | None:
        """Returns the access path of a resource, or None if it is not admitted (D1 to D3, D8)."""
        if any(_holds(rule, id, attributes) for rule in self.denies):
            return None
        if granted:
            return AccessPath.DIRECT
        return next((rule.path for rule in self.allows if _holds(rule, id, attributes)), None)


def _no_zone(name: str) -> tzinfo:
    raise KeyError(name)


def _holds(rule: OpenRule, id: str | None, r: Attributes) -> bool:
    for test in rule.of_resource:  # PERF: a generator costs as much as two tests
        if not test("", None, NO_ATTRIBUTES, id, r, NO_ATTRIBUTES, NO_ATTRIBUTES, NOBODY, NO_CLOCK):
            return False
    return True


@dataclass(frozen=True, slots=True)
class Partial:
    """The partially evaluated rules of a specialised program; `dependent` are those that depend on the request."""

    allows: tuple[OpenRule, ...]
    denies: tuple[OpenRule, ...]
    dependent: tuple[tuple[int, tuple[Test, ...]], ...]
    left_out: tuple[Atom, ...]
    windows: frozenset[TimeWindow]
    """The time windows that are decided."""
    reads: AttributeReads
    """The attributes that all rules read, also those that are left out."""
    of_subject: frozenset[AgainstNow] = frozenset()
    """The comparisons of the subject with the instant of the request that are decided."""
    reads_instant: bool = False
    """True if comparisons with the resource need the instant of the request."""
    type_name: str = ""
    referred: tuple[ValueOf, ...] = ()
    """The values to which comparisons with the resource refer."""
    demands: tuple[tuple[Demand, ...], ...] = ()
    """For each of these values, the demands on it (C12, C13)."""
    guard: Test | None = None
    """Refuses values of the request that are too large to refer to (X1)."""
    guard_but_subject: Test | None = None
    """The same, without values of the subject: in a subject search, a candidate has them (X1)."""

    def outcome(
        self,
        stype: str,
        sid: str | None,
        s: Attributes,
        holder: HasGroups,
        a: Attributes,
        c: Attributes = NO_ATTRIBUTES,
        now: float = NO_CLOCK,
        is_candidate: bool = False,
    ) -> Outcome:
        """Returns which rules remain for a subject, the properties of an action and, with decided gates, a context.

        It also has the values to which they refer. A candidate is a subject that a search found. Raises BadRequest for
        a value that a filter can't contain, or that is too large to refer to (X1).
        """
        asked = (stype, sid, s, None, NO_ATTRIBUTES, a, c, holder, now)
        guard = self.guard_but_subject if is_candidate else self.guard
        if guard is not None:
            guard(*asked)
        left = []
        for number, tests in self.dependent:
            for test in tests:  # PERF: to unpack `asked` for each test takes as long as the test
                if not test(stype, sid, s, None, NO_ATTRIBUTES, a, c, holder, now):
                    break
            else:
                left.append(number)
        values = self._values(asked) if self.referred else ()
        return tuple(left), values, instant_of_request(c, now) if self.reads_instant else None

    def _values(self, asked: Asked) -> tuple[Frozen, ...]:
        """Returns the values to which the rules refer."""
        a, c = asked[5:7]
        return tuple(
            [
                UNMET
                if some and any(fault_of(demand, a, c) for demand in some)
                else frozen(value_reader(value_of)(*asked), path_of(value_of.section, value_of.key))
                for value_of, some in zip(self.referred, self.demands, strict=True)
            ]
        )

    def conditions(self, outcome: Outcome) -> RemainingRules:
        """Returns the rules that remain, with the values to which they refer as constants (X3)."""
        numbers, keys, instant = outcome
        left = frozenset(numbers)
        values = dict(zip(self.referred, map(thawed, keys), strict=True))
        allows = [rule for number, rule in enumerate(self.allows) if not rule.of_request or number in left]
        denies = [
            rule for number, rule in enumerate(self.denies, len(self.allows)) if not rule.of_request or number in left
        ]
        return RemainingRules(
            tuple(self._known(allows, "ALLOW", values, instant)),
            tuple(self._known(denies, "DENY", values, instant)),
            self.left_out,
        )

    def _known(
        self, rules: Iterable[OpenRule], effect: Effect, values: Mapping[ValueOf, Json | Unmet], instant: int | None
    ) -> Iterator[OpenRule]:
        """Yields the rules that may hold, once the values to which they refer and the instant are known."""
        for rule in rules:
            if not rule.referring and not rule.timed:
                yield rule
                continue
            found = _residual_with(rule.referring, effect, values, self.type_name)
            timed = comparisons_at(rule.timed, effect, instant, self.type_name)
            if found is not None and timed is not None:
                residual = (*rule.residual, *found, *timed.needed)
                yield replace(rule, residual=residual, excepted=timed.excepted, referring=(), timed=())


def _residual_with(
    atoms: Iterable[Reference], effect: Effect, values: Mapping[ValueOf, Json | Unmet], type_name: str
) -> Residual | None:
    """Returns comparisons with the referred values, or None if one of them is false for every resource.

    If a value can't be read, the comparison is false in an ALLOW. In a DENY it asks that the attribute is present (X3).
    If an attribute does not meet a demand, it is true in a DENY, whatever the resource has (C12, C13).
    """
    found = []
    for atom in atoms:
        value = values[atom.value_of]
        if value is UNMET and effect == "DENY":
            continue
        comparison = None if value is UNMET else constant_of(atom, value)
        if comparison is None and effect == "ALLOW":
            return None
        key, op, constant = comparison or (atom.key, Operator.NIN, [])
        if key != "type":
            found.append((key, op, constant))
        elif not predicate(op, constant)(type_name):
            return None
    return tuple(found)


def partial(left: Specialised, rules: TypeRules, decided: bool) -> Partial:
    """Returns the partial evaluation for one (set of roles, type, action); `rules` are the rules on the type.

    If gates are not `decided`, an ALLOW counts as if its gates held, and a DENY with any gate is left out (F2). Rate
    limits are never decided (C10).
    """
    allows = _opened(left.allows, rules, decided)
    denies = _opened([rule for rule in left.denies if decided or not _gates(rule)], rules, decided)
    found = enumerate((*allows, *denies))
    dependent = tuple((number, rule.of_request) for number, rule in found if rule.of_request)
    left_out = () if decided else tuple(gate for rule in left.denies for gate in _gates(rule))
    decided_gates = [gate for rule in (*left.allows, *left.denies) for gate in _gates(rule)] if decided else []
    windows = {gate.window for gate in decided_gates if isinstance(gate, During)}
    of_subject = {gate for gate in decided_gates if isinstance(gate, AgainstNow) and gate.section == "subject_attrs"}
    read = [
        value_of
        for rule in (*left.allows, *left.denies)
        for value_of in rule.body.referred
        if decided or value_of.source != "context"
    ]
    demands = rules.state.demands
    needed = {atom.value_of: demands.by(atom) for rule in (*allows, *denies) for atom in rule.referring}
    referred = tuple(sorted(needed))
    return Partial(
        allows,
        denies,
        dependent,
        left_out,
        frozenset(windows),
        attribute_reads([(one.clause, one.body) for one in (*left.allows, *left.denies)], decided),
        frozenset(of_subject),
        any(rule.timed for rule in (*allows, *denies)),
        rules.type.name,
        referred,
        tuple(needed[value_of] for value_of in referred),
        guard_of(read),
        guard_of(value_of for value_of in read if value_of.source != "subject"),
    )


def _gates(rule: Rule) -> list[Atom]:
    return [atom for atom in rule.clause.body if is_gate(atom)]


def _opened(found: Sequence[Rule], rules: TypeRules, decided: bool) -> tuple[OpenRule, ...]:
    opened = (_open_rule(rule, rules, decided) for rule in found)
    return tuple(rule for rule in opened if rule is not None)


def _open_rule(rule: Rule, rules: TypeRules, decided: bool) -> OpenRule | None:
    """Returns the rule with its residual, or None if it can't hold for a resource of the type."""
    of_resource, of_request, open_gates = parted(rule.clause.body, "resource_attrs", decided)
    residual = residual_of([atom for atom in of_resource if isinstance(atom, Comparison)], rules.type.name)
    state, effect = rules.state, rule.clause.effect
    asked = conjunction(of_request, effect, rules.type.name, state.zone, state.demands).tests if of_request else ()
    if residual is None or never in asked:
        return None
    referring = tuple(atom for atom in of_resource if isinstance(atom, Reference))
    timed = tuple(atom for atom in of_resource if isinstance(atom, AgainstNow))
    return OpenRule(rule.path, asked, residual, tuple(open_gates), referring, timed)


def parted(
    body: Iterable[Atom], section: AttributeSection, decided: bool
) -> tuple[list[OnAttribute], list[Atom], list[Atom]]:
    """Splits a body: returns the comparisons that read the unknown entity of a section, and the conditions to decide.

    The third value has the gates that are left open: rate limits always, the others if gates are not `decided` (C10).
    """
    unknown: list[OnAttribute] = []
    known: list[Atom] = []
    open_gates: list[Atom] = []
    for atom in body:
        if isinstance(atom, Rate) or (is_gate(atom) and not decided):
            open_gates.append(atom)
        elif isinstance(atom, OnAttribute) and reads(atom, section):
            unknown.append(atom)
        else:
            known.append(atom)
    return unknown, known, open_gates


def reads(atom: OnAttribute, section: str) -> bool:
    """Returns whether a comparison reads the entity of a section, on one of its sides."""
    return atom.section == section or (isinstance(atom, Reference) and atom.value_of.section == section)


def residual_of(comparisons: Iterable[Comparison], type_name: str) -> Residual | None:
    """Returns the residual of comparisons, or None if they ask for another type than the entity's own (E6).

    Raises BundleError for a pattern that RE2 rejects (C6): the program that gets a filter may know more than RE2.
    """
    left = []
    for atom in comparisons:
        if atom.op == Operator.REGEX:
            require_pattern(str(atom.value))
        if atom.key != "type":
            left.append((atom.key, atom.op, atom.value))
        elif not predicate(atom.op, atom.value)(type_name):
            return None
    return tuple(left)
