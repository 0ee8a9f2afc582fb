"""Partial evaluation: what is left of a specialised program where the resource is unknown (F1, F2, S2).

Roles, type and action are known already. Conditions on subject and action are decided here, request-time gates too or
left open, and what remains of each rule is a conjunction of comparisons with the resource's attributes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import cached_property
from typing import TypeAlias

from ...bundles.conditions.comparisons import predicate
from ...bundles.conditions.operators import Operator
from ...bundles.conditions.values import Json
from ...bundles.program.clauses import Atom, AttributeSection, Comparison, Rate, is_gate
from ..requests.members import NO_ATTRIBUTES, Attributes
from ..rules.attributes import NO_CLOCK, Test
from ..rules.conditions import conjunction, never
from ..rules.reasons import AccessPath, GrantingPath, PolicyPath
from ..rules.rule import Rule
from ..rules.specialise import Specialised, TypeRules

Residual: TypeAlias = tuple[tuple[str, Operator, Json], ...]
"""Comparisons of an unknown entity's attributes, as (key, operator, constant), of which all must hold."""

Outcome: TypeAlias = tuple[int, ...]
"""Which of the rules that depend on subject, action or gates are left, by number: all that a filter depends on beside
the specialised program."""


@dataclass(frozen=True)
class OpenRule:
    """A rule as far as it is undecided: what it asks of the request, as tests, and of the resource."""

    path: PolicyPath
    of_request: tuple[Test, ...]
    residual: Residual
    left_open: bool = False
    """Whether it has gates that are not decided."""

    @cached_property
    def of_resource(self) -> tuple[Test, ...]:
        """What it asks of the resource, as tests. PERF: filters have no use for them."""
        atoms = [Comparison("resource_attrs", *comparison) for comparison in self.residual]
        return conjunction(atoms, "ALLOW", "", _no_zone).tests


@dataclass(frozen=True, slots=True)
class Conditions:
    """The rules that are left, each effect's in the order in which they are reported (D8)."""

    allows: tuple[OpenRule, ...]
    denies: tuple[OpenRule, ...]
    left_out: bool = False
    """Whether there are DENYs with gates that are not decided."""

    @property
    def left_open(self) -> bool:
        """Whether gates have a say in the evaluation."""
        return self.left_out or any(rule.left_open for rule in self.allows)

    @property
    def admits_all(self) -> bool:
        """Whether every resource is admitted: some ALLOW asks nothing of it, and there is no DENY (F4)."""
        return not self.denies and any(not rule.residual for rule in self.allows)

    @property
    def denies_all(self) -> bool:
        """Whether some DENY asks nothing of the resource."""
        return any(not rule.residual for rule in self.denies)

    def path(self, id: str | None, attributes: Attributes, granted: bool) -> GrantingPath | None:
        """The access path of a resource, None where it is not admitted; a grant is a direct one (D1 to D3, D8)."""
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
    """The rules of a specialised program, ready to be evaluated in part; `dependent` are those with more to decide."""

    allows: tuple[OpenRule, ...]
    denies: tuple[OpenRule, ...]
    dependent: tuple[tuple[int, tuple[Test, ...]], ...]
    left_out: bool

    def outcome(
        self,
        stype: str,
        sid: str | None,
        s: Attributes,
        a: Attributes,
        c: Attributes = NO_ATTRIBUTES,
        now: float = NO_CLOCK,
    ) -> Outcome:
        """Which rules are left for a subject, an action's properties and, where gates are decided, a context."""
        return tuple(
            number
            for number, tests in self.dependent
            if all(test(stype, sid, s, None, NO_ATTRIBUTES, a, c, now) for test in tests)
        )

    def conditions(self, outcome: Outcome) -> Conditions:
        """What is left of the rules."""
        left = frozenset(outcome)
        return Conditions(
            tuple(rule for number, rule in enumerate(self.allows) if not rule.of_request or number in left),
            tuple(
                rule
                for number, rule in enumerate(self.denies, len(self.allows))
                if not rule.of_request or number in left
            ),
            self.left_out,
        )


def partial(left: Specialised, rules: TypeRules, decided: bool) -> Partial:
    """The partial evaluation of what is left for one (set of roles, type, action), `rules` being the type's.

    Where gates are not `decided`, an ALLOW counts as if its gates held, and a DENY that has any is left out (F2); rate
    limits are never decided (C10).
    """
    allows = _opened(left.allows, rules, decided)
    counted = left.denies if decided else [rule for rule in left.denies if not any(map(is_gate, rule.clause.body))]
    denies = _opened(counted, rules, decided)
    found = enumerate((*allows, *denies))
    dependent = tuple((number, rule.of_request) for number, rule in found if rule.of_request)
    return Partial(allows, denies, dependent, left_out=len(counted) < len(left.denies))


def _opened(found: Sequence[Rule], rules: TypeRules, decided: bool) -> tuple[OpenRule, ...]:
    opened = (_open_rule(rule, rules, decided) for rule in found)
    return tuple(rule for rule in opened if rule is not None)


def _open_rule(rule: Rule, rules: TypeRules, decided: bool) -> OpenRule | None:
    """The rule as far as it is undecided, None where it can't hold for a resource of the type."""
    of_resource, of_request, left_open = parted(rule.clause.body, "resource_attrs", decided)
    residual = residual_of(of_resource, rules.type.name)
    asked = conjunction(of_request, rule.clause.effect, rules.type.name, rules.state.zone).tests if of_request else ()
    if residual is None or never in asked:
        return None
    return OpenRule(rule.path, asked, residual, left_open)


def parted(body: Iterable[Atom], section: AttributeSection, decided: bool) -> tuple[list[Comparison], list[Atom], bool]:
    """A body in two: the comparisons with the entity of a section, which is unknown, and what else is decided.

    The third says whether gates are left open: all of them where they are not `decided`, rate limits always (C10).
    """
    unknown: list[Comparison] = []
    known: list[Atom] = []
    left_open = False
    for atom in body:
        if isinstance(atom, Comparison) and atom.section == section:
            unknown.append(atom)
        elif not is_gate(atom) or (decided and not isinstance(atom, Rate)):
            known.append(atom)
        else:
            left_open = True
    return unknown, known, left_open


def residual_of(comparisons: Iterable[Comparison], type_name: str) -> Residual | None:
    """What comparisons ask of an entity's attributes, None where they ask for another type than its own (E6)."""
    left = []
    for atom in comparisons:
        if atom.key != "type":
            left.append((atom.key, atom.op, atom.value))
        elif not predicate(atom.op, atom.value)(type_name):
            return None
    return tuple(left)
