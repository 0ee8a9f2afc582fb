"""A snapshot: one state of program and facts, which a request keeps from its start to its end.

What is worked out from it is remembered with it: what subjects bring to a decision while none of it expires, and what
is left of the program by (set of roles, type, action).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from ..bundles.file.fact_records import GrantRecord, GroupRecord, HoldingRecord, grants_prefix
from .limits import MemoLimits
from .rules.reasons import AccessPath, PolicyPath
from .rules.specialise import RoleSet
from .specialisation_cache import RuleMemory, rule_memory
from .state.apply_deltas import Touched
from .state.state import State

FOREVER = float("inf")

Holding: TypeAlias = tuple[HoldingRecord, PolicyPath]
"""A role that a subject holds, and how."""

_ROLE: Final = AccessPath.ROLE
_GROUP: Final = AccessPath.GROUP
"""PERF: Python 3.11 takes 0.1 µs to look up a member of a closed set."""


@dataclass(frozen=True, slots=True, eq=False)
class Holder:
    """What a subject brings to a decision, true for instants in `since` <= now < `until` (P4).

    `grants` is the subject's part of the keys of its direct grants, empty where it has none; `granted` are the
    resources that they are on, by type's number and id, None where these are many. A `plain` holder has no grants, and
    nothing that expires. `direct` remembers, by type's number and action, until when some grant covers it.
    """

    roles: RoleSet
    grants: str = ""
    granted: frozenset[tuple[int, str]] | None = frozenset()
    plain: bool = True
    since: float = -FOREVER
    until: float = FOREVER
    direct: dict[tuple[int, str], float] = field(default_factory=dict)


class Snapshot:
    """Facts and rules as decisions ask for them. Thread-safe and fork-safe: everything remembered is recomputable.

    `holders` remembers what subjects bring, by type and id.

    PERF: two dictionaries of strings are read in half the time that one of pairs takes. A memory that is
    full starts anew: working a subject out again costs less than keeping account of which is oldest.
    """

    def __init__(self, state: State, limits: MemoLimits, rules: RuleMemory | None = None):
        self.state = state
        self.rules = rules or rule_memory(state, limits)
        self._limits = limits
        self._groups: dict[int, GroupRecord] = {}
        self._forget_subjects()

    def _forget_subjects(self) -> None:
        self.nobody = Holder(self.rules.nothing)
        """The holder for an unregistered subject: no role, no group, no grant (E3)."""
        self.holders: dict[str, dict[str, Holder]] = {}
        self._subjects = 0

    def follow(self, state: State, touched: Touched) -> "Snapshot":
        """The snapshot of a later state, with all that is remembered here and not `touched`.

        Copied, not shared: a request that holds this one may still add what was true then. Copying the 65,536 subjects
        that a memory holds at most takes a millisecond.
        """
        rules = self.rules.follow(state, touched.types)
        later = Snapshot(state, self._limits, rules)
        if rules is self.rules and not touched.groups:
            later.holders = {type: holders.copy() for type, holders in list(self.holders.items())}
            for type, id in touched.subjects:
                later.holders.get(type, {}).pop(id, None)
            later._subjects = sum(map(len, later.holders.values()))
            later._groups = self._groups.copy()
        return later

    def holder(self, type: str, id: str, now: float) -> Holder:
        """What a subject brings to a decision at `now` (epoch seconds), worked out anew."""
        record = self.state.subject(type, id)
        if record is None:  # what a caller invents is not remembered
            return self.nobody
        direct: list[Holding] = [(held, _ROLE) for held in record.holdings]
        groups = {ancestor for number in record.groups for ancestor in self._group(number).ancestors}
        found = (self._group(number) for number in groups.union(record.groups))
        inherited: list[Holding] = [(held, _GROUP) for group in found for held in group.holdings]
        held, since, until = _in_force([*inherited, *direct], now)
        grants = "" if record.granted == () else grants_prefix(type, id)
        granted = None if record.granted is None else frozenset(record.granted)
        plain = not grants and (since, until) == (-FOREVER, FOREVER)
        holder = Holder(self._role_set(held), grants, granted, plain, since, until)
        if self._subjects >= self._limits.subjects:
            self._forget_subjects()
        self._subjects += 1
        self.holders.setdefault(type, {})[id] = holder
        return holder

    def grants(self, holder: Holder, type: int, id: str | None, now: float) -> list[GrantRecord]:
        """The grants of a subject on a resource that are in force at `now`, whatever their actions, by id (P4)."""
        if id is None or not may_be_granted(holder, type, id):
            return []
        return [grant for grant in self.state.grants(holder.grants, type, id) if now < grant.expires]

    def granted(self, holder: Holder, type: int) -> Iterable[str]:
        """The ids of the resources of a type on which a subject may have grants, in order."""
        if holder.granted is None:
            return self.state.granted(holder.grants, type)
        return sorted(id for number, id in holder.granted if number == type)

    def _group(self, number: int) -> GroupRecord:
        group = self._groups.get(number)
        if group is None:
            group = self._groups[number] = self.state.group(number)
        return group

    def _role_set(self, held: dict[int, PolicyPath]) -> RoleSet:
        key = tuple(sorted(held.items()))
        known = self.rules.known(key)
        if known is not None:
            return known
        if self.rules.full:
            self.rules.forget()
            self._forget_subjects()  # they hold on to sets of roles that are forgotten
        return self.rules.role_set(key)


def may_be_granted(holder: Holder, type: int, id: str) -> bool:
    """Whether it is worth looking for grants on a resource, expired ones included."""
    return bool(holder.grants) and (holder.granted is None or (type, id) in holder.granted)


def _in_force(holdings: list[Holding], now: float) -> tuple[dict[int, PolicyPath], float, float]:
    """The roles held at `now` with their paths, the later ones of `holdings` winning, and from when until when."""
    held: dict[int, PolicyPath] = {}
    since, until = -FOREVER, FOREVER
    for holding, path in holdings:
        if now < holding.expires:
            held[holding.role] = path
            until = min(until, holding.expires)
        else:
            since = max(since, holding.expires)
    return held, since, until
