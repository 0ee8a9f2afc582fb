"""The lists of a model as tables: an element's columns, and its parts in separate tables."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from ....bundles.conditions.instants import parse_instant, seconds_not_before
from ....bundles.conditions.values import is_text
from ....bundles.wording import quoted
from ....compiler.checks.conditions.pattern_sizes import pattern_sizes
from ....compiler.lowering.lower import EVERYTHING
from ....compiler.model.elements import (
    SINGLE_MEMBERS,
    Assignment,
    DeclaredAttributes,
    Element,
    ElementKind,
    Extensions,
    Grant,
    Group,
    Policy,
    Requests,
    Resource,
    ResourceType,
    Role,
    Route,
    SilencedLint,
    Subject,
)
from ..errors import BadQuery, ElementKey, NotFound

Value = str | float | None
Row = tuple[Value, ...]
Reference = tuple[ElementKind, ElementKey]
"""A kind and the key of an element of it."""


@dataclass(frozen=True, slots=True)
class ReferenceTable:
    """A table of an element's references, indexed by both ends."""

    table: str
    owner: str
    columns: tuple[str, ...]
    rows: Callable[[Any], set[Row]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A list of the model document and its table. `values` returns the values of `key` and `columns` together."""

    name: ElementKind
    noun: str
    key: tuple[str, ...]
    columns: tuple[str, ...]
    values: Callable[[Any], Row]
    parts: tuple[ReferenceTable, ...] = ()
    states_key: bool = True
    """True if the key consists of members of the element. If not, it follows from its content."""

    @property
    def stated_key(self) -> tuple[str, ...]:
        """The members of the element that are its key, or none."""
        return self.key if self.states_key else ()

    def key_of(self, element: Element) -> ElementKey:
        """Returns the key of an element that has an id."""
        return tuple(getattr(element, name) for name in self.key)

    def absent(self, key: ElementKey, env: str) -> NotFound:
        """Returns the error if the environment `env` has no element of that key. The key may have any length."""
        of_type = f" of type {quoted(key[0])}" if len(key) > 1 else ""
        id = ":".join(key[1:] or key)
        if self.name in SINGLE_MEMBERS:
            return NotFound(f"there is no {self.noun} in environment {quoted(env)}")
        return NotFound(f"there is no {self.noun} {quoted(id)}{of_type} in environment {quoted(env)}")

    @property
    def order(self) -> tuple[str, ...]:
        """The columns that pages of the list follow: the key, or the place of routes, whose order has a meaning."""
        return ("place",) if self.name == ElementKind.ROUTES else self.key

    @property
    def where(self) -> str:
        """The SQL condition for one element. Its parameters are the environment's number and the key."""
        return " AND ".join(["environment = ?", *(f"{name} = ?" for name in self.key)])


CALLED: Final = "called"
"""The column that a list is sorted by if it is sorted by name."""

LONGEST_SORTED: Final = 64
"""The characters of a name that decide its place. PostgreSQL's entries of an index have at most 2,704 bytes."""


def _called(name: str) -> str:
    return name[:LONGEST_SORTED]


def _type_values(type: ResourceType) -> Row:
    return type.id, type.name or type.id, type.closed, not type.actions


def _named_values(element: Role | Group) -> Row:
    name = element.name or element.id
    return element.id, name, _called(name)


def _subject_values(subject: Subject) -> Row:
    name = (subject.attributes or {}).get("name")
    called = name if isinstance(name, str) and is_text(name) else subject.id
    return subject.type, subject.id, subject.external_id, _called(called)


def _resource_values(resource: Resource) -> Row:
    called = _called(resource.name or resource.id)
    return resource.type, resource.id, resource.external_id, resource.name, called


def _assignment_values(assignment: Assignment) -> Row:
    subject, expires = assignment.subject, expiry_of(assignment)
    if subject is None:
        return assignment.id, assignment.role, None, None, assignment.group, expires
    return assignment.id, assignment.role, subject.type, subject.id, assignment.group, expires


def _grant_values(grant: Grant) -> Row:
    subject, resource = grant.subject, grant.resource
    holder = (None, None, grant.group) if subject is None else (subject.type, subject.id, grant.group)
    return grant.id, *holder, resource.type, resource.id, EVERYTHING in grant.actions, expiry_of(grant)


def expiry_of(element: Assignment | Grant) -> float | None:
    """Returns the expiry in epoch seconds, exactly as decisions compare it (P4), or None if there is none.

    A text that is no instant counts as none: the checks of the write find it, and nothing is stored then.
    """
    if element.expires_at is None:
        return None
    try:
        return seconds_not_before(parse_instant(element.expires_at))
    except ValueError:
        return None


def _policy_values(policy: Policy) -> Row:
    name = policy.name or policy.id
    return policy.id, name, policy.effect, policy.enabled, _called(name)


def _route_values(route: Route) -> Row:
    return route.id, route.resource_type, route.action


def _single_values(element: Extensions | Requests | DeclaredAttributes) -> Row:
    return (element.id,)


def _lint_values(silence: SilencedLint) -> Row:
    return silence.id, silence.code


def _member_subjects(group: Group) -> set[Row]:
    return {(member.type, member.id) for member in group.members if member.type is not None and member.id is not None}


def _member_groups(group: Group) -> set[Row]:
    return {(member.group,) for member in group.members if member.group is not None}


def _roles(policy: Policy) -> set[Row]:
    """Returns the roles that a policy names, exceptions too (P6)."""
    return {(role,) for role in (*(policy.roles or ()), *(policy.except_roles or ()))}


def _types(policy: Policy) -> set[Row]:
    return {(scope.resource_type_id,) for scope in policy.resource_types}


def _patterns(policy: Policy) -> set[Row]:
    return set(pattern_sizes(policy).items())


KINDS: dict[ElementKind, Kind] = {
    kind.name: kind
    for kind in (
        Kind(ElementKind.EXTENSIONS, "list of extensions", ("id",), (), _single_values, states_key=False),
        Kind(ElementKind.REQUESTS, "mode of requests", ("id",), (), _single_values, states_key=False),
        Kind(ElementKind.RESOURCE_TYPES, "resource type", ("id",), ("name", "closed", "actionless"), _type_values),
        Kind(ElementKind.ROLES, "role", ("id",), ("name", "called"), _named_values),
        Kind(
            ElementKind.GROUPS,
            "group",
            ("id",),
            ("name", "called"),
            _named_values,
            (
                ReferenceTable("group_subjects", "group_id", ("type", "id"), _member_subjects),
                ReferenceTable("group_groups", "group_id", ("member",), _member_groups),
            ),
        ),
        Kind(ElementKind.SUBJECTS, "subject", ("type", "id"), ("external_id", "called"), _subject_values),
        Kind(ElementKind.RESOURCES, "resource", ("type", "id"), ("external_id", "name", "called"), _resource_values),
        Kind(
            ElementKind.ASSIGNMENTS,
            "assignment",
            ("id",),
            ("role", "subject_type", "subject_id", "group_id", "expires"),
            _assignment_values,
        ),
        Kind(
            ElementKind.GRANTS,
            "grant",
            ("id",),
            ("subject_type", "subject_id", "group_id", "resource_type", "resource_id", "wildcard", "expires"),
            _grant_values,
        ),
        Kind(
            ElementKind.POLICIES,
            "policy",
            ("id",),
            ("name", "effect", "enabled", "called"),
            _policy_values,
            (
                ReferenceTable("policy_roles", "policy_id", ("role",), _roles),
                ReferenceTable("policy_types", "policy_id", ("type",), _types),
                ReferenceTable("policy_patterns", "policy_id", ("pattern", "instructions"), _patterns),
            ),
        ),
        Kind(ElementKind.ROUTES, "route", ("id",), ("resource_type", "action"), _route_values),
        Kind(ElementKind.ATTRIBUTES, "declaration of attributes", ("id",), (), _single_values, states_key=False),
        Kind(ElementKind.LINTS, "silenced lint", ("id",), ("code",), _lint_values, states_key=False),
    )
}
"""The lists in the order of the model document."""

MADE_IDS = (ElementKind.GRANTS, ElementKind.ASSIGNMENTS)
"""The kinds whose elements need no id in a document either. Their id null means no id."""


def kind_named(name: str) -> Kind:
    """Returns the kind of that name. Raises BadQuery if there is none."""
    try:
        return KINDS[ElementKind(name)]
    except ValueError:
        raise BadQuery(f"there is no list `{name}`, only {', '.join(KINDS)}") from None
