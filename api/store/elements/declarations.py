"""The elements that other elements refer to: what a check needs of the rest of a model."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from ....compiler.lowering.lower import EVERYTHING
from ....compiler.model.elements import (
    Assignment,
    Element,
    ElementKind,
    Grant,
    Group,
    Policy,
    Resource,
    Role,
    Route,
)
from ..database.connection import Connection
from .element_bodies import element_of
from .kinds import Reference
from .tables import TABLES

DECLARING = (ElementKind.RESOURCE_TYPES, ElementKind.ROLES, ElementKind.GROUPS)
"""The kinds that other elements refer to by id."""

MAX_NEAR = 10_000
"""The most declared names among which a similar name is looked for."""

_SHORT: dict[ElementKind, Callable[[str], Element]] = {ElementKind.ROLES: Role, ElementKind.GROUPS: Group}
_EVERY_TYPE: Reference = (ElementKind.RESOURCE_TYPES, (EVERYTHING,))

_OF_CONDITIONS: tuple[Reference, ...] = tuple(
    (kind, (kind.value,)) for kind in (ElementKind.ATTRIBUTES, ElementKind.EXTENSIONS)
)
"""The single members of the model that the conditions of policies refer to."""


def declared(db: Connection, environment: int, references: Iterable[Reference]) -> dict[str, list[Element]]:
    """Returns the existing elements among the references. Roles and groups have their ids alone.

    `environment` is the number of the environment.
    """
    found: dict[str, list[Element]] = defaultdict(list)
    for name, key in references:
        row = TABLES[name].find(db, environment, key)
        if row is not None:
            short = _SHORT.get(name)
            found[name].append(short(key[0]) if short else element_of(name, row.body))
    return found


def referred(db: Connection, environment: int, elements: Iterable[Element | None]) -> set[Reference]:
    """Returns the references of elements. The type `*` stands for all types."""
    found = {reference for element in elements for reference in _references(element)}
    if _EVERY_TYPE in found:
        found |= set(all_of(db, environment, ElementKind.RESOURCE_TYPES, limit=None))
    return found - {_EVERY_TYPE}


def all_declared(db: Connection, environment: int) -> set[Reference]:
    """Returns all possible references, except those to lists too long for a search."""
    found = {name: set(all_of(db, environment, name, MAX_NEAR + 1)) for name in DECLARING}
    return {reference for many in found.values() if len(many) <= MAX_NEAR for reference in many}


def all_of(db: Connection, environment: int, name: ElementKind, limit: int | None) -> Iterator[Reference]:
    """Returns references to the elements of a list, `limit` at most, or all."""
    bound = "" if limit is None else f" LIMIT {limit}"
    rows = db.execute(f"SELECT id FROM {name} WHERE environment = ?{bound}", (environment,))
    return ((name, key) for key in rows.fetchall())


def _references(element: Element | None) -> Iterator[Reference]:
    match element:
        case Policy():
            yield from (
                (ElementKind.ROLES, (role,)) for role in (*(element.roles or ()), *(element.except_roles or ()))
            )
            yield from ((ElementKind.RESOURCE_TYPES, (scope.resource_type_id,)) for scope in element.resource_types)
            if element.conditions is not None:
                yield from _OF_CONDITIONS
        case Assignment():
            yield ElementKind.ROLES, (element.role,)
            if element.group is not None:
                yield ElementKind.GROUPS, (element.group,)
        case Group():
            yield from ((ElementKind.GROUPS, (member.group,)) for member in element.members if member.group is not None)
        case Grant():
            yield ElementKind.RESOURCE_TYPES, (element.resource.type,)
            if element.group is not None:
                yield ElementKind.GROUPS, (element.group,)
        case Resource():
            yield ElementKind.RESOURCE_TYPES, (element.type,)
        case Route():
            yield ElementKind.RESOURCE_TYPES, (element.resource_type,)
