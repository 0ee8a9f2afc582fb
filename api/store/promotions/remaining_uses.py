"""Finds the elements of a promotion's target that use a role, a type or an action which the promotion removes."""

from collections.abc import Iterator

from sqlite_utils import Database

from ....compiler.lowering.lower import EVERYTHING
from ....compiler.model.elements import ElementKind, Grant, ResourceType
from ..elements.element_bodies import element_of
from ..environments import Environment
from ..errors import MAX_LISTED_USERS, Conflict
from .policy_model import PolicyModel
from .promotion import Use

_USERS: dict[ElementKind, dict[ElementKind, str]] = {
    ElementKind.ROLES: {ElementKind.ASSIGNMENTS: "SELECT id FROM assignments WHERE environment = ? AND role = ?"},
    ElementKind.RESOURCE_TYPES: {
        ElementKind.GRANTS: "SELECT id FROM grants WHERE environment = ? AND resource_type = ?",
        ElementKind.RESOURCES: "SELECT id FROM resources WHERE environment = ? AND type = ?",
    },
}
"""The facts that refer to a removed element. Policies are replaced with it."""


def uses(db: Database, environment: Environment, before: PolicyModel, after: PolicyModel) -> Iterator[Use]:
    """Yields the facts of the environment that refer to what `after` lacks, MAX_LISTED_USERS of each element."""
    for kind, users in _USERS.items():
        for key in before.stored[kind]:
            if key not in after.stored[kind]:
                for name, query in users.items():
                    rows = db.execute(f"{query} LIMIT {MAX_LISTED_USERS}", (environment.number, *key))
                    yield from (Use(name, id, f"{kind}/{key[0]}") for (id,) in rows)
    yield from _granted_actions(db, environment, before, after)


def refuse_uses(found: Iterator[Use]) -> None:
    """Raises Conflict if anything still uses what a promotion removes."""
    users = [one for one, _ in zip(found, range(MAX_LISTED_USERS), strict=False)]
    if users:
        first = users[0]
        raise Conflict(
            f"the promotion removes `{first.refers_to}`, which `{first.id}` in `{first.kind}` still uses; remove what"
            " uses it first, or keep it in the environment that is promoted",
            tuple((one.kind, (one.id,)) for one in users),
        )


def _granted_actions(db: Database, environment: Environment, before: PolicyModel, after: PolicyModel) -> Iterator[Use]:
    """Yields the grants that name an action which their type no longer declares."""
    old, new = (model.by_key(ElementKind.RESOURCE_TYPES) for model in (before, after))
    for key, type in new.items():
        was = old.get(key)
        assert isinstance(type, ResourceType)
        if not isinstance(was, ResourceType) or set(was.actions) <= set(type.actions):
            continue
        kept = {*type.actions, EVERYTHING}
        query = "SELECT body FROM grants WHERE environment = ? AND resource_type = ?"
        for (body,) in db.execute(query, (environment.number, type.id)):
            grant = element_of(ElementKind.GRANTS, body)
            assert isinstance(grant, Grant)
            if not kept.issuperset(grant.actions):
                lost = next(action for action in grant.actions if action not in kept)
                yield Use(ElementKind.GRANTS, str(grant.id), f"{ElementKind.RESOURCE_TYPES}/{type.id}/{lost}")
