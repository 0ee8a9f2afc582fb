"""Applies deltas to a state: writes each change into the overlay's maps, and collects what caches must drop."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from ...bundles.delta import (
    AliasChange,
    AnyChange,
    Delta,
    GrantsChange,
    GroupChange,
    PolicyChange,
    ResourceChange,
    RoleChange,
    RoutingChange,
    SubjectChange,
    TypeChange,
    clauses_of,
)
from ...bundles.errors import BundleError
from ...bundles.file.fact_records import Granted, GrantRecord, GroupRecord, HoldingRecord, SubjectRecord, prefix_of
from ...bundles.file.rule_index import RuleIndex
from ...bundles.program.clauses import Clause, ResourceType
from ...bundles.program.facts import EntityKey, Holding
from ...bundles.program.laws import IllegalProgram, check_clause
from ...bundles.routing.routing import check_routing
from ...bundles.zones import decode_zone
from .overlay import NONE, Overlay


@dataclass(slots=True)
class Invalidated:
    """The parts of a state that deltas changed. Caches drop what they computed from them."""

    types: set[int] = field(default_factory=set)
    """The numbers of the types whose rules changed."""
    clauses: set[int] = field(default_factory=set)
    """The numbers of the clauses that are gone."""
    subjects: set[tuple[str, str]] = field(default_factory=set)
    """The keys of the subjects whose roles, groups or grants changed."""
    groups: bool = False
    """True if a group or its grants changed, which may change the roles and grants of any subject."""
    routing: bool = False
    """True if the routes or the gateway settings changed."""


def apply_deltas(state: Overlay, deltas: Iterable[Delta]) -> tuple[Overlay, Invalidated]:
    """Returns the state after `deltas`, which follow `state` in order, and what they invalidate.

    Raises BundleError for a delta that does not fit. `state` never changes.
    """
    application = _Application(state)
    for delta in deltas:
        application.apply(delta)
    return application.state, application.invalidated


class _Application:
    """The application of deltas to one state.

    PERF: the maps change in place and become persistent once. Each delta rebuilds an index once for all its policies.
    A copy for each change would make a large delta quadratic.
    """

    def __init__(self, state: Overlay):
        self._before, self._numbering = state, state.numbering
        self._revision, self._types = state.revision, list(state.types)
        self._routing = state.changed_routing
        self._evolving: dict[str, Any] = {}
        self.invalidated = Invalidated()

    @property
    def state(self) -> Overlay:
        """The state after the deltas that were applied so far."""
        maps = {name: evolver.persistent() for name, evolver in self._evolving.items()}
        return replace(
            self._before,
            revision=self._revision,
            types=tuple(self._types),
            changed_routing=self._routing,
            **maps,
        )

    def _map(self, name: str) -> Any:
        """Returns one of the state's maps, for changes."""
        found = self._evolving.get(name)
        if found is None:
            found = self._evolving[name] = getattr(self._before, name).evolver()
        return found

    def apply(self, delta: Delta) -> None:
        if delta.revision <= self._revision:
            raise BundleError(f"the delta of revision {delta.revision} does not follow revision {self._revision}")
        self._revision = delta.revision
        for name, data in delta.zones.items():
            self._map("zones")[name] = decode_zone(name, data)
        for change in delta.changes:
            self._apply(change)
        # After all types, because clauses are checked against them.
        self._policies([change for change in delta.changes if isinstance(change, PolicyChange)])

    def _apply(self, change: AnyChange) -> None:
        match change:
            case TypeChange():
                self._type(change)
            case RoleChange(id):
                self._numbering.role(id)
            case GroupChange():
                self._group(change)
            case SubjectChange():
                self._subject(change)
            case GrantsChange():
                self._grants(change)
            case ResourceChange(key, present):
                self._map("registered")[self._numbering.type(key.type), key.id] = present
            case AliasChange(entity="subject", type=type, alias=alias, id=id):
                self._map("subject_aliases")[EntityKey(type, alias)] = id
            case AliasChange(type=type, kind=kind, alias=alias, id=id):
                self._map("resource_aliases")[self._numbering.type(type), kind, alias] = id
            case RoutingChange(routing):
                check_routing(routing)
                self._routing, self.invalidated.routing = routing, True

    def _type(self, change: TypeChange) -> None:
        number = self._numbering.type(change.id)
        self._types += [None] * (number + 1 - len(self._types))
        self._types[number] = change.type()
        self.invalidated.types.add(number)

    def _policies(self, changes: list[PolicyChange]) -> None:
        """Replaces the clauses of policies, in the indexes of all their types and actions."""
        declared = {type.id: type for type in self._types if type is not None}
        indexing = _Indexing()
        for change in changes:
            for number in self._clause_numbers(change.id):
                indexing.drop(number, self._numbering.clause(number))
                self.invalidated.clauses.add(number)
            clauses = clauses_of(change)
            numbers = tuple(self._numbering.new_clause(clause) for clause in clauses)
            for number, clause in zip(numbers, clauses, strict=True):
                _check(clause, declared)
                indexing.add(number, clause)
            self._map("policies")[change.id] = numbers
        for type, action in indexing.affected:
            number = self._numbering.type(type)
            self.invalidated.types.add(number)
            self._map("recounted")[number] = True
            index = indexing.indexed(self._rules(number, action), (type, action), self._numbering.role)
            self._map("indexes")[number, action] = index

    def _clause_numbers(self, policy: str) -> tuple[int, ...]:
        changed: tuple[int, ...] | None = self._changed("policies", policy)
        return self._before.bundle.clause_numbers(policy) if changed is None else changed

    def _changed(self, name: str, key: Any) -> Any:
        evolver = self._map(name)
        return evolver[key] if key in evolver else None  # noqa: SIM401 - an evolver has no get

    def _rules(self, type: int, action: str) -> RuleIndex:
        changed: RuleIndex | None = self._changed("indexes", (type, action))
        return self._before.bundle.rules(type, action) if changed is None else changed

    def _group(self, change: GroupChange) -> None:
        ancestors = tuple(sorted(map(self._numbering.group, change.ancestors)))
        record = GroupRecord(change.id, ancestors, self._held(change.holdings), self._granted(change.granted))
        self._map("groups")[self._numbering.group(change.id)] = record
        self.invalidated.groups = True

    def _subject(self, change: SubjectChange) -> None:
        self.invalidated.subjects.add(change.key)
        record = None
        if change.present:
            record = SubjectRecord(
                groups=tuple(sorted(map(self._numbering.group, change.groups))),
                holdings=self._held(change.holdings),
                granted=self._granted(change.granted),
            )
        self._map("subjects")[tuple(change.key)] = record

    def _held(self, holdings: Iterable[Holding]) -> tuple[HoldingRecord, ...]:
        return tuple(HoldingRecord(self._numbering.role(role), expires, starts) for role, expires, starts in holdings)

    def _granted(self, granted: tuple[EntityKey, ...] | None) -> Granted:
        return None if granted is None else tuple((self._numbering.type(key.type), key.id) for key in granted)

    def _grants(self, change: GrantsChange) -> None:
        if isinstance(change.holder, str):
            self.invalidated.groups = True
        else:
            self.invalidated.subjects.add(change.holder)
        records = tuple(
            GrantRecord(grant.id, self._numbering.actions(frozenset(grant.actions)), grant.expires, grant.starts)
            for grant in change.grants
        )
        place = prefix_of(change.holder), self._numbering.type(change.resource.type)
        self._map("changed_grants")[*place, change.resource.id] = records
        resources = self._changed("changed_resources", place) or NONE
        self._map("changed_resources")[place] = resources.add(change.resource.id)


class _Indexing:
    """The clauses that a delta removes from the indexes of (type, action), and those that it adds."""

    def __init__(self) -> None:
        self._dropped: dict[tuple[str, str], set[int]] = defaultdict(set)
        self._added: dict[tuple[str, str], list[tuple[int, Clause]]] = defaultdict(list)

    @property
    def affected(self) -> set[tuple[str, str]]:
        return {*self._dropped, *self._added}

    def drop(self, number: int, clause: Clause) -> None:
        for place in product(clause.types, clause.actions):
            self._dropped[place].add(number)

    def add(self, number: int, clause: Clause) -> None:
        for place in product(clause.types, clause.actions):
            self._added[place].append((number, clause))

    def indexed(self, index: RuleIndex, place: tuple[str, str], role_number: Callable[[str], int]) -> RuleIndex:
        """Returns an index after the changes to it."""
        dropped = self._dropped[place]
        everyone = [number for number in index.everyone if number not in dropped]
        by_role = {role: [n for n in numbers if n not in dropped] for role, numbers in index.by_role.items()}
        for number, clause in self._added[place]:
            if clause.roles is None:
                everyone.append(number)
            for role in clause.roles or ():
                by_role.setdefault(role_number(role), []).append(number)
        return RuleIndex(tuple(everyone), {role: tuple(numbers) for role, numbers in by_role.items() if numbers})


def _check(clause: Clause, declared: dict[str, ResourceType]) -> None:
    try:
        check_clause(clause, declared)
    except IllegalProgram as ex:
        raise BundleError(f"a delta does not fit: {ex}") from None
