"""Interning: equal parts of a model become one object, so that a million grants fit in memory."""

from collections.abc import Callable
from typing import Any, TypeAlias, assert_never

from msgspec.structs import replace

from ...bundles.conditions.values import Json
from ..model.elements import Assignment, Element, ElementKind, Grant, Resource, ResourceRef, Subject, SubjectRef

MAX_SHARED_STRINGS = 65_536
"""The number of strings that are remembered."""

MAX_SHARED_CHARACTERS = 64
"""The length of the longest string that is remembered."""

Intern: TypeAlias = Callable[[Any], Element]
"""Returns an equal element that shares its parts with earlier ones."""


class Interner:
    """Remembers the parts of elements, and returns the first of several equal parts."""

    def __init__(self) -> None:
        self._strings: dict[str, str] = {}
        self._subjects: dict[SubjectRef, SubjectRef] = {}
        self._actions: dict[tuple[str, ...], tuple[str, ...]] = {}

    def for_list(self, name: str) -> Intern | None:
        """Returns the function that interns the elements of a list, or None if interning it would save little."""
        kind = ElementKind(name)
        match kind:
            case ElementKind.GRANTS:
                return self._grant
            case ElementKind.ASSIGNMENTS:
                return self._assignment
            case ElementKind.SUBJECTS | ElementKind.RESOURCES:
                return self._entity
            case (
                ElementKind.EXTENSIONS
                | ElementKind.REQUESTS
                | ElementKind.RESOURCE_TYPES
                | ElementKind.ROLES
                | ElementKind.GROUPS
                | ElementKind.POLICIES
                | ElementKind.ROUTES
                | ElementKind.ATTRIBUTES
                | ElementKind.LINTS
            ):
                return None
            case _:
                assert_never(kind)

    def _grant(self, grant: Grant) -> Grant:
        resource = ResourceRef(self._string(grant.resource.type), grant.resource.id)
        actions = self._actions.setdefault(grant.actions, grant.actions)
        starts_at = grant.starts_at and self._string(grant.starts_at)
        expires_at = grant.expires_at and self._string(grant.expires_at)
        return Grant(
            subject=grant.subject and self._subject(grant.subject),
            group=grant.group and self._string(grant.group),
            resource=resource,
            actions=actions,
            id=grant.id,
            starts_at=starts_at,
            expires_at=expires_at,
        )

    def _assignment(self, assignment: Assignment) -> Assignment:
        subject = assignment.subject and self._subject(assignment.subject)
        return replace(assignment, role=self._string(assignment.role), subject=subject)

    def _entity(self, entity: Subject | Resource) -> Subject | Resource:
        attributes = entity.attributes and {
            self._string(name): self._value(value) for name, value in entity.attributes.items()
        }
        return replace(entity, type=self._string(entity.type), attributes=attributes)

    def _subject(self, subject: SubjectRef) -> SubjectRef:
        return self._subjects.setdefault(subject, subject)

    def _value(self, value: Json) -> Json:
        return self._string(value) if isinstance(value, str) else value

    def _string(self, text: str) -> str:
        known = self._strings.get(text)
        if known is None and len(text) <= MAX_SHARED_CHARACTERS and len(self._strings) < MAX_SHARED_STRINGS:
            self._strings[text] = text
        return known or text
