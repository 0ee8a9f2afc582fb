"""Specialisation: what is left of the program once the subject's roles, the resource's type and the action are known.

It is partial evaluation of `permit(S, A, R)`: the indexed atoms of every clause are decided, its body is left as a
closure. Evaluations, filters, searches and explanations all start from the same `Specialised`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ...bundles.errors import UNREADABLE, BundleError
from ...bundles.file.rule_index import AllowIndex, RuleIndex
from ...bundles.program.clauses import Clause, ResourceType
from ..state.state import State
from .attribute_index import RuleSearch
from .conditions import Conjunction, conjunction
from .rank_rules import Ranked, merged, rank_rules, worth_testing
from .reasons import ACTION_NOT_PERMITTED, NO_POLICY_MATCH, AccessPath, Answer, PolicyPath, condition_failed
from .rule import Ready, Rule, make_rule


@dataclass(frozen=True, slots=True, eq=False)
class RoleSet:
    """The roles that a subject holds, each by number with its path, sorted; one object for one set.

    `left` is what is remembered of the program for it: by type, as requests name it, and action.
    """

    held: tuple[tuple[int, PolicyPath], ...]
    left: dict[str, dict[str, "Specialised"]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Specialised:
    """What is left for one (set of roles, type, action).

    `parts` hold the rules: those for everyone, where they are indexed, are one object that all sets of roles share.
    `otherwise` is the answer where nothing holds (D4 to D6). A `plain` one is of an open type, asks no clock and has
    few rules: only there `deny_tests` and `allow_tests` list them in the order in which they are reported (D8), and
    `allow_at_all` by the number of their tests, so the likeliest first, for those who only ask whether one holds.
    """

    type: int
    closed: bool
    plain: bool
    parts: tuple[Ranked, ...]
    otherwise: Answer
    deny_tests: tuple[Ready, ...]
    allow_tests: tuple[Ready, ...]
    allow_at_all: tuple[Ready, ...]
    deny_searches: tuple[RuleSearch, ...]
    allow_searches: tuple[RuleSearch, ...]

    @property
    def denies(self) -> tuple[Rule, ...]:
        """Every DENY that applies, in the order in which they are reported."""
        return merged([part.denies for part in self.parts])

    @property
    def allows(self) -> tuple[Rule, ...]:
        """Every ALLOW that applies, in the order in which they are reported."""
        return merged([part.allows for part in self.parts])

    @property
    def weight(self) -> int:
        """How many places for rules it takes, those apart that all sets of roles share."""
        return len(self.parts[-1]) + len(self.deny_tests) + len(self.allow_tests)


@dataclass(slots=True)
class TypeRules:
    """The rules on one resource type, read from the state when they are first asked for."""

    number: int
    type: ResourceType
    state: State
    _indexes: dict[str, RuleIndex] = field(default_factory=dict)
    _allows: AllowIndex | None = None
    _for_everyone: dict[str, Ranked] = field(default_factory=dict)
    _bodies: dict[int, tuple[Clause, Conjunction]] = field(default_factory=dict)
    _rules: dict[tuple[int, str], Rule] = field(default_factory=dict)

    def follow(self, type: ResourceType, state: State) -> "TypeRules":
        """The rules on the same type in a later state, where some changed.

        Clauses are shared: one of a number never changes, and only the type's name goes into its tests.
        """
        later = TypeRules(self.number, type, state)
        if type.name == self.type.name:
            later._bodies, later._rules = self._bodies, self._rules
        return later

    def specialise(self, roles: RoleSet, action: str) -> Specialised:
        """What is left for a subject that holds `roles` and does `action` on this type."""
        shared, own = self._everyone(action), self._held(roles, action)
        parts = (shared, rank_rules(own)) if shared.indexed else (rank_rules([*shared, *own]),)
        plain = not self.type.closed and not any(part.timed or part.indexed for part in parts)
        deny_tests = _flat(part.deny_search.rules for part in parts) if plain else ()
        allow_tests = _flat(part.allow_search.rules for part in parts) if plain else ()
        return Specialised(
            type=self.number,
            closed=self.type.closed,
            plain=plain,
            parts=parts,
            otherwise=self._otherwise(roles, parts),
            deny_tests=deny_tests,
            allow_tests=allow_tests,
            allow_at_all=tuple(sorted(allow_tests, key=lambda ready: len(ready[1]))),
            deny_searches=tuple(part.deny_search for part in parts if part.deny_search.rules),
            allow_searches=tuple(part.allow_search for part in parts if part.allow_search.rules),
        )

    def allows(self, action: str) -> list[Clause]:
        """Every ALLOW on the type and an action, whoever holds its roles, by number."""
        index = self._index(action)
        numbers = {*index.everyone, *(number for numbers in index.by_role.values() for number in numbers)}
        clauses = (self._body(number, AccessPath.ABAC)[0] for number in sorted(numbers))
        return [clause for clause in clauses if clause.effect == "ALLOW"]

    def _everyone(self, action: str) -> Ranked:
        """The rules without roles, one object for all who ask."""
        found = self._for_everyone.get(action)
        if found is None:
            rules = [self._rule(number, AccessPath.ABAC, action) for number in self._index(action).everyone]
            if any(rule.clause.roles is not None for rule in rules):
                raise _misplaced("for everyone that needs a role")
            found = rank_rules(rules)
            if action in self.type.actions:  # what a caller invents is not remembered
                self._for_everyone[action] = found
        return found

    def _held(self, roles: RoleSet, action: str) -> list[Rule]:
        """The rules of which the subject holds a role, each by its best path (P2)."""
        index = self._index(action)
        found: dict[int, Rule] = {}
        for role, path in roles.held:
            for number in index.by_role.get(role, ()):
                if number not in found or found[number].path != AccessPath.ROLE:
                    rule = found[number] = self._rule(number, path, action)
                    if rule.clause.roles is None or self.state.role_id(role) not in rule.clause.roles:
                        raise _misplaced("for another role")
        return list(found.values())

    def _index(self, action: str) -> RuleIndex:
        index = self._indexes.get(action)
        if index is None:
            index = self.state.rules(self.number, action)
            if action in self.type.actions:
                self._indexes[action] = index
        return index

    def _rule(self, number: int, path: PolicyPath, action: str) -> Rule:
        rule = self._rules.get((number, path))
        if rule is None:
            rule = self._rules[number, path] = make_rule(*self._body(number, path))
        if self.type.id not in rule.clause.types or action not in rule.clause.actions:
            raise _misplaced("on another type or action")
        return rule

    def _body(self, number: int, path: PolicyPath) -> tuple[Clause, PolicyPath, Conjunction]:
        found = self._bodies.get(number)
        if found is None:
            clause = self.state.clause(number)
            try:
                body = conjunction(clause.body, clause.effect, self.type.name, self.state.zone)
            except UNREADABLE as ex:
                raise BundleError(f"the bundle is damaged: clause {number} can't be tested: {ex}") from None
            found = self._bodies[number] = clause, body
        clause, body = found
        return clause, path, body

    def _otherwise(self, roles: RoleSet, parts: tuple[Ranked, ...]) -> Answer:
        firsts = [part.allows[0] for part in parts if part.allows]
        if firsts:
            count = sum(len(part.allows) for part in parts)
            return condition_failed(min(firsts, key=lambda rule: rule.rank).clause, count - 1)
        index = self._allows = self._allows or self.state.allows(self.number)
        elsewhere = index.everyone or any(role in index.roles for role, _ in roles.held)
        return ACTION_NOT_PERMITTED if elsewhere else NO_POLICY_MATCH


def _flat(orders: Iterable[Sequence[Rule]]) -> tuple[Ready, ...]:
    return tuple(rule.ready for rule in worth_testing(merged(orders)))


def _misplaced(what: str) -> BundleError:
    return BundleError(f"the bundle is damaged: its index names a clause {what}")
