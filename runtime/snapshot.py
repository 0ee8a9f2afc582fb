"""A snapshot: one state of program and facts, which a request keeps from its start to its end.

It caches what it computes from the state: the holder of each subject, and the specialised program of each
(set of roles, type, action).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

from ..bundles.file.fact_records import GrantRecord, GroupRecord, HoldingRecord, SubjectRecord, grants_prefix
from .effort import MOST_HELD, effort_for
from .limits import CacheLimits, CacheSizes
from .routing.routed import Routed
from .rules.reasons import AccessPath, PolicyPath
from .rules.role_set import RoleSet
from .specialisation_cache import SpecialisationCache
from .state.apply_deltas import Invalidated
from .state.state import State

FOREVER = float("inf")

Holding: TypeAlias = tuple[HoldingRecord, PolicyPath]
"""A role that a subject holds, and its path."""

_ROLE: Final = AccessPath.ROLE
_GROUP: Final = AccessPath.GROUP
"""PERF: Python 3.11 takes 0.1 µs to look up a member of an enum."""


class GrantsFound(NamedTuple):
    """True if some direct grant covers an action, at instants with `since` <= now < `until` (P4)."""

    any: bool
    since: float
    until: float


@dataclass(frozen=True, slots=True, eq=False)
class Holder:
    """The roles and direct grants of a subject, valid at instants with `since` <= now < `until` (P4).

    A `plain` holder has no grants, and none of its roles starts or expires.
    """

    roles: RoleSet
    grants: str = ""
    """The subject's part of the keys of its direct grants; empty if it has none."""
    granted: frozenset[tuple[int, str]] | None = frozenset()
    """The resources that have its grants, by the type's number and id; None if they are many."""
    plain: bool = True
    since: float = -FOREVER
    until: float = FOREVER
    direct: dict[tuple[int, str], GrantsFound] = field(default_factory=dict)
    """A cache: whether some grant covers an action on a type, by the type's number and the action."""


class Snapshot:
    """Facts and rules as decisions need them. It is thread-safe and fork-safe: its caches can be computed again.

    `holders` caches holders by the subject's type and id. `plans` are those of `rules`.

    PERF: reading two dictionaries of strings takes half the time of one dictionary of pairs. A full cache is emptied:
    computing a holder again costs less than tracking which is the oldest.
    """

    def __init__(self, state: State, limits: CacheLimits, rules: SpecialisationCache | None = None):
        self.state = state
        self.rules = rules or SpecialisationCache.of(state, limits)
        self.plans = self.rules.plans
        self.routed = Routed(state.routing)
        """The routes and the gateway settings."""
        self._type_names: dict[str, str] | None = None
        self._limits = limits
        self._groups: dict[int, GroupRecord] = {}
        self._clear_subjects()

    def _clear_subjects(self) -> None:
        self.unregistered = Holder(self.rules.no_roles)
        """The holder for an unregistered subject: no role, no group, no grant (E3)."""
        self.holders: dict[str, dict[str, Holder]] = {}
        self._subjects = 0

    def updated(self, state: State, invalidated: Invalidated) -> "Snapshot":
        """Returns the snapshot of a later state, with everything cached here that is still valid.

        The holders are copied, not shared: a request with this snapshot may still add a holder of the old state. A
        cache has at most 65,536 holders, and copying them takes a millisecond.
        """
        later = Snapshot(state, self._limits, self.rules.updated(state, invalidated.types, invalidated.clauses))
        if not invalidated.routing:
            later.routed = self.routed
        if not invalidated.groups:
            later.holders = {type: holders.copy() for type, holders in list(self.holders.items())}
            if invalidated.types:  # what grants cover depends on the types
                _forget_direct(later.holders)
            for type, id in invalidated.subjects:
                later.holders.get(type, {}).pop(id, None)
            later._subjects = sum(map(len, later.holders.values()))
            later._groups = self._groups.copy()
        return later

    @cached_property
    def revision_token(self) -> str | None:
        """See `Engine.revision_token`."""
        manifest, environment = self.state.manifest, self.state.manifest.environment
        return None if environment is None else f"{environment.uuid}.{manifest.epoch}.{self.state.revision}"

    def cache_sizes(self) -> CacheSizes:
        """Returns the entries of the caches."""
        filters, role_sets, programs = self.rules.sizes()
        return CacheSizes(filters, self._subjects, role_sets, programs)

    def type_names(self) -> dict[str, str]:
        """Returns the names of the types by id. PERF: made at the first use, since most engines need none."""
        if self._type_names is None:
            self._type_names = {type.id: type.name for type in self.state.types if type is not None}
        return self._type_names

    def holder(self, type: str, id: str, now: float) -> Holder:
        """Computes the holder of a subject at `now`, in epoch seconds, and caches it."""
        holder = self.holder_at(type, id, now)
        if holder is self.unregistered:  # not cached: callers can invent subjects without end
            return holder
        if self._subjects >= self._limits.subjects:
            self._clear_subjects()
        self._subjects += 1
        self.holders.setdefault(type, {})[id] = holder
        return holder

    def holder_at(self, type: str, id: str, now: float) -> Holder:
        """Computes the holder of a subject at an instant that may lie ahead. It is not cached."""
        record = self.state.subject(type, id)
        if record is None:
            return self.unregistered
        direct: list[Holding] = [(held, _ROLE) for held in record.holdings]
        inherited: list[Holding] = [
            (held, _GROUP) for group in self._groups_of(record, (type, id)) for held in group.holdings
        ]
        held, since, until = _in_force([*inherited, *direct], now)
        grants = "" if record.granted == () else grants_prefix(type, id)
        granted = None if record.granted is None else frozenset(record.granted)
        plain = not grants and (since, until) == (-FOREVER, FOREVER)
        return Holder(self._role_set(held), grants, granted, plain, since, until)

    def _groups_of(self, record: SubjectRecord, subject: tuple[str, str]) -> Iterator[GroupRecord]:
        """Yields the groups that a subject is in, directly or not. Raises TakesLong on an event loop."""
        effort = effort_for((self, subject), MOST_HELD)
        seen: set[int] = set()
        for number in record.groups:
            ancestors = self.group(number).ancestors
            effort.spend(1 + len(ancestors))
            seen.update((number, *ancestors))
        for number in seen:
            group = self.group(number)
            effort.spend(1 + len(group.holdings))
            yield group

    def grants(self, holder: Holder, type: int, id: str | None, now: float) -> list[GrantRecord]:
        """Returns the grants of a subject on a resource that are in force at `now`, for any actions, by id (P4)."""
        if id is None or not may_be_granted(holder, type, id):
            return []
        return [grant for grant in self.state.grants(holder.grants, type, id) if grant.starts <= now < grant.expires]

    def granted(self, holder: Holder, type: int) -> Iterable[str]:
        """Returns the ids of the resources of a type on which a subject may have grants, in order."""
        if holder.granted is None:
            return self.state.granted(holder.grants, type)
        return sorted(id for number, id in holder.granted if number == type)

    def group(self, number: int) -> GroupRecord:
        """Returns the group of a number, from the cache if possible."""
        group = self._groups.get(number)
        if group is None:
            group = self._groups[number] = self.state.group(number)
        return group

    def _role_set(self, held: dict[int, PolicyPath]) -> RoleSet:
        key = tuple(sorted(held.items()))
        cached = self.rules.cached_role_set(key)
        if cached is not None:
            return cached
        if self.rules.full:
            self.rules.clear()
            self._clear_subjects()  # their holders have sets of roles that are no longer cached
        return self.rules.role_set(key)


def _forget_direct(holders: dict[str, dict[str, Holder]]) -> None:
    for of_type in holders.values():
        for id, holder in of_type.items():
            if holder.direct:
                of_type[id] = replace(holder, direct={})


def may_be_granted(holder: Holder, type: int, id: str) -> bool:
    """Returns whether a holder may have grants on a resource, in force or not."""
    return bool(holder.grants) and (holder.granted is None or (type, id) in holder.granted)


def _in_force(holdings: list[Holding], now: float) -> tuple[dict[int, PolicyPath], float, float]:
    """Returns the roles held at `now` with their paths, and the bounds of the time in which the subject holds them.

    If several holdings of one role are in force, the last one counts.
    """
    held: dict[int, PolicyPath] = {}
    since, until = -FOREVER, FOREVER
    for holding, path in holdings:
        if now >= holding.expires:
            since = max(since, holding.expires)
        elif now < holding.starts:
            until = min(until, holding.starts)
        else:
            held[holding.role] = path
            since, until = max(since, holding.starts), min(until, holding.expires)
    return held, since, until
