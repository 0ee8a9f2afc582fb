"""The edits of a model that a caller can request."""

from dataclasses import dataclass
from typing import TypeAlias

from ....compiler.model.elements import ElementKind
from ..environments import Environment
from ..errors import BodyFault, ElementKey
from .element_bodies import Body


@dataclass(frozen=True, slots=True)
class Create:
    """Add an element to a list.

    If it has no id, it gets one (E1): a grant's or assignment's is made from its content. If there is an assignment of
    equal content already, without an id in the body or with the same one, that assignment is the result.

    A route comes last, or before the route whose id is `before`.
    """

    kind: str
    body: Body
    before: str | None = None


@dataclass(frozen=True, slots=True)
class CreateAt:
    """Add the element of this key, if there is none. The body may leave the key out.

    A route comes last, or before the route whose id is `before`.
    """

    kind: str
    key: ElementKey
    body: Body
    before: str | None = None


@dataclass(frozen=True, slots=True)
class Replace:
    """Replace the body of an element. `if_match` is the entity tag that the element must still have, if it is given.

    A route stays in its place, or moves before the route whose id is `before`.
    """

    kind: str
    key: ElementKey
    body: Body
    if_match: str | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True)
class Put:
    """Replace the element of this key, or add it if there is none. The body may leave the key out.

    A route stays in its place, or comes last if it is new.
    """

    kind: str
    key: ElementKey
    body: Body


@dataclass(frozen=True, slots=True)
class Patch:
    """Change an element by a JSON merge patch (RFC 7396)."""

    kind: str
    key: ElementKey
    merge_patch: Body
    if_match: str | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove an element.

    If other elements refer to it, this is a conflict, or they are changed too if `cascade` is set. If it `stays_named`,
    assignments, memberships and grants may go on to name a subject or a resource, and so register it (E3).
    """

    kind: str
    key: ElementKey
    cascade: bool = False
    if_match: str | None = None
    stays_named: bool = False


@dataclass(frozen=True, slots=True)
class SetGrants:
    """Make the grants on a resource, given by the id of its type and its id, equal to `bodies`.

    It adds those that are missing and removes the others. A grant that is there already keeps its id. `if_match` is the
    tag that the set must still have, if it is given (see `grant_sets.tag_of`). The result is one object with the
    grants `added`, those `removed`, and the number `unchanged`. Its tag is that of the new set, or of the stored one if
    the edit is only a `trial`, which is not stored.
    """

    resource: tuple[str, str]
    bodies: tuple[Body, ...]
    if_match: str | None = None
    trial: bool = False
    kind: str = ElementKind.GRANTS


@dataclass(frozen=True, slots=True)
class ChangeMember:
    """Make a subject, `{type, id}`, or a group, `{group}`, a member of a group, or no member any more.

    The result is the group. A member that is to go must be there. One that is to come and is there stays.
    """

    group: str
    member: Body
    adds: bool
    kind: str = ElementKind.GROUPS


Edit: TypeAlias = Create | CreateAt | Replace | Put | Patch | Delete | SetGrants | ChangeMember


@dataclass(frozen=True, slots=True)
class StoredElement:
    """A stored element and its entity tag, without quotes."""

    body: Body
    etag: str


@dataclass(frozen=True, slots=True)
class Committed:
    """The result of a write: the environment, and each edit's element, or None if it was removed.

    `added` has the indexes of the edits that added an element. `warnings` are about the written elements themselves:
    those that need no other element.
    """

    environment: Environment
    results: tuple[StoredElement | None, ...]
    added: frozenset[int]
    warnings: tuple[BodyFault, ...]
