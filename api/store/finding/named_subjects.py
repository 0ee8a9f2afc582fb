"""Subjects without an entry: those that only a group, an assignment or a grant names. They are registered too (E3)."""

from collections.abc import Iterator, Mapping
from heapq import merge
from itertools import groupby, islice
from typing import Final

from ....bundles.wording import quoted
from ....compiler.model.elements import ElementKind
from ..database.connection import Connection
from ..elements.edits import StoredElement
from ..elements.kinds import Kind, Value
from ..environments import Environment
from ..errors import BadQuery
from ..pages import cursor_after, read_cursor
from .folding import fold
from .listing import ElementPage

NAMED: Final = "named"
"""The parameter of the list of subjects that asks for these too."""

LISTED: Final = "listed"
"""The member that is false for a subject without an entry. It is no member of the model."""

MOST_NAMES: Final = 20_000
"""The names that one page looks at. A page that ends there may have fewer items."""

_AT_ONCE: Final = 1_000

_PLACES: Final = (
    ("group_subjects", "type", "id"),
    ("assignments", "subject_type", "subject_id"),
    ("grants", "subject_type", "subject_id"),
)
"""The tables that name subjects, each with the columns of an index."""

Name = tuple[str, str]
"""The type and the id of a subject."""


def asks_named(kind: Kind, filters: Mapping[str, str], sort: str) -> tuple[bool, dict[str, str]]:
    """Returns whether a list shall have these too, and the other filters. Raises BadQuery."""
    others = {name: value for name, value in filters.items() if name != NAMED}
    if len(others) == len(filters) or kind.name != ElementKind.SUBJECTS:
        return False, dict(filters)
    if filters[NAMED] not in ("true", "false"):
        raise BadQuery(f"`named` is `true` or `false`, not {quoted(filters[NAMED])}")
    is_asked = filters[NAMED] == "true"
    if is_asked and sort not in ("", "id"):
        raise BadQuery("`named` goes with the order of the list alone: a subject without an entry has no name")
    return is_asked and "external_id" not in others, others


def with_named(
    db: Connection,
    environment: Environment,
    kind: Kind,
    page: ElementPage,
    folded: str,
    filters: Mapping[str, str],
    limit: int,
    cursor: str | None,
) -> ElementPage:
    """Returns a page of listed subjects with those without an entry in between, in one order."""
    after = None if cursor is None else _name(read_cursor(kind.name, cursor, len(kind.key)))
    until = None if page.next_cursor is None else _name(read_cursor(kind.name, page.next_cursor, len(kind.key)))
    names: list[Name] = []
    last: Name | None = None
    for tried, last in enumerate(named_after(db, environment.number, filters.get("type"), after, until), 1):
        if folded in fold(last[1]):
            names.append(last)
        if len(names) > limit or tried == MOST_NAMES:
            until = last
            break
    items = {(one.body["type"], one.body["id"]): one for one in page.items}
    items |= {name: StoredElement(_body(name), environment.etag) for name in names}
    keys = [key for key in sorted(items) if until is None or key <= until]
    if len(keys) > limit:
        until = keys[limit - 1]
    shown = tuple(items[key] for key in keys[:limit])
    return ElementPage(shown, None if until is None else cursor_after(kind.name, until))


def count_named(db: Connection, environment: Environment, folded: str, filters: Mapping[str, str], most: int) -> int:
    """Returns how many of them fit, up to `most`."""
    names = named_after(db, environment.number, filters.get("type"), None, None)
    return sum(1 for _ in islice((one for one in names if folded in fold(one[1])), most))


def named_after(
    db: Connection, environment: int, type: str | None, after: Name | None, until: Name | None
) -> Iterator[Name]:
    """Yields the subjects without an entry after one name, up to another one, by type and id, each once."""
    each = (_named_in(db, environment, place, type, after, until) for place in _PLACES)
    for name, _ in groupby(merge(*each)):
        yield name


def _named_in(
    db: Connection,
    environment: int,
    place: tuple[str, str, str],
    type: str | None,
    after: Name | None,
    until: Name | None,
) -> Iterator[Name]:
    """Yields those that one table names. PERF: the index has the order, so no more rows are read than are asked for."""
    table, of_type, of_id = place
    while True:
        conditions = [f"n.environment = ? AND n.{of_type} IS NOT NULL"]
        values: list[Value] = [environment]
        for condition, value in ((">", after), ("<=", until)):
            if value is not None:
                conditions.append(f"(n.{of_type}, n.{of_id}) {condition} (?, ?)")
                values += value
        if type is not None:
            conditions.append(f"n.{of_type} = ?")
            values.append(type)
        rows = db.execute(
            f"""SELECT DISTINCT n.{of_type}, n.{of_id} FROM {table} AS n WHERE {" AND ".join(conditions)}
                AND NOT EXISTS (SELECT 1 FROM subjects AS s
                    WHERE s.environment = n.environment AND s.type = n.{of_type} AND s.id = n.{of_id})
                ORDER BY 1, 2 LIMIT ?""",
            (*values, _AT_ONCE),
        ).fetchall()
        yield from ((str(type_), str(id)) for type_, id in rows)
        if len(rows) < _AT_ONCE:
            return
        after = (str(rows[-1][0]), str(rows[-1][1]))


def _name(key: tuple[str, ...]) -> Name:
    return key[0], key[1]


def _body(name: Name) -> dict[str, object]:
    return {"type": name[0], "id": name[1], LISTED: False}
