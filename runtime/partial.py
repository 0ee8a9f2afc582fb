"""Partial evaluation: what is left of a specialised program where the resource's attributes are unknown (F1, F2).

Roles, type and action are known already; conditions on subject and action are decided here, gates are left open, and
what remains of each rule is a conjunction of comparisons with the resource's attributes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from bundles.conditions.comparisons import predicate
from bundles.conditions.values import Json
from bundles.program import Atom, Comparison, is_gate
from runtime.attributes import Test
from runtime.conditions import conjunction, never
from runtime.entities import NO_ATTRIBUTES, Attributes
from runtime.rule import Rule
from runtime.specialise import Specialised, TypeRules

Residual: TypeAlias = tuple[tuple[str, str, Json], ...]
"""Comparisons of the resource's attributes, as (key, operator, constant), of which all must hold."""

Outcome: TypeAlias = tuple[int, ...]
"""Which of the rules that depend on subject or action are left, by number: all that a filter depends on beside the
specialised program."""

NO_CLOCK = 0.0
"""The instant given to tests that ask for none."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What is left: rules of both effects, and the paths of the ALLOWs."""

    allows: tuple[Residual, ...]
    denies: tuple[Residual, ...]
    paths: frozenset[str]

    @property
    def admits_all(self) -> bool:
        """Whether every row is admitted: some ALLOW asks nothing of it, and there is no DENY (F4)."""
        return () in self.allows and not self.denies

    @property
    def admits_none(self) -> bool:
        """Whether no row is admitted: there is no ALLOW, or some DENY asks nothing of it (F4)."""
        return not self.allows or () in self.denies


@dataclass(frozen=True, slots=True)
class _OpenRule:
    """A rule with its gates open: what it asks of subject and action, and of the resource."""

    path: str
    tests: tuple[Test, ...]
    residual: Residual


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """The rules of a specialised program, ready to be evaluated in part."""

    allows: tuple[_OpenRule, ...]
    denies: tuple[_OpenRule, ...]
    dependent: tuple[tuple[int, tuple[Test, ...]], ...]

    def outcome(self, stype: str, sid: str | None, s: Attributes, a: Attributes) -> Outcome:
        """Which rules a subject and an action leave."""
        return tuple(
            number
            for number, tests in self.dependent
            if all(test(stype, sid, s, None, NO_ATTRIBUTES, a, NO_ATTRIBUTES, NO_CLOCK) for test in tests)
        )

    def conditions(self, outcome: Outcome) -> Conditions:
        """What is left of the rules."""
        left = frozenset(outcome)
        allows = [rule for number, rule in enumerate(self.allows) if not rule.tests or number in left]
        denies = [rule for number, rule in enumerate(self.denies, len(self.allows)) if not rule.tests or number in left]
        return Conditions(
            tuple(rule.residual for rule in allows),
            tuple(rule.residual for rule in denies),
            frozenset(rule.path for rule in allows),
        )


def partial(left: Specialised, rules: TypeRules) -> Partial:
    """The partial evaluation of what is left for one (set of roles, type, action), `rules` being the type's."""
    allows = _opened(left.allows, rules)
    denies = _opened([rule for rule in left.denies if not any(map(is_gate, rule.clause.body))], rules)
    dependent = tuple((number, rule.tests) for number, rule in enumerate((*allows, *denies)) if rule.tests)
    return Partial(allows, denies, dependent)


def _opened(found: Sequence[Rule], rules: TypeRules) -> tuple[_OpenRule, ...]:
    opened = (_open_rule(rule, rules) for rule in found)
    return tuple(rule for rule in opened if rule is not None)


def _open_rule(rule: Rule, rules: TypeRules) -> _OpenRule | None:
    """The rule with its gates open, None where it can't hold for a resource of the type."""
    known: list[Atom] = []
    residual: list[tuple[str, str, Json]] = []
    for atom in rule.clause.body:
        if not isinstance(atom, Comparison) or is_gate(atom):
            continue
        if atom.section != "resource_attrs":
            known.append(atom)
        elif atom.key != "type":
            residual.append((atom.key, atom.op, atom.value))
        elif not predicate(atom.op, atom.value)(rules.type.name):
            return None
    tests = conjunction(known, rule.clause.effect, rules.type.name, rules.state.zone).tests
    return None if never in tests else _OpenRule(rule.path, tests, tuple(residual))
