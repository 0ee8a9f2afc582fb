"""The things that a write affects: everything whose state in the program or the facts may change."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol, assert_never

from ....bundles.program.facts import EntityKey, GrantHolder
from ....compiler.lowering.lower import EVERYTHING
from ....compiler.model.declared import required_keys
from ....compiler.model.elements import (
    Assignment,
    DeclaredAttributes,
    Element,
    ElementKind,
    Extensions,
    Grant,
    Group,
    Resource,
    ResourceType,
    Subject,
)
from ....compiler.model.normal_form import canonical_json, normalised
from ..database.connection import Connection
from ..errors import ElementKey

_DECLARING: Final = (ElementKind.RESOURCE_TYPES, ElementKind.ATTRIBUTES)
"""The kinds of elements that declare attributes."""

MAX_CHANGES = 1_000
"""The most changed elements of a delta. A commit with more gives a new bundle (design, "The bundle file")."""

MAX_STATES = 10_000
"""The most affected things of a delta. A grant affects three, a type all policies and grants on it that name `*`."""


class Alias(NamedTuple):
    """Another identifier of an entity of `type`. `entity` says subject or resource, `kind` which identifier it is."""

    entity: str
    type: str
    kind: str
    alias: str


class ChangedElement(Protocol):
    """A changed element."""

    kind: ElementKind
    key: ElementKey

    def element_before(self) -> Element | None:
        """Returns the element as it was."""

    def element_after(self) -> Element | None:
        """Returns the element as it is now."""


class TooManyAffected(Exception):
    """A write affects more things than a delta holds."""


@dataclass(slots=True)
class Affected:
    """The affected things, by their keys. `pairs` are holders and resources between which grants changed."""

    types: set[str] = field(default_factory=set)
    roles: set[str] = field(default_factory=set)
    policies: set[str] = field(default_factory=set)
    groups: set[str] = field(default_factory=set)
    subjects: set[EntityKey] = field(default_factory=set)
    pairs: set[tuple[GrantHolder, EntityKey]] = field(default_factory=set)
    resources: set[EntityKey] = field(default_factory=set)
    aliases: set[Alias] = field(default_factory=set)
    routing: bool = False
    """True if the routes or the gateway settings changed."""

    def check_size(self) -> None:
        """Raises TooManyAffected."""
        if sum(len(found) for name in self.__slots__ if isinstance(found := getattr(self, name), set)) > MAX_STATES:
            raise TooManyAffected


def affected_by(db: Connection, environment: int, changes: Iterable[ChangedElement]) -> Affected:
    """Returns the things that written changes affect. Raises TooManyAffected as soon as there are too many."""
    finder = _AffectedFinder(db, environment)
    for change in changes:
        finder.add(change)
        finder.affected.check_size()
    finder.add_groups_below()
    finder.affected.check_size()
    return finder.affected


def changes_declarations(change: ChangedElement) -> bool:
    """Returns whether a change declares other attributes. A bundle has them, and no delta changes them (E8)."""
    return change.kind in _DECLARING and _declared(change.element_before()) != _declared(change.element_after())


def _declared(element: Element | None) -> bytes | None:
    """Returns the attributes that a resource type, or the one object of the others, declares; None if there are none.

    An empty object of them declares something: that there are none.
    """
    if isinstance(element, ResourceType):
        return None if element.attributes is None else canonical_json(normalised(element).attributes)
    if isinstance(element, DeclaredAttributes) and element != DeclaredAttributes():
        return canonical_json(normalised(element))
    return None


def _required(element: Element | None) -> tuple[str, ...]:
    return required_keys([element]) if isinstance(element, DeclaredAttributes) else ()


def _names(element: Element | None) -> frozenset[str]:
    return frozenset(element.names if isinstance(element, Extensions) else ())


class _AffectedFinder:
    def __init__(self, db: Connection, environment: int):
        self._db, self._environment = db, environment
        self._moved: set[str] = set()
        self.affected = Affected()

    def add(self, change: ChangedElement) -> None:
        before, after = change.element_before(), change.element_after()
        id = change.key[-1]
        match change.kind:
            case ElementKind.POLICIES:
                self.affected.policies.add(id)
            case ElementKind.ROLES:
                self.affected.roles.add(id)
            case ElementKind.RESOURCE_TYPES:
                self._type(id, before, after)
            case ElementKind.GROUPS:
                self._group(id, before, after)
            case ElementKind.SUBJECTS | ElementKind.RESOURCES | ElementKind.ASSIGNMENTS | ElementKind.GRANTS:
                for element in (before, after):
                    self._fact(element)
            case ElementKind.ROUTES:
                self.affected.routing = True
            case ElementKind.ATTRIBUTES:
                if _required(before) != _required(after):
                    raise TooManyAffected  # what each request has to send affects all policies (C12)
            case ElementKind.EXTENSIONS:
                if _names(before) != _names(after):
                    raise TooManyAffected  # the manifest of a bundle has them, and no delta changes it
            case ElementKind.REQUESTS:
                raise TooManyAffected  # the same
            case ElementKind.LINTS:
                pass  # they decide nothing
            case _:
                assert_never(change.kind)

    def add_groups_below(self) -> None:
        """Add the groups whose ancestors changed: the moved ones, and the groups in them, to any depth."""
        query = "SELECT member FROM group_groups WHERE environment = ? AND group_id = ? LIMIT ?"
        waiting, seen = [*self._moved], set(self._moved)
        while waiting:
            new = self._column(query, waiting.pop(), MAX_STATES + 1) - seen
            waiting += new
            seen |= new
            if len(seen) > MAX_STATES:
                raise TooManyAffected
        self.affected.groups |= seen

    def _fact(self, element: Element | None) -> None:
        affected = self.affected
        match element:
            case Subject(type, id, external_id):
                affected.subjects.add(EntityKey(type, id))
                if external_id is not None:
                    affected.aliases.add(Alias("subject", type, "external_id", external_id))
            case Resource(type, id, external_id, name):
                affected.resources.add(EntityKey(type, id))
                if external_id is not None:
                    affected.aliases.add(Alias("resource", type, "external_id", external_id))
                if name is not None:
                    affected.aliases.add(Alias("resource", type, "name", name))
            case Assignment(group=str(group)):
                affected.groups.add(group)
            case Assignment(subject=subject) if subject is not None:
                affected.subjects.add(EntityKey(subject.type, subject.id))
            case Grant(subject=subject, group=group, resource=resource):
                self._pair(
                    group or "" if subject is None else EntityKey(subject.type, subject.id),
                    EntityKey(resource.type, resource.id),
                )

    def _pair(self, holder: GrantHolder, resource: EntityKey) -> None:
        if isinstance(holder, str):
            self.affected.groups.add(holder)
        else:
            self.affected.subjects.add(holder)
        self.affected.resources.add(resource)
        self.affected.pairs.add((holder, resource))

    def _group(self, id: str, before: Element | None, after: Element | None) -> None:
        assert before is None or isinstance(before, Group)
        assert after is None or isinstance(after, Group)
        self.affected.groups.add(id)
        members_before = set(before.members if before else ())
        for member in members_before ^ set(after.members if after else ()):
            if member.group is not None:
                self._moved.add(member.group)
            elif member.type is not None and member.id is not None:
                self.affected.subjects.add(EntityKey(member.type, member.id))

    def _type(self, id: str, before: Element | None, after: Element | None) -> None:
        """Add a type. If its actions changed, add each use of `*`; if it is closed now, add its instances (E7)."""
        assert before is None or isinstance(before, ResourceType)
        assert after is None or isinstance(after, ResourceType)
        self.affected.types.add(id)
        if not (before and after and set(before.actions) == set(after.actions)):
            query = "SELECT policy_id FROM policy_types WHERE environment = ? AND type IN (?, ?) LIMIT ?"
            self.affected.policies |= self._column(query, id, EVERYTHING, MAX_STATES + 1)
            self._wildcard_grants(id)
        if before and after and before.attributes != after.attributes:  # routes read values as the declared types (C11)
            query = "SELECT 1 FROM routes WHERE environment = ? AND resource_type = ? LIMIT 1"
            self.affected.routing = self.affected.routing or bool(self._rows(query, id))
        if before and after and after.closed and not before.closed:
            query = """SELECT id FROM resources WHERE environment = ?1 AND type = ?2 UNION
                SELECT resource_id FROM grants WHERE environment = ?1 AND resource_type = ?2 LIMIT ?3"""
            self.affected.resources |= {EntityKey(id, found) for found in self._column(query, id, MAX_STATES + 1)}

    def _wildcard_grants(self, type: str) -> None:
        query = """SELECT subject_type, subject_id, group_id, resource_id FROM grants
            WHERE environment = ? AND resource_type = ? AND wildcard = 1 LIMIT ?"""
        for subject_type, subject_id, group, resource_id in self._rows(query, type, MAX_STATES + 1):
            holder = EntityKey(subject_type, subject_id) if group is None else group
            self._pair(holder, EntityKey(type, resource_id))

    def _rows(self, query: str, *values: str | int) -> list[tuple[Any, ...]]:
        return self._db.execute(query, (self._environment, *values)).fetchall()

    def _column(self, query: str, *values: str | int) -> set[str]:
        return {value for (value,) in self._rows(query, *values)}
