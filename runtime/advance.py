"""Advances a state by deltas: each change put into the overlay's maps, and what is touched told to who remembers."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from bundles.delta import (
    AliasChange,
    AnyChange,
    Delta,
    GrantsChange,
    GroupChange,
    PolicyChange,
    ResourceChange,
    RoleChange,
    SubjectChange,
    TypeChange,
    clauses_of,
)
from bundles.errors import BundleError
from bundles.fact_codec import GrantRecord, GroupRecord, Held, SubjectRecord, grants_prefix
from bundles.facts import Holding, Key
from bundles.laws import IllegalProgram, check_clause
from bundles.program import Clause, ResourceType
from bundles.rule_codec import RuleIndex
from bundles.zones import decode_zone
from runtime.overlay import Overlay


@dataclass(slots=True)
class Touched:
    """What deltas changed, for those who remember what they worked out from it.

    `types` are numbers of types whose rules changed, `subjects` keys; `groups` says that any subject may be concerned.
    """

    types: set[int] = field(default_factory=set)
    subjects: set[tuple[str, str]] = field(default_factory=set)
    groups: bool = False


def advance(state: Overlay, deltas: Iterable[Delta]) -> tuple[Overlay, Touched]:
    """The state after `deltas`, which follow it in order.

    Raises BundleError for a delta that does not fit; `state` is as it was.
    """
    advancing = _Advancing(state)
    for delta in deltas:
        advancing.apply(delta)
    return advancing.state, advancing.touched


class _Advancing:
    def __init__(self, state: Overlay):
        self.state = state
        self.touched = Touched()

    def apply(self, delta: Delta) -> None:
        if delta.revision <= self.state.revision:
            raise BundleError(f"the delta of revision {delta.revision} does not follow revision {self.state.revision}")
        zones = {name: decode_zone(name, data) for name, data in delta.zones.items()}
        self.state = replace(self.state, revision=delta.revision, zones=self.state.zones.update(zones))
        # Types and roles first, policies by them; who holds what comes last.
        for change in sorted(delta.changes, key=lambda change: not isinstance(change, TypeChange)):
            self._apply(change)

    def _apply(self, change: AnyChange) -> None:
        match change:
            case TypeChange():
                self._type(change)
            case RoleChange(id):
                self.state.numbering.role(id)
            case PolicyChange():
                self._policy(change)
            case GroupChange():
                self._group(change)
            case SubjectChange():
                self._subject(change)
            case GrantsChange():
                self._grants(change)
            case ResourceChange(key, present):
                self._put("registered", (self._type_number(key.type), key.id), present)
            case AliasChange(entity="subject", type=type, alias=alias, id=id):
                self._put("subject_aliases", Key(type, alias), id)
            case AliasChange(type=type, kind=kind, alias=alias, id=id):
                self._put("resource_aliases", (self._type_number(type), kind, alias), id)

    def _put(self, name: str, key: Any, value: Any) -> None:
        self.state = replace(self.state, **{name: getattr(self.state, name).set(key, value)})

    def _type_number(self, id: str) -> int:
        return self.state.numbering.type(id)

    def _type(self, change: TypeChange) -> None:
        number = self._type_number(change.id)
        types = list(self.state.types)
        types += [None] * (number + 1 - len(types))
        types[number] = change.type()
        self.touched.types.add(number)
        self.state = replace(self.state, types=tuple(types))

    def _policy(self, change: PolicyChange) -> None:
        numbering = self.state.numbering
        for number in self.state.clause_numbers(change.id):
            self._index(number, numbering.clause(number), present=False)
        clauses = clauses_of(change)
        numbers = tuple(numbering.new_clause(clause) for clause in clauses)
        declared = {type.id: type for type in self.state.types if type is not None}
        for number, clause in zip(numbers, clauses, strict=True):
            _check(clause, declared)
            self._index(number, clause, present=True)
        self._put("policies", change.id, numbers)

    def _index(self, number: int, clause: Clause, present: bool) -> None:
        """Put a clause into the indexes of all its types and actions, or take it out."""
        roles = None if clause.roles is None else [self.state.numbering.role(role) for role in clause.roles]
        indexes, recounted = self.state.indexes.evolver(), self.state.recounted.evolver()
        for type in map(self._type_number, clause.types):
            self.touched.types.add(type)
            recounted[type] = True
            for action in clause.actions:
                indexes[type, action] = _indexed(self.state.rules(type, action), number, roles, present)
        self.state = replace(self.state, indexes=indexes.persistent(), recounted=recounted.persistent())

    def _group(self, change: GroupChange) -> None:
        numbering = self.state.numbering
        ancestors = tuple(sorted(map(numbering.group, change.ancestors)))
        record = GroupRecord(change.id, ancestors, self._held(change.holdings))
        self._put("groups", numbering.group(change.id), record)
        self.touched.groups = True

    def _subject(self, change: SubjectChange) -> None:
        self.touched.subjects.add(change.key)
        record = None
        if change.present:
            granted = change.granted
            record = SubjectRecord(
                groups=tuple(sorted(map(self.state.numbering.group, change.groups))),
                holdings=self._held(change.holdings),
                granted=None if granted is None else tuple((self._type_number(key.type), key.id) for key in granted),
            )
        self._put("subjects", tuple(change.key), record)

    def _held(self, holdings: Iterable[Holding]) -> tuple[Held, ...]:
        return tuple(Held(self.state.numbering.role(role), expires) for role, expires in holdings)

    def _grants(self, change: GrantsChange) -> None:
        self.touched.subjects.add(change.subject)
        numbering = self.state.numbering
        records = tuple(
            GrantRecord(grant.id, numbering.actions(frozenset(grant.actions)), grant.expires) for grant in change.grants
        )
        prefix = grants_prefix(*change.subject)
        self._put("changed_grants", (prefix, self._type_number(change.resource.type), change.resource.id), records)


def _check(clause: Clause, declared: dict[str, ResourceType]) -> None:
    try:
        check_clause(clause, declared)
    except IllegalProgram as ex:
        raise BundleError(f"a delta does not fit: {ex}") from None


def _indexed(index: RuleIndex, number: int, roles: list[int] | None, present: bool) -> RuleIndex:
    def put(numbers: tuple[int, ...]) -> tuple[int, ...]:
        others = tuple(other for other in numbers if other != number)
        return (*others, number) if present else others

    if roles is None:
        return RuleIndex(put(index.everyone), index.by_role)
    by_role = dict(index.by_role)
    for role in roles:
        by_role[role] = put(by_role.get(role, ()))
    return RuleIndex(index.everyone, by_role)
