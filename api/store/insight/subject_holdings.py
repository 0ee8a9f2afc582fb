"""The holdings of a subject: its groups with the way into each, its roles by assignment, its grants (P2 to P4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ....bundles.conditions.values import is_text
from ....compiler.model.elements import ElementKind
from ..database.connection import Connection
from ..elements.element_bodies import decode_body
from ..elements.kinds import KINDS
from ..elements.tables import TABLES
from ..environments import Environment
from ..errors import ElementKey

MOST_GROUPS: Final = 1_000
"""The groups that an answer names."""

MOST_STEPS: Final = 10_000
"""The groups on the ways into all groups together."""

MOST_ASSIGNMENTS: Final = 1_000
"""The assignments that an answer names."""

MOST_GRANTS: Final = 1_000
"""The grants that an answer names."""

# PERF: each query reads an index in its order, so a limit bounds its work.
GROUPS_OF_SUBJECT: Final = (
    "SELECT group_id FROM group_subjects WHERE environment = ? AND type = ? AND id = ? ORDER BY group_id LIMIT ?"
)
GROUPS_OF_GROUP: Final = (
    "SELECT group_id FROM group_groups WHERE environment = ? AND member = ? ORDER BY group_id LIMIT ?"
)
_ROWS: Final = "SELECT body FROM {} WHERE environment = ? AND {} ORDER BY {} LIMIT ?"
ASSIGNMENTS_OF_SUBJECT: Final = _ROWS.format("assignments", "subject_type = ? AND subject_id = ?", "place")
ASSIGNMENTS_OF_GROUP: Final = _ROWS.format("assignments", "group_id = ?", "place")
_GRANTS: Final = _ROWS.format("grants", "subject_type = ? AND subject_id = ?", "resource_type, resource_id, place")
_GRANTS_OF_GROUP: Final = _ROWS.format("grants", "group_id = ?", "resource_type, resource_id, place")


@dataclass(frozen=True, slots=True)
class HeldAssignment:
    """An assignment that gives a role, and the group that it is for, or None if it is for the subject itself.

    `starts_at` and `expires_at` are RFC 3339, or None.
    """

    assignment: str
    group: str | None
    starts_at: str | None
    expires_at: str | None


@dataclass(frozen=True, slots=True)
class Holdings:
    """The holdings of a subject, with those that have not started yet or have expired.

    `groups` has each group with the ids on the shortest way to it: from the group that has the subject as a member, to
    the one before it. `roles` are by id, and the assignments of each, those for the subject itself first. `grants` are
    those for the subject itself, and then those of its groups (P7). `truncated` says whether a limit cut something.
    """

    subject: Mapping[str, Any]
    groups: Mapping[str, tuple[str, ...]]
    roles: Mapping[str, tuple[HeldAssignment, ...]]
    grants: tuple[Mapping[str, Any], ...]
    truncated: bool


def holdings(db: Connection, environment: Environment, key: ElementKey) -> Holdings:
    """Returns what the subject of that type and id holds. Raises NotFound if it is not registered (E3)."""
    if not all(map(is_text, key)):
        raise KINDS[ElementKind.SUBJECTS].absent(key, environment.id)
    number = environment.number
    stored = TABLES[ElementKind.SUBJECTS].find(db, number, key)
    groups, more_groups = _groups(db, number, key)
    roles, more_roles = _roles(db, number, key, groups)
    found = _grants(db, number, key, groups)
    if stored is None and not (groups or roles or found):
        raise KINDS[ElementKind.SUBJECTS].absent(key, environment.id)
    subject = {"type": key[0], "id": key[1]} if stored is None else decode_body(stored.body)
    truncated = more_groups or more_roles or len(found) > MOST_GRANTS
    return Holdings(subject, groups, roles, tuple(map(decode_body, found[:MOST_GRANTS])), truncated)


def _groups(db: Connection, environment: int, key: ElementKey) -> tuple[dict[str, tuple[str, ...]], bool]:
    """Returns the groups of a subject, nearest first, and whether there are more. A circle is harmless (P3)."""
    most, steps = MOST_GROUPS + 1, 0
    ways: dict[str, tuple[str, ...]] = {id: () for (id,) in db.execute(GROUPS_OF_SUBJECT, (environment, *key, most))}
    waiting = [*ways]
    for group in waiting:  # it grows meanwhile
        if len(ways) > MOST_GROUPS or steps > MOST_STEPS:
            break
        for (id,) in db.execute(GROUPS_OF_GROUP, (environment, group, most)):
            if id not in ways:
                ways[id] = (*ways[group], group)
                steps += len(ways[id])
                waiting.append(id)
    return {id: ways[id] for id in [*ways][:MOST_GROUPS]}, len(ways) > MOST_GROUPS or steps > MOST_STEPS


def _roles(
    db: Connection, environment: int, key: ElementKey, groups: Mapping[str, tuple[str, ...]]
) -> tuple[dict[str, tuple[HeldAssignment, ...]], bool]:
    """Returns the assignments of a subject and its groups by role, and whether there are more."""
    most = MOST_ASSIGNMENTS + 1
    found = _rows(db, ASSIGNMENTS_OF_SUBJECT, (environment, *key), most)
    for group in groups:
        if len(found) >= most:
            break
        found += _rows(db, ASSIGNMENTS_OF_GROUP, (environment, group), most - len(found))
    roles: dict[str, list[HeldAssignment]] = {}
    for body in map(decode_body, found[:MOST_ASSIGNMENTS]):
        held = HeldAssignment(body["id"], body.get("group"), body.get("starts_at"), body.get("expires_at"))
        roles.setdefault(body["role"], []).append(held)
    return {role: tuple(sorted(roles[role], key=_order)) for role in sorted(roles)}, len(found) >= most


def _grants(db: Connection, environment: int, key: ElementKey, groups: Mapping[str, tuple[str, ...]]) -> list[bytes]:
    """Returns the grants of a subject and its groups, with one more than fits if there are too many."""
    found = _rows(db, _GRANTS, (environment, *key), MOST_GRANTS + 1)
    for group in groups:
        if len(found) > MOST_GRANTS:
            break
        found += _rows(db, _GRANTS_OF_GROUP, (environment, group), MOST_GRANTS + 1 - len(found))
    return found


def _order(held: HeldAssignment) -> tuple[str, str]:
    return held.group or "", held.assignment


def _rows(db: Connection, query: str, values: tuple[int | str, ...], limit: int) -> list[bytes]:
    return [body for (body,) in db.execute(query, (*values, limit))]
