"""Finds the assignments and grants that equal another one in all but its id (P8)."""

from collections.abc import Iterator
from typing import Any, TypeAlias

from msgspec.structs import asdict
from sqlite_utils import Database

from ....bundles.conditions.instants import parse_instant
from ....compiler.model.elements import Assignment, Element, ElementKind, Grant
from .element_bodies import element_of
from .tables import StoredRow

Fact: TypeAlias = Assignment | Grant

_SUFFIX = "_at"
"""The end of the names of members that are instants."""

ALIKE = """SELECT place, version, body FROM assignments
    WHERE environment = ? AND role = ? AND subject_type IS ? AND subject_id IS ? AND group_id IS ? ORDER BY place"""
"""The assignments of a role to a holder. The index `assignments_of_role` finds them."""

GRANTS_ALIKE = """SELECT place, version, body FROM grants
    WHERE environment = ? AND subject_type IS ? AND subject_id IS ? AND group_id IS ?
    AND resource_type = ? AND resource_id = ? ORDER BY place"""
"""The grants of a holder on a resource. The index `grants_on_resource` finds them."""


def equal_facts(db: Database, environment: int, wanted: Fact) -> Iterator[StoredRow]:
    """Yields the stored facts of an environment, by its number, that equal `wanted`."""
    subject = (None, None) if wanted.subject is None else (wanted.subject.type, wanted.subject.id)
    holder = (*subject, wanted.group)
    values: tuple[int | str | None, ...]
    if isinstance(wanted, Grant):
        kind, query = ElementKind.GRANTS, GRANTS_ALIKE
        values = (environment, *holder, wanted.resource.type, wanted.resource.id)
    else:
        kind, query = ElementKind.ASSIGNMENTS, ALIKE
        values = (environment, wanted.role, *holder)
    for row in db.execute(query, values).fetchall():
        found = StoredRow(*row)
        if is_equal(element_of(kind, found.body), wanted):
            yield found


def equal_fact(db: Database, environment: int, wanted: Fact) -> StoredRow | None:
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
