"""Specialisation: reduces the program to the rules for one set of roles, one resource type and one action.

This is partial evaluation of `permit(S, A, R)`. It decides the indexed atoms of every clause and turns the clause's
body into closures. Evaluations, filters, searches and explanations all start from the same `Specialised`.
"""

from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from ...bundles.conditions.references import ValueOf
from ...bundles.errors import UNREADABLE, BundleError
from ...bundles.file.rule_index import AllowIndex, RuleIndex
from ...bundles.program.clauses import Clause, ResourceType
from ..effort import MOST_TESTED, UNBOUNDED, Effort
from ..state.state import State
from .attribute_index import AttributeIndex
from .attributes import Test
from .conditions import Conjunction, conjunction, steps_to_compile
from .plan import Plan, keep_plan, plan_of, weight_of
from .rank_rules import RankedRules, merged, rank_rules
from .reasons import (
    ACTION_NOT_DECLARED,
    FOR_OTHER_ACTIONS,
    NO_POLICY_MATCH,
    AccessPath,
    Answer,
    PolicyPath,
    condition_failed,
)
from .reference_guard import guard_of, watched_of
from .rule import RoleSet, Rule, make_rule


@dataclass(frozen=True, slots=True)
class Specialised:
    """The program for one (set of roles, type, action): the rules that apply."""

    type: int
    closed: bool
    parts: tuple[RankedRules, ...]
    """The rules. If the rules for everyone are indexed, they are a separate part, which all sets of roles share."""
    otherwise: Answer
    """The answer if no rule and no grant holds (D4 to D6)."""
    plan: Plan | None = field(compare=False)
    """None if the type is closed, some rule reads the clock, has a rate limit or compares a demanded attribute, the
    rules are so many that they are indexed, or testing them takes long."""
    deny_indexes: tuple[AttributeIndex, ...]
    allow_indexes: tuple[AttributeIndex, ...]
    limited_indexes: tuple[AttributeIndex, ...]
    """The ALLOWs with a rate limit, which `allow_indexes` do not have. It is empty for most programs."""
    demanding: bool
    """True if some rule compares an attribute on which there is a demand, which a reason may name (C12, C13)."""
    guard: Test | None
    """Refuses values that are too large to refer to, before any condition is tested (X1)."""
    takes_long: bool
    """True if to test the rules may take more steps than an evaluation may take at once; see `effort`."""

    @property
    def denies(self) -> tuple[Rule, ...]:
        """Every DENY that applies, in the order in which they are reported (D8)."""
        return merged([part.denies for part in self.parts])

    @property
    def allows(self) -> tuple[Rule, ...]:
        """Every ALLOW that applies, in the order in which they are reported (D8)."""
        return merged([part.allows for part in self.parts])

    @property
    def weight(self) -> int:
        """The places for rules that it takes in memory, without the rules that all sets of roles share."""
        return len(self.parts[-1]) + (0 if self.plan is None else weight_of(self.plan))


@dataclass(slots=True, eq=False)
class TypeRules:
    """The rules on one resource type. Each is read from the state when it is first needed.

    `specialised` caches the specialised programs by action and set of roles. `plans` has the plan of each, if it has
    one.
    """

    number: int
    type: ResourceType
    state: State
    specialised: dict[str, dict[RoleSet, Specialised]] = field(default_factory=dict)
    plans: dict[str, dict[RoleSet, Plan]] = field(default_factory=dict)
    _indexes: dict[str, RuleIndex] = field(default_factory=dict)
    _allows: AllowIndex | None = None
    _for_everyone: dict[str, RankedRules] = field(default_factory=dict)
    _excepting: dict[str, tuple[Rule, ...]] = field(default_factory=dict)
    _ranked: dict[str, tuple[Clause, ...]] = field(default_factory=dict)
    _ranked_excepting: dict[str, tuple[Clause, ...]] = field(default_factory=dict)
    _bodies: dict[int, tuple[Clause, Conjunction]] = field(default_factory=dict)
    _rules: dict[tuple[int, str], Rule] = field(default_factory=dict)

    def updated(self, type: ResourceType, state: State, gone: set[int]) -> "TypeRules":
        """Returns the rules on the same type in a later state, which lacks the clauses with the numbers `gone`.

        Both share the other clauses: the clause of a number never changes, and its tests depend on the type's name.
        """
        later = TypeRules(self.number, type, state)
        if type.name == self.type.name:
            later._bodies = {number: body for number, body in list(self._bodies.items()) if number not in gone}
            later._rules = {key: rule for key, rule in list(self._rules.items()) if key[0] not in gone}
        return later

    def keep(self, roles: RoleSet, action: str, specialised: Specialised) -> None:
        """Adds a specialised program to the cache."""
        if specialised.plan is not None:
            keep_plan(specialised.plan, self.plans.setdefault(action, {}), roles)
        self.specialised.setdefault(action, {})[roles] = specialised

    def forget(self) -> None:
        """Empties the cache."""
        self.specialised.clear()
        self.plans.clear()

    def specialise(self, roles: RoleSet, action: str, effort: Effort = UNBOUNDED) -> Specialised:
        """Returns the program for a subject that holds `roles` and does `action` on this type.

        Raises TakesLong if that takes more than `effort`. What was done by then is not done again.
        """
        shared, excepting = self._everyone(action, effort)
        effort.spend(len(excepting))
        own = [*self._held(roles, action, effort), *self._left(excepting, roles)]
        parts = (shared, rank_rules(own)) if shared.indexed else (rank_rules([*shared, *own]),)
        otherwise = self._otherwise(roles, action, parts)
        steps = sum(part.deny_index.steps + part.allow_index.steps + part.limited_index.steps for part in parts)
        takes_long = steps > MOST_TESTED
        demanding = any(rule.body.demands for part in parts for rule in part) if self.state.demands else False
        watched = watched_of(value_of for part in parts for rule in part for value_of in rule.body.referred)
        guard = guard_of(watched)
        return Specialised(
            type=self.number,
            closed=self.type.closed,
            parts=parts,
            otherwise=otherwise,
            plan=None if takes_long or demanding or self.type.closed else _plan(parts, otherwise, guard, watched),
            demanding=demanding,
            guard=guard,
            takes_long=takes_long,
            deny_indexes=tuple(part.deny_index for part in parts if part.deny_index.rules),
            allow_indexes=tuple(part.allow_index for part in parts if part.allow_index.rules),
            limited_indexes=tuple(part.limited_index for part in parts if part.limited_index.rules),
        )

    def allows(self, action: str) -> list[Clause]:
        """Returns every ALLOW on the type and an action, for any roles, by number."""
        index = self._index(action)
        numbers = {*index.everyone, *(number for numbers in index.by_role.values() for number in numbers)}
        clauses = (self._body(number, AccessPath.ABAC)[0] for number in sorted(numbers))
        return [clause for clause in clauses if clause.effect == "ALLOW"]

    def every(self, action: str) -> list[tuple[Clause, Conjunction]]:
        """Returns every clause on the type and an action with its tests, for any roles, in the order of D8."""
        index = self._index(action)
        numbers = {*index.everyone, *(number for numbers in index.by_role.values() for number in numbers)}
        found = [(clause, body) for clause, _, body in (self._body(one, AccessPath.ABAC) for one in sorted(numbers))]
        return sorted(found, key=lambda one: (-one[0].priority, one[0].policy))

    def ranked_allows(self, action: str) -> Sequence[Clause]:
        """Returns every ALLOW on the type and an action, the highest priority first, then the smallest id."""
        found = self._ranked.get(action)
        if found is None:
            clauses = self._clauses(action)
            found = _ranked(clause for clause in clauses if clause.effect == "ALLOW")
            excepting = _ranked(clause for clause in clauses if clause.except_roles)
            if action in self.type.actions:
                self._ranked_excepting[action], self._ranked[action] = excepting, found
        return found

    def ranked_excepting(self, action: str) -> Sequence[Clause]:
        """Returns every clause with exceptions on the type and an action, of both effects, in the same order (P6)."""
        self.ranked_allows(action)
        return self._ranked_excepting.get(action, ())

    def _clauses(self, action: str) -> list[Clause]:
        index = self._index(action)
        numbers = {*index.everyone, *(number for numbers in index.by_role.values() for number in numbers)}
        return [self.state.clause(number) for number in numbers]

    def _everyone(self, action: str, effort: Effort) -> tuple[RankedRules, Sequence[Rule]]:
        """Returns the rules without roles: those that all sets of roles share, and those with exceptions (P6)."""
        found = self._for_everyone.get(action)
        if found is not None:
            return found, self._excepting.get(action, ())
        everyone = self._index(action).everyone
        rules = [self._rule(number, AccessPath.ABAC, action, effort) for number in everyone]
        if any(rule.clause.roles is not None for rule in rules):
            raise _misplaced("for everyone that needs a role")
        excepting = tuple(rule for rule in rules if rule.clause.except_roles)
        found = rank_rules([rule for rule in rules if not rule.clause.except_roles])
        if action in self.type.actions:  # callers can invent others without end
            if excepting:
                self._excepting[action] = excepting
            self._for_everyone[action] = found
        return found, excepting

    def _held(self, roles: RoleSet, action: str, effort: Effort) -> list[Rule]:
        """Returns the rules for the subject's roles, each by its best path (P2)."""
        index = self._index(action)
        found: dict[int, Rule] = {}
        for role, path in roles.held:
            for number in index.by_role.get(role, ()):
                if number not in found or found[number].path != AccessPath.ROLE:
                    rule = found[number] = self._rule(number, path, action, effort)
                    if rule.clause.roles is None or self.state.role_id(role) not in rule.clause.roles:
                        raise _misplaced("for another role")
        return self._left(found.values(), roles)

    def _left(self, rules: Collection[Rule], roles: RoleSet) -> list[Rule]:
        """Returns the rules without those that leave out a role of the subject (P6)."""
        if not any(rule.clause.except_roles for rule in rules):
            return list(rules)
        held = {self.state.role_id(role) for role, _ in roles.held}
        return [rule for rule in rules if held.isdisjoint(rule.clause.except_roles)]

    def _index(self, action: str) -> RuleIndex:
        index = self._indexes.get(action)
        if index is None:
            index = self.state.rules(self.number, action)
            if action in self.type.actions:
                self._indexes[action] = index
        return index

    def _rule(self, number: int, path: PolicyPath, action: str, effort: Effort) -> Rule:
        effort.spend(1)
        rule = self._rules.get((number, path))
        if rule is None:
            rule = self._rules[number, path] = make_rule(*self._body(number, path, effort))
        if self.type.id not in rule.clause.types or action not in rule.clause.actions:
            raise _misplaced("on another type or action")
        return rule

    def _body(
        self, number: int, path: PolicyPath, effort: Effort = UNBOUNDED
    ) -> tuple[Clause, PolicyPath, Conjunction]:
        found = self._bodies.get(number)
        if found is None:
            clause = self.state.clause(number)
            effort.spend(steps_to_compile(clause.body))
            try:
                body = conjunction(clause.body, clause.effect, self.type.name, self.state.zone, self.state.demands)
            except UNREADABLE as ex:
                raise BundleError(f"the bundle is damaged: clause {number} can't be tested: {ex}") from None
            found = self._bodies[number] = clause, body
        clause, body = found
        return clause, path, body

    def _otherwise(self, roles: RoleSet, action: str, parts: tuple[RankedRules, ...]) -> Answer:
        firsts = [part.allows[0] for part in parts if part.allows]
        if firsts:
            count = sum(len(part.allows) for part in parts)
            return condition_failed(min(firsts, key=lambda rule: rule.rank).clause, count - 1)
        index = self._allows = self._allows or self.state.allows(self.number)
        held = {role for role, _ in roles.held}
        elsewhere = index.everyone or not held.isdisjoint(index.roles) or _some_apply(index, held)
        nothing = NO_POLICY_MATCH if action in self.type.actions else ACTION_NOT_DECLARED
        return FOR_OTHER_ACTIONS[nothing] if elsewhere else nothing


def _ranked(clauses: Iterable[Clause]) -> tuple[Clause, ...]:
    return tuple(sorted(clauses, key=lambda clause: (-clause.priority, clause.policy)))


def _some_apply(index: AllowIndex, held: AbstractSet[int]) -> bool:
    """Returns whether an ALLOW with exceptions applies to a subject that holds these roles (P6)."""
    return any(
        (roles is None or not held.isdisjoint(roles)) and held.isdisjoint(excepted)
        for roles, excepted in index.excepting
    )


def _plan(
    parts: tuple[RankedRules, ...], otherwise: Answer, guard: Test | None, watched: Sequence[ValueOf]
) -> Plan | None:
    if any(part.timed or part.indexed or part.limited_index.rules for part in parts):
        return None
    (rules,) = parts  # only indexed rules are a separate part
    return plan_of(rules, otherwise, guard, watched)


def _misplaced(what: str) -> BundleError:
    return BundleError(f"the bundle is damaged: its index names a clause {what}")
