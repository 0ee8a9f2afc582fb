"""A snapshot: one state of program and facts, which a request keeps from its start to its end.

It caches what it computes from the state: the holder of each subject, and the specialised program of each
(set of roles, type, action).
"""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

from ..bundles.event_loop import refuse_on_event_loop
from ..bundles.extensions import STRICT
from ..bundles.file.fact_records import Granted, GrantRecord, GroupRecord, HoldingRecord, SubjectRecord, prefix_of
from ..bundles.program.facts import EntityKey, GrantHolder
from .effort import MOST_GRANTING, MOST_HELD, effort_for
from .limits import CacheLimits, CacheSizes
from .routing.routed import Routed
from .rules.memberships import NO_GROUPS, Memberships
from .rules.plan import Plan
from .rules.reasons import AccessPath, PolicyPath
from .rules.rule import RoleSet
from .specialisation_cache import SpecialisationCache
from .state.apply_deltas import Invalidated
from .state.state import State
from .strictness.strict_requests import StrictRequests

FOREVER = float("inf")

NO_PLANS: Final[dict[str, dict[str, dict[RoleSet, Plan]]]] = {}
"""PERF: so the shortest way of a decision, which looks for its plan first, need not ask whether a request is strict."""

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


class GrantsOf(NamedTuple):
    """The grants of a subject itself, or of one of its groups (P4, P7)."""

    prefix: str
    """The holder's part of the keys of the grants."""
    listed: frozenset[tuple[int, str]] | None
    """The resources that have some of these grants, by the type's number and id; None if they are many."""
    group: str | None = None
    """The id of the group, or None if these are the grants of the subject itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Holder:
    """The roles and direct grants of a subject, valid at instants with `since` <= now < `until` (P4).

    A `plain` holder has no grants, nor do its groups, and none of its roles starts or expires.
    """

    roles: RoleSet
    grants: tuple[GrantsOf, ...] = ()
    """Its own grants, if it has some, and those of each of its groups that has some."""
    plain: bool = True
    since: float = -FOREVER
    until: float = FOREVER
    memberships: Memberships = NO_GROUPS


class Snapshot:
    """Facts and rules as decisions need them. It is thread-safe and fork-safe: its caches can be computed again.

    `holders` caches holders by the subject's type and id. `plans` are those of `rules`. A snapshot that `is_strict` has
    none at hand, so each request is checked before it is decided (E8).

    PERF: reading two dictionaries of strings takes half the time of one dictionary of pairs. A full cache is emptied:
    computing a holder again costs less than tracking which is the oldest.
    """

    def __init__(
        self, state: State, limits: CacheLimits, rules: SpecialisationCache | None = None, strict: bool = False
    ):
        """With `strict`, requests are checked against the declarations, as if the model asked for that (E8)."""
        self.state = state
        self.rules = rules or SpecialisationCache.of(state, limits)
        self._opened_strict = strict
        self.is_strict = strict or state.manifest.requests == STRICT
        self.plans = NO_PLANS if self.is_strict else self.rules.plans
        self.routed = Routed(state.routing)
        """The routes and the gateway settings."""
        self.filter_answers: dict[tuple[object, bytes], bytes] = {}
        """The JSON of filters by the bodies that ask for them, each with its reader; see `cached_filters`."""
        self._type_names: dict[str, str] | None = None
        self._limits = limits
        self._groups: dict[int, GroupRecord] = {}
        self._grants_of_groups: dict[str, GrantsOf] = {}
        self._clear_subjects()

    def _clear_subjects(self) -> None:
        self.unregistered = Holder(self.rules.no_roles)
        """The holder for an unregistered subject: no role, no group, no grant (E3)."""
        self.holders: dict[str, dict[str, Holder]] = {}
        self._memberships: dict[tuple[int, ...], Memberships] = {}
        self._later: dict[Holder, Holder] = {}
        self._subjects = self._held_grants = 0
        self.covering: dict[tuple[str, int, str], GrantsFound] = {}
        """The cached answers whether some grant covers an action on a type.

        The keys are the prefix of the grants, the type's number and the action.
        """

    def updated(self, state: State, invalidated: Invalidated) -> "Snapshot":
        """Returns the snapshot of a later state, with everything cached here that is still valid.

        The holders are copied, not shared: a request with this snapshot may still add a holder of the old state. A
        cache has at most 65,536 holders, and copying them takes a millisecond.
        """
        rules = self.rules.updated(state, invalidated.types, invalidated.clauses)
        later = Snapshot(state, self._limits, rules, self._opened_strict)
        if "strict_requests" in self.__dict__:  # no delta changes what is declared
            later.strict_requests = self.strict_requests.with_types(rules.types)
        if not invalidated.routing:
            later.routed = self.routed
        if not invalidated.groups:
            later.holders = {type: holders.copy() for type, holders in list(self.holders.items())}
            for type, id in invalidated.subjects:
                later.holders.get(type, {}).pop(id, None)
            later._subjects, later._held_grants = sum(map(len, later.holders.values())), self._held_grants
            later._groups, later._memberships = self._groups.copy(), self._memberships.copy()
            later._grants_of_groups = self._grants_of_groups.copy()
            if not invalidated.types:  # what grants cover depends on the types
                changed = {prefix_of(EntityKey(*key)) for key in invalidated.subjects}
                later.covering = {key: found for key, found in list(self.covering.items()) if key[0] not in changed}
        return later

    @cached_property
    def strict_requests(self) -> StrictRequests:
        """The checks of strict requests (E8). PERF: made at the first use, since most engines need none."""
        return StrictRequests(self.state.declarations(), self.rules.types)

    @cached_property
    def checked(self) -> "Snapshot":
        """The snapshot for requests that are checked already. It shares all caches."""
        other = copy(self)
        other.is_strict, other.plans = False, other.rules.plans
        return other

    def opened(self, strict: bool) -> "Snapshot":
        """Returns the snapshot of an engine that was opened as `strict` or not. Another one has empty caches."""
        if strict == self._opened_strict:
            return self
        other = Snapshot(self.state, self._limits, self.rules, strict)
        other.routed = self.routed
        return other

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
        held = len(holder.grants)
        if self._subjects >= self._limits.subjects or self._held_grants + held > self._limits.held_grants:
            self._clear_subjects()
        self._subjects += 1
        self._held_grants += held
        self.holders.setdefault(type, {})[id] = holder
        return holder

    def holder_at(self, type: str, id: str, now: float) -> Holder:
        """Computes the holder of a subject at an instant that may lie ahead. It is not cached."""
        record = self.state.subject(type, id)
        if record is None:
            return self.unregistered
        direct: list[Holding] = [(held, _ROLE) for held in record.holdings]
        groups = tuple(self._groups_of(record, (type, id)))
        inherited: list[Holding] = [(held, _GROUP) for group in groups for held in group.holdings]
        held, since, until = _in_force([*inherited, *direct], now)
        own = () if record.granted == () else (_grants_of(EntityKey(type, id), record.granted),)
        grants = (*own, *(self._grants_of_group(group) for group in groups if group.granted != ()))
        plain = not grants and (since, until) == (-FOREVER, FOREVER)
        memberships = self._memberships.setdefault(record.groups, Memberships(groups)) if groups else NO_GROUPS
        return Holder(self._role_set(held), grants, plain, since, until, memberships)

    def holder_after(self, type: str, id: str, holder: Holder) -> Holder:
        """Returns the holder of a subject whose `holder` ends, at that instant. It is cached."""
        found = self._later.get(holder)
        if found is None:
            found = self.holder_at(type, id, holder.until)
            if len(self._later) >= self._limits.subjects:
                self._later.clear()
            self._later[holder] = found
        return found

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
        """Returns the grants on a resource that are in force at `now`; see `grants_on`."""
        if id is None or not holder.grants:
            return []
        return [grant for grant in self.grants_on(holder, type, id) if grant.starts <= now < grant.expires]

    def grants_on(self, holder: Holder, type: int, id: str) -> Sequence[GrantRecord]:
        """Returns the grants of a subject and its groups on a resource, for any actions, by id (P4, P7).

        Those that are not in force are among them. Raises TakesLong on an event loop, if many groups have grants.
        """
        if len(holder.grants) > MOST_GRANTING:
            refuse_on_event_loop()
        found: Sequence[GrantRecord] = ()
        for prefix, listed, _ in holder.grants:
            if listed is None or (type, id) in listed:
                grants = self.state.grants(prefix, type, id)
                found = sorted((*found, *grants), key=attrgetter("id")) if found else grants
        return found

    def groups_with_grants(self, holder: Holder, type: int, id: str) -> dict[str, str]:
        """Returns the group of each grant on a resource that a group of the subject has, by the id of the grant."""
        return {
            grant.id: group
            for prefix, listed, group in holder.grants
            if group is not None and (listed is None or (type, id) in listed)
            for grant in self.state.grants(prefix, type, id)
        }

    def granted(self, grants: GrantsOf, type: int) -> Iterable[str]:
        """Returns the ids of the resources of a type that may have some of these grants, in order."""
        if grants.listed is None:
            return self.state.granted(grants.prefix, type)
        return sorted(id for number, id in grants.listed if number == type)

    def _grants_of_group(self, group: GroupRecord) -> GrantsOf:
        """Returns the grants of a group. PERF: all members share one object."""
        found = self._grants_of_groups.get(group.id)
        if found is None:
            found = self._grants_of_groups[group.id] = _grants_of(group.id, group.granted)
        return found

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


def _grants_of(holder: GrantHolder, granted: Granted) -> GrantsOf:
    listed = None if granted is None else frozenset(granted)
    return GrantsOf(prefix_of(holder), listed, holder if isinstance(holder, str) else None)


def may_be_granted(holder: Holder, type: int, id: str) -> bool:
    """Returns whether a holder may have grants on a resource, in force or not."""
    for _, listed, _ in holder.grants:  # noqa: SIM110 - PERF: a generator takes three times as long
        if listed is None or (type, id) in listed:
            return True
    return False


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
