"""The search: sets of changes by their size, until no smaller one can be missing.

A node is a set of changes that one ALLOW needs, with conditions of DENYs that must not hold. Each node either allows
the request, or has a condition that only more changes can satisfy. So each smallest set is found before any larger
one that contains it, which is then dropped.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple, TypeAlias

from ...bundles.conditions.values import Json
from .asked import Applying, Asked, Condition
from .limits import NODE_STEPS, OutOfSteps, WhyNotLimits
from .units import GRANT, REGISTER, Attribute, Policy, Role, Unit

Changes: TypeAlias = frozenset[Unit]


class Found(NamedTuple):
    """A smallest set of changes, with a value for each attribute in it."""

    changes: Changes
    values: dict[Attribute, Json]


class _Node(NamedTuple):
    changes: Changes
    target: Applying | None
    """The ALLOW that shall hold, or None for a direct grant."""
    fails: frozenset[Condition]
    """Conditions of DENYs that shall not hold."""


@dataclass(frozen=True)
class Standing:
    """The roles of the subject, and true for `granted` if a direct grant covers the action already.

    The resource is `blocked` if its type is closed and it is not registered (E7). The others say what an administrator
    can do: only what has an id holds a role or a grant, or is registered.
    """

    roles: frozenset[str]
    granted: bool
    blocked: bool
    can_hold: bool
    can_grant: bool
    can_register: bool


@dataclass
class Search:
    """Finds the smallest sets. `complete` is false if the budget ended the search."""

    asked: Asked
    standing: Standing
    limits: WhyNotLimits
    found: list[Found] = field(default_factory=list)
    complete: bool = True
    nodes: int = 0

    def __post_init__(self) -> None:
        self._denies = [one for one in self.asked.clauses if one.clause.effect == "DENY"]
        self._waiting: list[tuple[int, int, _Node]] = []
        self._seen: set[_Node] = set()
        self._number = count()

    def run(self) -> list[Found]:
        """Returns the smallest sets, by size."""
        try:
            self._start()
            while self._waiting and self._may_go_on():
                _, _, node = heappop(self._waiting)
                if not self._is_covered(node.changes):
                    for child in self._expanded(node):
                        self._add(child)
        except OutOfSteps:
            self.complete = False
        return self.found

    def _may_go_on(self) -> bool:
        self.nodes += 1
        if self.nodes > self.limits.nodes or len(self.found) >= self.limits.sets:
            self.complete = False
        return self.complete

    def _start(self) -> None:
        if self.standing.granted:
            self._add(_Node(frozenset(), None, frozenset()))
        elif self.standing.can_grant:
            self._add(_Node(frozenset({GRANT}), None, frozenset()))
        for one in self.asked.clauses:
            if one.clause.effect == "ALLOW" and not one.limited:
                start: Changes = frozenset({REGISTER}) if self.standing.blocked else frozenset()
                if self.standing.can_register or not self.standing.blocked:
                    self._add(_Node(start, one, frozenset()))

    def _add(self, node: _Node) -> None:
        if len(node.changes) <= self.limits.changes and node not in self._seen:
            self._seen.add(node)
            self.asked.budget.spend(NODE_STEPS)
            heappush(self._waiting, (len(node.changes), next(self._number), node))

    def _is_covered(self, changes: Changes) -> bool:
        return any(one.changes <= changes for one in self.found)

    def _held(self, changes: Changes) -> frozenset[str]:
        return self.standing.roles ^ {one.role for one in changes if isinstance(one, Role)}

    def _expanded(self, node: _Node) -> Iterable[_Node]:
        """Returns the nodes that may allow where this one does not yet."""
        held = self._held(node.changes)
        if node.target is not None:
            roles = self._roles_for(node.target, held)
            if roles is not None:
                return [node._replace(changes=node.changes | {role}) for role in roles if role not in node.changes]
        conditions = () if node.target is None else node.target.conditions
        more = self._needed(conditions, node)
        if more is not None:
            return more
        choice = self._choice(conditions, node)
        if choice is None:
            return list(self._linked(conditions, node))
        denial = self._denial(node.changes, held, choice)
        if denial is None:
            self.found.append(Found(node.changes, choice))
            return []
        return list(self._without(denial, node, held))

    def _roles_for(self, target: Applying, held: frozenset[str]) -> Sequence[Role] | None:
        """Returns the roles of which one must change so that an ALLOW applies, or None if it applies (P2, P6)."""
        clause = target.clause
        if clause.roles is not None and held.isdisjoint(clause.roles):
            return [Role(role) for role in clause.roles] if self.standing.can_hold else []
        excepted = sorted(held.intersection(clause.except_roles))
        return [Role(excepted[0])] if excepted else None

    def _needed(self, conditions: Sequence[Condition], node: _Node) -> list[_Node] | None:
        """Returns the nodes with an attribute more that a condition needs, or None if none does."""
        forced: set[Unit] = set()
        for one, wanted in _wanted(conditions, node.fails):
            if one.reads.isdisjoint(node.changes) and self.asked.holds(one, {}) != wanted:
                if not one.options:
                    return []
                if len(one.options) > 1:
                    return [node._replace(changes=node.changes | {option}) for option in sorted(one.options)]
                forced |= one.options
        return [node._replace(changes=node.changes | forced)] if forced else None

    def _choice(self, conditions: Sequence[Condition], node: _Node) -> dict[Attribute, Json] | None:
        """Returns values of the attributes with which the conditions hold and the others fail, or None."""
        attributes = sorted(one for one in node.changes if isinstance(one, Attribute))
        left = {one: (1 << len(self.asked.values(one))) - 1 for one in attributes}
        joint: list[tuple[Condition, bool]] = []
        for one, wanted in _wanted(conditions, node.fails):
            read = [attribute for attribute in attributes if attribute in one.reads]
            if len(read) == 1:
                mask = self.asked.mask(one, read[0])
                left[read[0]] &= mask if wanted else ~mask
            elif read:
                joint.append((one, wanted))
        if not all(left.values()):
            return None
        return self._joined(attributes, left, joint, {})

    def _joined(
        self,
        attributes: Sequence[Attribute],
        left: dict[Attribute, int],
        joint: Sequence[tuple[Condition, bool]],
        choice: dict[Attribute, Json],
    ) -> dict[Attribute, Json] | None:
        """Returns `choice` with a value for each further attribute, or None if none fit together."""
        if len(choice) == len(attributes):
            return dict(choice)
        attribute = attributes[len(choice)]
        chosen = attributes[: len(choice) + 1]
        decided = [
            (one, wanted)
            for one, wanted in joint
            if attribute in one.reads and one.reads.isdisjoint(attributes[len(chosen) :])
        ]
        for place, value in enumerate(self.asked.values(attribute)):
            if left[attribute] >> place & 1:
                choice[attribute] = value
                if all(self.asked.holds(one, choice) == wanted for one, wanted in decided):
                    found = self._joined(attributes, left, joint, choice)
                    if found is not None:
                        return found
                del choice[attribute]
        return None

    def _linked(self, conditions: Sequence[Condition], node: _Node) -> Iterator[_Node]:
        """Yields nodes with one attribute more of a condition that compares several."""
        for one, _ in _wanted(conditions, node.fails):
            for option in sorted(one.options.difference(node.changes)):
                if len(one.reads) > 1:
                    yield node._replace(changes=node.changes | {option})

    def _denial(self, changes: Changes, held: frozenset[str], choice: dict[Attribute, Json]) -> Applying | None:
        """Returns the first DENY that holds."""
        for one in self._denies:
            self.asked.budget.spend()
            clause = one.clause
            if clause.roles is not None and held.isdisjoint(clause.roles):
                continue
            if Policy(clause.policy) in changes or not held.isdisjoint(clause.except_roles):
                continue
            if self.asked.holds_all(one.conditions, choice):
                return one
        return None

    def _without(self, denial: Applying, node: _Node, held: frozenset[str]) -> Iterator[_Node]:
        """Yields nodes in which a DENY holds no more: a condition fails, it leaves out the subject, or is disabled."""
        for one in denial.conditions:
            fails = node.fails | {one}
            if not one.reads.isdisjoint(node.changes):
                yield node._replace(fails=fails)
            for option in sorted(one.options.difference(node.changes)):
                yield node._replace(changes=node.changes | {option}, fails=fails)
        clause = denial.clause
        yield node._replace(changes=node.changes | {Policy(clause.policy)})
        if clause.roles is not None:
            taken = frozenset(Role(role) for role in held.intersection(clause.roles))
            if taken.isdisjoint(node.changes):
                yield node._replace(changes=node.changes | taken)
        if self.standing.can_hold:
            for role in clause.except_roles:
                if Role(role) not in node.changes:
                    yield node._replace(changes=node.changes | {Role(role)})


def _wanted(conditions: Iterable[Condition], fails: Iterable[Condition]) -> Iterator[tuple[Condition, bool]]:
    yield from ((one, True) for one in conditions)
    yield from ((one, False) for one in fails)
