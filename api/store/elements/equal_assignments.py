"""Finds the assignment that equals another one in all but its id."""

from msgspec.structs import asdict

from ....bundles.conditions.instants import parse_instant
from ....compiler.model.elements import Assignment, ElementKind
from .element_bodies import element_of
from .tables import StoredRow
from .workspace import Workspace

_SUFFIX = "_at"
"""The end of the names of members that are instants."""

ALIKE = """SELECT place, version, body FROM assignments
    WHERE environment = ? AND role = ? AND subject_type IS ? AND subject_id IS ? AND group_id IS ? ORDER BY place"""
"""The assignments of a role to a holder. The index `assignments_of_role` finds them."""


def equal_assignment(workspace: Workspace, wanted: Assignment) -> StoredRow | None:
    """Returns the first stored assignment with the role, the holder and the dates of `wanted`, or None."""
    subject = (None, None) if wanted.subject is None else (wanted.subject.type, wanted.subject.id)
    role_and_holder = (wanted.role, *subject, wanted.group)
    for row in workspace.db.execute(ALIKE, (workspace.number, *role_and_holder)).fetchall():
        found = StoredRow(*row)
        if is_equal(element_of(ElementKind.ASSIGNMENTS, found.body), wanted):
            return found
    return None


def is_equal(stored: object, wanted: Assignment) -> bool:
    """Returns whether two assignments are equal in every member but the id. Instants may be written differently.

    `stored` was checked, `wanted` was only read: if one of its instants can't be read, it equals nothing.
    """
    if not isinstance(stored, Assignment):
        return False
    left, right = asdict(stored), asdict(wanted)
    return all(
        value == right[name] or (name.endswith(_SUFFIX) and _is_same_instant(value, right[name]))
        for name, value in left.items()
        if name != "id"
    )


def _is_same_instant(stored: str | None, wanted: str | None) -> bool:
    if stored is None or wanted is None:
        return False
    try:
        return parse_instant(stored) == parse_instant(wanted)
    except ValueError:
        return False
