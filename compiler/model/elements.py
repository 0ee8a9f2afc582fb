"""The policy model: a frozen class for each kind of element of a model document.

The classes define the document: Writ reads and checks documents by their members, types and lengths, and writes models
in the same form. `MODEL.md` and `runtime/semantics.md` say what the members mean.
"""

from enum import StrEnum
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct

from ...bundles.conditions.operators import Operator
from ...bundles.conditions.values import Json
from ...bundles.declarations.kinds import AttributeKind
from ...bundles.extensions import ExtensionName, RequestMode
from ...bundles.program.clauses import Effect

Id: TypeAlias = Annotated[str, Meta(min_length=1, max_length=512)]
"""An identifier: any non-empty string of up to 512 characters (E1)."""

Key: TypeAlias = Annotated[str, Meta(min_length=1, max_length=256)]
"""The name of an attribute, or a path of names joined by dots (C1)."""

Reference: TypeAlias = Annotated[str, Meta(min_length=1, max_length=300)]
"""The name of a value of a request, such as `subject.id` (X1)."""

Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=512)]
PathTemplate: TypeAlias = Annotated[str, Meta(min_length=1, max_length=2048)]
AttributeType: TypeAlias = AttributeKind


class Element(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An element of a model document. It is frozen, has no unknown members, and is written without default values."""


class Extensions(Element, frozen=True):
    """The extensions that a model uses. In a document, it is the array of their names (X1 to X7)."""

    names: tuple[ExtensionName, ...]

    @property
    def id(self) -> str:
        """The key in a store. A model has one list of extensions."""
        return ElementKind.EXTENSIONS


class Requests(Element, frozen=True):
    """The way in which requests are checked. In a document, it is the mode alone (E8)."""

    mode: RequestMode

    @property
    def id(self) -> str:
        """The key in a store. A model has one mode."""
        return ElementKind.REQUESTS


class AttributeDeclaration(Element, frozen=True):
    """A declared attribute: its type, its values if it has few, and whether each request has to send it (C12, E8).

    `one_of` is a set of values of the type. If the type is `array`, it has the elements of the arrays.
    """

    kind: AttributeType
    one_of: tuple[Json, ...] | None = None
    required: bool = False


Declared: TypeAlias = AttributeType | AttributeDeclaration
"""The declaration of an attribute, or its type alone."""


class ResourceType(Element, frozen=True):
    """A type of resource and the actions that exist on it (E7, P1)."""

    id: Id
    actions: tuple[Name, ...]
    name: Name | None = None
    closed: bool = False
    attributes: dict[Key, Declared] | None = None


class Role(Element, frozen=True):
    """A role. Roles do not inherit (P3)."""

    id: Id
    name: Name | None = None


class SubjectRef(Element, frozen=True, gc=False):
    """A subject by its key (E1)."""

    type: Id
    id: Id


class ResourceRef(Element, frozen=True, gc=False):
    """A resource by its key. `type` is the id of a declared type (E1, E7)."""

    type: Id
    id: Id


class Member(Element, frozen=True):
    """A member of a group: either a subject's `type` and `id`, or another `group` (P3)."""

    type: Id | None = None
    id: Id | None = None
    group: Id | None = None


class Group(Element, frozen=True):
    """A group of subjects and of groups (P3)."""

    id: Id
    name: Name | None = None
    members: tuple[Member, ...] = ()


class Subject(Element, frozen=True):
    """A registered subject (E1, E3)."""

    type: Id
    id: Id
    external_id: Id | None = None
    attributes: dict[Key, Json] | None = None


class Resource(Element, frozen=True):
    """A registered resource (E1, E3)."""

    type: Id
    id: Id
    external_id: Id | None = None
    name: Name | None = None
    attributes: dict[Key, Json] | None = None


class Assignment(Element, frozen=True, gc=False):
    """A role for a subject or a group, from the RFC 3339 instant `starts_at` until `expires_at` (P2, P4)."""

    role: Id
    id: Id | None = None
    subject: SubjectRef | None = None
    group: Id | None = None
    starts_at: str | None = None
    expires_at: str | None = None


class Grant(Element, frozen=True, gc=False, kw_only=True):
    """Some actions, or `*`, for one subject or group on one resource, from `starts_at` until `expires_at` (P4, P7)."""

    subject: SubjectRef | None = None
    group: Id | None = None
    resource: ResourceRef
    actions: tuple[Name, ...]
    id: Id | None = None
    starts_at: str | None = None
    expires_at: str | None = None


class Scope(Element, frozen=True):
    """The actions of a type that a policy covers. `*` stands for all types, or for all actions (P1)."""

    resource_type_id: Id
    actions: tuple[Name, ...]


class Condition(Element, frozen=True):
    """An attribute compared with a constant, `value` (C1 to C6), or with a value of the request, `value_of` (X1, X5).

    A condition without faults has exactly one of the two.
    """

    key: Key
    op: Operator
    value: Json = UNSET
    value_of: Reference | None = None


class TimeWindow(Element, frozen=True):
    """A span of time, and hours of the week, in which a policy holds (C8)."""

    not_before: str | None = None
    not_after: str | None = None
    days: tuple[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"], ...] | None = None
    start: str | None = None
    end: str | None = None
    timezone: str | None = None


class RateLimit(Element, frozen=True):
    """The number of evaluations in a window of time for which an ALLOW holds, for each subject (C10)."""

    limit: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    window_seconds: Annotated[int, Meta(ge=1, le=2**31 - 1)]


class Conditions(Element, frozen=True):
    """The conditions of a policy. The policy holds only if all of them are true."""

    resource_attrs: tuple[Condition, ...] | None = None
    subject_attrs: tuple[Condition, ...] | None = None
    action_attrs: tuple[Condition, ...] | None = None
    context_attrs: tuple[Condition, ...] | None = None
    time_window: TimeWindow | None = None
    ip_allowlist: tuple[str, ...] | None = None
    rate_limit: RateLimit | None = None


class Policy(Element, frozen=True):
    """An ALLOW or a DENY: its roles, the types and actions that it covers, and its conditions (P1 to P6)."""

    id: Id
    effect: Effect
    resource_types: tuple[Scope, ...]
    name: Name | None = None
    description: str | None = None
    priority: Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)] = 0
    enabled: bool = True
    roles: tuple[Id, ...] | None = None
    except_roles: tuple[Id, ...] | None = None
    conditions: Conditions | None = None


class Route(Element, frozen=True):
    """The resource and the action that requests to a path are about. Of the routes that match, the first counts.

    `resource_id` or `external_id` names the resource. If there is neither, `{id}` of the path is its id. With
    `anonymous`, requests without a credential are asked for the anonymous subject of the gateway settings (E11).
    """

    id: Id
    methods: tuple[Name, ...]
    path: PathTemplate
    resource_type: Id
    action: Name
    hosts: tuple[Name, ...] | None = None
    resource_id: Id | None = None
    external_id: Id | None = None
    attributes: dict[Key, Name] | None = None
    anonymous: bool = False


class DeclaredAttributes(Element, frozen=True):
    """The attributes of subjects (by subject type), of the context and of actions, each with its declaration.

    Conditions on a section that is given are checked against it. A section that is None declares nothing.
    """

    subject: dict[Id, dict[Key, Declared]] | None = None
    context: dict[Key, Declared] | None = None
    action: dict[Key, Declared] | None = None

    @property
    def id(self) -> str:
        """The key in a store. A model has one object of declared attributes."""
        return ElementKind.ATTRIBUTES


class SilencedLint(Element, frozen=True):
    """A warning that is expected, and why: the `code`, on all elements or on those with the ids in `on`."""

    code: Name
    reason: Annotated[str, Meta(min_length=1)]
    on: tuple[Id, ...] | None = None

    @property
    def id(self) -> str:
        """The key in a store. Two silences of one code on the same ids are the same.

        >>> SilencedLint("empty-list", "a template").id, SilencedLint("empty-list", "a template", ("b", "a")).id
        ('empty-list', 'empty-list ["a","b"]')
        """
        return self.code if self.on is None else f"{self.code} {msgspec.json.encode(sorted(set(self.on))).decode()}"


class Model(Struct, frozen=True):
    """A whole model. Its lists have the order of the documents. Only the order of `routes` has a meaning.

    Of each single member, a checked model has one element at most: what all documents say together.
    """

    extensions: tuple[Extensions, ...] = ()
    requests: tuple[Requests, ...] = ()
    resource_types: tuple[ResourceType, ...] = ()
    roles: tuple[Role, ...] = ()
    groups: tuple[Group, ...] = ()
    subjects: tuple[Subject, ...] = ()
    resources: tuple[Resource, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    grants: tuple[Grant, ...] = ()
    policies: tuple[Policy, ...] = ()
    routes: tuple[Route, ...] = ()
    attributes: tuple[DeclaredAttributes, ...] = ()
    lints: tuple[SilencedLint, ...] = ()


class ElementKind(StrEnum):
    """One of the kinds of elements. Its value is the name of the kind's list, or single member, in a model document."""

    EXTENSIONS = "extensions"
    REQUESTS = "requests"
    RESOURCE_TYPES = "resource_types"
    ROLES = "roles"
    GROUPS = "groups"
    SUBJECTS = "subjects"
    RESOURCES = "resources"
    ASSIGNMENTS = "assignments"
    GRANTS = "grants"
    POLICIES = "policies"
    ROUTES = "routes"
    ATTRIBUTES = "attributes"
    LINTS = "lints"


LISTS: dict[str, type[Element]] = {
    ElementKind.EXTENSIONS: Extensions,
    ElementKind.REQUESTS: Requests,
    ElementKind.RESOURCE_TYPES: ResourceType,
    ElementKind.ROLES: Role,
    ElementKind.GROUPS: Group,
    ElementKind.SUBJECTS: Subject,
    ElementKind.RESOURCES: Resource,
    ElementKind.ASSIGNMENTS: Assignment,
    ElementKind.GRANTS: Grant,
    ElementKind.POLICIES: Policy,
    ElementKind.ROUTES: Route,
    ElementKind.ATTRIBUTES: DeclaredAttributes,
    ElementKind.LINTS: SilencedLint,
}
"""The class of the elements of each list of a model document, by the name of the list."""

SINGLE_MEMBERS: Final = frozenset((ElementKind.EXTENSIONS, ElementKind.REQUESTS, ElementKind.ATTRIBUTES))
"""The members of a document that are one element instead of a list of elements."""
