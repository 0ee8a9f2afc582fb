"""Finds the assignments and grants that equal another one in all but its id (P8, P9)."""

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from msgspec.structs import asdict

from ....bundles.conditions.instants import parse_instant
from ....compiler.model.elements import Assignment, Element, ElementKind, Grant
from ..database.connection import Connection
from .element_bodies import element_of
from .tables import StoredRow

Fact: TypeAlias = Assignment | Grant

_SUFFIX = "_at"
"""The end of the names of members that are instants."""

_BY_HOLDER: Final = {
    "subject": "subject_type = ? AND subject_id = ? AND group_id IS NULL",
    "group": "subject_type IS NULL AND subject_id IS NULL AND group_id = ?",
}

ALIKE: Final = {
    holder: f"""SELECT place, version, body FROM assignments
    WHERE environment = ? AND role = ? AND {condition} ORDER BY place"""
    for holder, condition in _BY_HOLDER.items()
}
"""The assignments of a role to a holder. The index `assignments_of_role` finds them."""

GRANTS_ALIKE: Final = {
    holder: f"""SELECT place, version, body FROM grants
    WHERE environment = ? AND {condition} AND resource_type = ? AND resource_id = ? ORDER BY place"""
    for holder, condition in _BY_HOLDER.items()
}
"""The grants of a holder on a resource. The index `grants_on_resource` finds them."""


def equal_facts(db: Connection, environment: int, wanted: Fact) -> Iterator[StoredRow]:
    """Yields the stored facts of an environment, by its number, that equal `wanted`."""
    subject = wanted.subject
    by, holder = ("group", (wanted.group,)) if subject is None else ("subject", (subject.type, subject.id))
    values: tuple[int | str | None, ...]
    if isinstance(wanted, Grant):
        kind, query = ElementKind.GRANTS, GRANTS_ALIKE[by]
        values = (environment, *holder, wanted.resource.type, wanted.resource.id)
    else:
        kind, query = ElementKind.ASSIGNMENTS, ALIKE[by]
        values = (environment, wanted.role, *holder)
    for row in db.execute(query, values).fetchall():
        found = StoredRow(*row)
        if is_equal(element_of(kind, found.body), wanted):
            yield found


def equal_fact(db: Connection, environment: int, wanted: Fact) -> StoredRow | None:
    """Returns the first one of them, or None."""
    return next(equal_facts(db, environment, wanted), None)


def is_equal(stored: Element, wanted: Fact) -> bool:
    """Returns whether two facts are equal in every member but the id. Instants may be written differently.

    Actions are compared as sets. `stored` was checked, `wanted` was only read: if one of its instants can't be read, it
    equals nothing.
    """
    if type(stored) is not type(wanted):
        return False
    left, right = asdict(stored), asdict(wanted)
    return all(_is_same(name, value, right[name]) for name, value in left.items() if name != "id")


def _is_same(name: str, stored: Any, wanted: Any) -> bool:
    if name == "actions":
        return set(stored) == set(wanted)
    return bool(stored == wanted) or (name.endswith(_SUFFIX) and _is_same_instant(stored, wanted))


def _is_same_instant(stored: str | None, wanted: str | None) -> bool:
    if stored is None or wanted is None:
        return False
    try:
        return parse_instant(stored) == parse_instant(wanted)
    except ValueError:
        return False
