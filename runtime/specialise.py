"""Specialisation: what is left of the program once the subject's roles, the resource's type and the action are known.

It is partial evaluation of `permit(S, A, R)`: the indexed atoms of every clause are decided, its body is left as a
closure. Evaluations, filters, searches and explanations all start from the same `Specialised`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bundles.errors import UNREADABLE, BundleError
from bundles.program import Clause, During, ResourceType
from bundles.reader import Bundle
from bundles.rule_codec import RuleIndex
from runtime.answers import (
    ABAC,
    ACTION_NOT_PERMITTED,
    NO_POLICY_MATCH,
    PATH_RANK,
    ROLE,
    Answer,
    allowed,
    condition_failed,
    denied,
)
from runtime.attributes import Test
from runtime.conditions import always, conjunction, never
from runtime.search_rules import RuleSearch


@dataclass(frozen=True, slots=True, eq=False)
class RoleSet:
    """The roles that a subject holds, each by number with its path, sorted; one object for one set.

    `left` is what is remembered of the program for it: by type, as requests name it, and action.
    """

    held: tuple[tuple[int, str], ...]
    left: dict[str, dict[str, "Specialised"]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rule:
    """A clause that applies to a subject, type and action, by a path, with the tests of its body."""

    clause: Clause
    path: str
    tests: tuple[Test, ...]


@dataclass(frozen=True, slots=True)
class Specialised:
    """What is left for one (set of roles, type, action). Rules stand in the order in which they are reported (D8).

    `deny_tests` are a rule's first test, the rest of them, and the answers for D1 and D2; `allow_tests` likewise, with
    the answer for D3; `allow_at_all` are these by the number of their tests, so the likeliest first, for those who only
    ask whether one holds. Rules that can't hold, and those behind one that always holds, are left out. `otherwise` is
    the answer where nothing holds (D4 to D6). A `plain` one is of an open type, asks for no clock and has few rules;
    for any other, `deny_search` and `allow_search` give places in these tuples.
    """

    type: int
    closed: bool
    plain: bool
    denies: tuple[Rule, ...]
    allows: tuple[Rule, ...]
    deny_tests: tuple[tuple[Test, tuple[Test, ...], Answer, Answer], ...]
    allow_tests: tuple[tuple[Test, tuple[Test, ...], Answer], ...]
    allow_at_all: tuple[tuple[Test, tuple[Test, ...]], ...]
    otherwise: Answer
    deny_search: RuleSearch
    allow_search: RuleSearch


@dataclass(slots=True)
class TypeRules:
    """The rules on one resource type, read from the bundle when they are first asked for."""

    number: int
    type: ResourceType
    bundle: Bundle
    _indexes: dict[str, RuleIndex] = field(default_factory=dict)
    _clauses: dict[int, tuple[Clause, tuple[Test, ...]]] = field(default_factory=dict)

    def specialise(self, roles: RoleSet, action: str) -> Specialised:
        """What is left for a subject that holds `roles` and does `action` on this type."""
        rules = self._applicable(roles, action)
        denies = tuple(sorted((rule for rule in rules if rule.clause.effect == "DENY"), key=_deny_rank))
        allows = tuple(sorted((rule for rule in rules if rule.clause.effect == "ALLOW"), key=_allow_rank))
        deny, allow = _worth_testing(denies), _worth_testing(allows)
        deny_search, allow_search = _search(deny), _search(allow)
        timed = any(isinstance(atom, During) for rule in rules for atom in rule.clause.body)
        return Specialised(
            type=self.number,
            closed=self.type.closed,
            plain=not (self.type.closed or timed or deny_search.indexed or allow_search.indexed),
            denies=denies,
            allows=allows,
            deny_tests=tuple(
                (*_first_and_rest(rule), denied(rule.clause, overrides=True), denied(rule.clause, overrides=False))
                for rule in deny
            ),
            allow_tests=tuple((*_first_and_rest(rule), allowed(rule.clause, rule.path)) for rule in allow),
            allow_at_all=tuple(map(_first_and_rest, sorted(allow, key=lambda rule: len(rule.tests)))),
            otherwise=self._otherwise(roles, allows),
            deny_search=deny_search,
            allow_search=allow_search,
        )

    def _applicable(self, roles: RoleSet, action: str) -> list[Rule]:
        """The clauses on this type and action whose roles the subject holds, with the best path of each (P2)."""
        index = self._index(action)
        paths = dict.fromkeys(index.everyone, ABAC)
        for role, path in roles.held:
            for number in index.by_role.get(role, ()):
                if paths.get(number) != ROLE:
                    paths[number] = path
        found = ((self._clause(number), path) for number, path in paths.items())
        rules = [Rule(clause, path, tests) for (clause, tests), path in found]
        if any(self.type.id not in rule.clause.types or action not in rule.clause.actions for rule in rules):
            raise BundleError("the bundle is damaged: its index names a clause on another type or action")
        return rules

    def _index(self, action: str) -> RuleIndex:
        index = self._indexes.get(action)
        if index is None:
            index = self.bundle.rules(self.number, action)
            if action in self.type.actions:  # what a caller invents is not remembered
                self._indexes[action] = index
        return index

    def _clause(self, number: int) -> tuple[Clause, tuple[Test, ...]]:
        found = self._clauses.get(number)
        if found is None:
            clause = self.bundle.clause(number)
            try:
                tests = conjunction(clause.body, clause.effect, self.type.name, self.bundle.zone)
            except UNREADABLE as ex:
                raise BundleError(f"the bundle is damaged: clause {number} can't be tested: {ex}") from None
            found = clause, tests
            self._clauses[number] = found
        return found

    def _otherwise(self, roles: RoleSet, allows: tuple[Rule, ...]) -> Answer:
        if allows:
            return condition_failed(allows[0].clause, len(allows) - 1)
        index = self.bundle.allows(self.number)
        elsewhere = index.everyone or any(role in index.roles for role, _ in roles.held)
        return ACTION_NOT_PERMITTED if elsewhere else NO_POLICY_MATCH


def _deny_rank(rule: Rule) -> tuple[int, str]:
    """Highest priority first, then smallest id by code point (D8)."""
    return -rule.clause.priority, rule.clause.policy


def _allow_rank(rule: Rule) -> tuple[int, int, str]:
    """Highest priority first, then path, then smallest id by code point (D8)."""
    return -rule.clause.priority, PATH_RANK[rule.path], rule.clause.policy


def _first_and_rest(rule: Rule) -> tuple[Test, tuple[Test, ...]]:
    """PERF: most rules fail at their first test; a loop over all tests costs 30 ns more to begin."""
    return (rule.tests[0], rule.tests[1:]) if rule.tests else (always, ())


def _search(rules: Sequence[Rule]) -> RuleSearch:
    return RuleSearch([rule.clause.body for rule in rules], [rule.tests for rule in rules])


def _worth_testing(rules: tuple[Rule, ...]) -> list[Rule]:
    """The rules that can hold, up to the first that always does."""
    kept: list[Rule] = []
    for rule in rules:
        if never in rule.tests:
            continue
        kept.append(rule)
        if not rule.tests:
            break
    return kept
