"""The references to an element, and what happens to the referring elements in a cascading delete."""

from collections.abc import Iterator
from typing import NamedTuple, assert_never

from ....bundles.wording import in_backticks
from ....compiler.documents.read_element import read_element
from ....compiler.model.elements import ElementKind
from ..errors import MAX_LISTED_USERS, Conflict, ElementKey, User
from .element_bodies import Body, decode_body, encode_body, fact_text
from .kinds import KINDS, Kind, Reference
from .tables import StoredRow
from .workspace import Workspace


class _Reference(NamedTuple):
    """A way to refer to an element: the list of the referring elements, and the query for their keys."""

    kind: ElementKind
    query: str


_USES: dict[ElementKind, tuple[_Reference, ...]] = {
    ElementKind.EXTENSIONS: (),
    ElementKind.REQUESTS: (),
    ElementKind.RESOURCE_TYPES: (
        _Reference(
            ElementKind.POLICIES,
            "SELECT policy_id FROM policy_types WHERE environment = ? AND type = ? ORDER BY policy_id",
        ),
        _Reference(ElementKind.GRANTS, "SELECT id FROM grants WHERE environment = ? AND resource_type = ?"),
        _Reference(ElementKind.RESOURCES, "SELECT type, id FROM resources WHERE environment = ? AND type = ?"),
        _Reference(ElementKind.ROUTES, "SELECT id FROM routes WHERE environment = ? AND resource_type = ?"),
    ),
    ElementKind.ROLES: (
        _Reference(
            ElementKind.POLICIES,
            "SELECT policy_id FROM policy_roles WHERE environment = ? AND role = ? ORDER BY policy_id",
        ),
        _Reference(ElementKind.ASSIGNMENTS, "SELECT id FROM assignments WHERE environment = ? AND role = ?"),
    ),
    ElementKind.GROUPS: (
        _Reference(
            ElementKind.GROUPS,
            "SELECT group_id FROM group_groups WHERE environment = ? AND member = ? ORDER BY group_id",
        ),
        _Reference(ElementKind.ASSIGNMENTS, "SELECT id FROM assignments WHERE environment = ? AND group_id = ?"),
        _Reference(ElementKind.GRANTS, "SELECT id FROM grants WHERE environment = ? AND group_id = ?"),
    ),
    ElementKind.SUBJECTS: (
        _Reference(
            ElementKind.GROUPS, "SELECT group_id FROM group_subjects WHERE environment = ? AND type = ? AND id = ?"
        ),
        _Reference(
            ElementKind.ASSIGNMENTS,
            "SELECT id FROM assignments WHERE environment = ? AND subject_type = ? AND subject_id = ?",
        ),
        _Reference(
            ElementKind.GRANTS, "SELECT id FROM grants WHERE environment = ? AND subject_type = ? AND subject_id = ?"
        ),
    ),
    ElementKind.RESOURCES: (
        _Reference(
            ElementKind.GRANTS, "SELECT id FROM grants WHERE environment = ? AND resource_type = ? AND resource_id = ?"
        ),
    ),
    ElementKind.ASSIGNMENTS: (),
    ElementKind.GRANTS: (),
    ElementKind.POLICIES: (),
    ElementKind.ROUTES: (),
    ElementKind.ATTRIBUTES: (),
    ElementKind.LINTS: (),
}


def refuse_dangling(workspace: Workspace) -> None:
    """Raises Conflict if another element still refers to a removed element, and may not name it."""
    for change in workspace.net_changes():
        if change.after is None and (change.kind, change.key) not in workspace.named:
            users = _users(workspace, change.kind, change.key)
            if users:
                listed = tuple(_user(workspace, *user) for user in users[:MAX_LISTED_USERS])
                error = Conflict(_sentence(KINDS[change.kind], change.key, users), listed)
                error.edit = change.edit
                raise error


def release_users(workspace: Workspace, kind: Kind, key: ElementKey) -> None:
    """Remove the references to an element.

    Policies and groups lose the reference. Other referring elements are removed. A policy that loses its last role or
    type, and an ALLOW that loses an exception, are removed too, so that no policy allows more than before (P6).
    """
    for use in _USES[kind.name]:
        user = KINDS[use.kind]
        for user_key in list(workspace.db.execute(use.query, (workspace.number, *key))):
            found = workspace.find(user, user_key)
            if found is not None:
                _release(workspace, kind, key, user, user_key, found)


def _release(
    workspace: Workspace, kind: Kind, key: ElementKey, user: Kind, user_key: ElementKey, found: StoredRow
) -> None:
    left = _without(kind.name, key, user.name, decode_body(found.body))
    if left is None:
        release_users(workspace, user, user_key)
        workspace.remove(user, user_key, found)
        return
    workspace.put(user, user_key, encode_body(left), read_element(user.name, left), found)


def _without(kind: ElementKind, key: ElementKey, user: ElementKind, body: Body) -> Body | None:
    """Returns the body without its references to an element, or None if the rest can't stand alone."""
    match user:
        case ElementKind.GROUPS:
            members = [member for member in body["members"] if not _is_member(member, kind, key)]
            return body | {"members": members}
        case ElementKind.POLICIES:
            return _policy_without(kind, key, body)
        case ElementKind.ASSIGNMENTS | ElementKind.GRANTS | ElementKind.RESOURCES | ElementKind.ROUTES:
            return None
        case (
            ElementKind.EXTENSIONS
            | ElementKind.REQUESTS
            | ElementKind.RESOURCE_TYPES
            | ElementKind.ROLES
            | ElementKind.SUBJECTS
            | ElementKind.ATTRIBUTES
            | ElementKind.LINTS
        ):
            raise AssertionError("these refer to nothing")
        case _:
            assert_never(user)


def _policy_without(kind: ElementKind, key: ElementKey, body: Body) -> Body | None:
    if kind == ElementKind.ROLES:
        return _policy_without_role(key, body)
    assert kind == ElementKind.RESOURCE_TYPES, "policies refer to roles and types"
    scopes = [scope for scope in body["resource_types"] if (scope["resource_type_id"],) != key]
    return body | {"resource_types": scopes} if scopes else None


def _policy_without_role(key: ElementKey, body: Body) -> Body | None:
    for member in ("roles", "except_roles"):
        named = body.get(member) or []
        left = [role for role in named if (role,) != key]
        if len(left) == len(named):
            continue
        if member == "roles":
            return body | {"roles": left} if left else None
        if body["effect"] == "ALLOW":
            return None
        return body | {"except_roles": left} if left else {name: body[name] for name in body if name != "except_roles"}
    return body


def _is_member(member: Body, kind: ElementKind, key: ElementKey) -> bool:
    if kind == ElementKind.GROUPS:
        return (member.get("group"),) == key
    return (member.get("type"), member.get("id")) == key


def _users(workspace: Workspace, kind: ElementKind, key: ElementKey) -> list[Reference]:
    """Returns one user more than Writ lists, so that it can say whether there are more."""
    return [*_some_users(workspace, kind, key)][: MAX_LISTED_USERS + 1]


def _some_users(workspace: Workspace, kind: ElementKind, key: ElementKey) -> Iterator[Reference]:
    for use in _USES[kind]:
        query = f"{use.query} LIMIT {MAX_LISTED_USERS + 1}"
        yield from ((use.kind, tuple(row)) for row in workspace.db.execute(query, (workspace.number, *key)))


def _user(workspace: Workspace, kind: ElementKind, key: ElementKey) -> User:
    found = workspace.find(KINDS[kind], key)
    return User(kind, key, "" if found is None else fact_text(kind, decode_body(found.body)))


def _sentence(kind: Kind, key: ElementKey, users: list[Reference]) -> str:
    by_kind: dict[str, int] = {}
    for name, _ in users:
        by_kind[name] = by_kind.get(name, 0) + 1
    more = "at least " if len(users) > MAX_LISTED_USERS else ""
    counted = ", ".join(f"{name}: {count}" for name, count in by_kind.items())
    shown = in_backticks(":".join(key))
    return f"the {kind.noun} {shown} is still used ({more}{counted}); remove these first, or delete with `cascade`"
