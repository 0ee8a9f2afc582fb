"""Partial evaluation: the rules that remain of a specialised program while the resource is unknown (F1, F2, S2).

Roles, type and action are known already. Conditions on subject and action are decided here. Request-time gates are
decided too, or left open. The residual of each rule is a conjunction of comparisons with the resource's attributes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import cached_property
from typing import TypeAlias

from ...bundles.conditions.comparisons import predicate
from ...bundles.conditions.operators import Operator
from ...bundles.conditions.patterns import require_pattern
from ...bundles.conditions.values import Json
from ...bundles.conditions.windows import TimeWindow
from ...bundles.program.clauses import Atom, AttributeSection, Comparison, During, Rate, is_gate
from ..requests.members import NO_ATTRIBUTES, Attributes
from ..rules.attributes import NO_CLOCK, Test
from ..rules.conditions import conjunction, never
from ..rules.reasons import AccessPath, GrantingPath, PolicyPath
from ..rules.rule import Rule
from ..rules.specialise import Specialised, TypeRules

Residual: TypeAlias = tuple[tuple[str, Operator, Json], ...]
"""A conjunction of comparisons with an unknown entity's attributes, as (key, operator, constant)."""

Outcome: TypeAlias = tuple[int, ...]
"""The numbers of those rules that remain, among the rules that depend on subject, action or gates.

A filter depends on this and on the specialised program, and on nothing else.
"""


@dataclass(frozen=True)
class OpenRule:
    """A rule with a residual: its tests of the request, and the comparisons with the unknown resource."""

    path: PolicyPath
    of_request: tuple[Test, ...]
    residual: Residual
    left_open: tuple[Atom, ...] = ()
    """Its gates that are not decided."""

    @cached_property
    def of_resource(self) -> tuple[Test, ...]:
        """The residual as tests. PERF: filters do not need them."""
        atoms = [Comparison("resource_attrs", *comparison) for comparison in self.residual]
        return conjunction(atoms, "ALLOW", "", _no_zone).tests


@dataclass(frozen=True, slots=True)
class RemainingRules:
    """The rules that remain, for each effect in the order in which they are reported (D8)."""

    allows: tuple[OpenRule, ...]
    denies: tuple[OpenRule, ...]
    left_out: tuple[Atom, ...] = ()
    """The gates of the DENYs that are left out, because their gates are not decided (F2)."""

    @property
    def left_open(self) -> list[Atom]:
        """The gates by which the evaluation may differ from the filter."""
        return [*self.left_out, *(gate for rule in self.allows for gate in rule.left_open)]

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
        if not test("", None, NO_ATTRIBUTES, id, r, NO_ATTRIBUTES, NO_ATTRIBUTES, NO_CLOCK):
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

    def outcome(
        self,
        stype: str,
        sid: str | None,
        s: Attributes,
        a: Attributes,
        c: Attributes = NO_ATTRIBUTES,
        now: float = NO_CLOCK,
    ) -> Outcome:
        """Returns which rules remain for a subject, the properties of an action and, with decided gates, a context."""
        return tuple(
            number
            for number, tests in self.dependent
            if all(test(stype, sid, s, None, NO_ATTRIBUTES, a, c, now) for test in tests)
        )

    def conditions(self, outcome: Outcome) -> RemainingRules:
        """Returns the rules that remain."""
        left = frozenset(outcome)
        return RemainingRules(
            tuple(rule for number, rule in enumerate(self.allows) if not rule.of_request or number in left),
            tuple(
                rule
                for number, rule in enumerate(self.denies, len(self.allows))
                if not rule.of_request or number in left
            ),
            self.left_out,
        )


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
    decided_gates = (gate for rule in (*left.allows, *left.denies) for gate in _gates(rule)) if decided else ()
    windows = frozenset(gate.window for gate in decided_gates if isinstance(gate, During))
    return Partial(allows, denies, dependent, left_out, windows)


def _gates(rule: Rule) -> list[Atom]:
    return [atom for atom in rule.clause.body if is_gate(atom)]


def _opened(found: Sequence[Rule], rules: TypeRules, decided: bool) -> tuple[OpenRule, ...]:
    opened = (_open_rule(rule, rules, decided) for rule in found)
    return tuple(rule for rule in opened if rule is not None)


def _open_rule(rule: Rule, rules: TypeRules, decided: bool) -> OpenRule | None:
    """Returns the rule with its residual, or None if it can't hold for a resource of the type."""
    of_resource, of_request, left_open = parted(rule.clause.body, "resource_attrs", decided)
    residual = residual_of(of_resource, rules.type.name)
    state, effect = rules.state, rule.clause.effect
    asked = conjunction(of_request, effect, rules.type.name, state.zone, state.required).tests if of_request else ()
    if residual is None or never in asked:
        return None
    return OpenRule(rule.path, asked, residual, tuple(left_open))


def parted(
    body: Iterable[Atom], section: AttributeSection, decided: bool
) -> tuple[list[Comparison], list[Atom], list[Atom]]:
    """Splits a body: returns the comparisons with the unknown entity of a section, and the conditions to decide.

    The third value has the gates that are left open: rate limits always, the others if gates are not `decided` (C10).
    """
    unknown: list[Comparison] = []
    known: list[Atom] = []
    left_open: list[Atom] = []
    for atom in body:
        if isinstance(atom, Comparison) and atom.section == section:
            unknown.append(atom)
        elif not is_gate(atom) or (decided and not isinstance(atom, Rate)):
            known.append(atom)
        else:
            left_open.append(atom)
    return unknown, known, left_open


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
