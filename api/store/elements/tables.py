"""The rows of one list: find, add, change and remove them, with the rows of their references."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from ....compiler.model.elements import Element, ElementKind
from ..database.connection import Connection
from ..database.element_tables import PLACE_BITS
from ..database.sharing.unread import reads_less, refuse_unread_text
from ..errors import ElementKey
from .element_bodies import element_of
from .kinds import CALLED, KINDS, Kind, ReferenceTable, Row

MANY = 10_000
"""The number of new rows from which it may pay to rebuild the indexes."""


_LONG = frozenset(
    (ElementKind.GROUPS, ElementKind.SUBJECTS, ElementKind.RESOURCES, ElementKind.ASSIGNMENTS, ElementKind.GRANTS)
)
"""The lists that may have a million elements."""


class StoredRow(NamedTuple):
    """A stored element: its place, the revision that last changed it, and its text."""

    place: int
    version: int
    body: bytes


class NewRow(NamedTuple):
    """An element to add to its table."""

    place: int
    body: bytes
    element: Element


class Table:
    """The table of one kind. Its SQL statements are built once."""

    def __init__(self, kind: Kind):
        self.kind = kind
        columns = ("place", "environment", "version", "body", *kind.key, *kind.columns)
        self._insert = f"INSERT INTO {kind.name} ({', '.join(columns)}) VALUES ({_marks(columns)})"
        changed = ", ".join(f"{name} = ?" for name in ("version", "body", *kind.key, *kind.columns))
        self._update = f"UPDATE {kind.name} SET {changed} WHERE place = ?"
        where = " AND ".join(f"{name} = ?" for name in ("environment", *kind.key))
        self._find = f"SELECT place, version, body FROM {kind.name} WHERE {where}"
        self._parts = [(part, _part_insert(part), _part_delete(part)) for part in kind.parts]

    def find(self, db: Connection, environment: int, key: ElementKey) -> StoredRow | None:
        """Returns the row of that key, or None."""
        row = db.execute(self._find, (environment, *key)).fetchone()
        return None if row is None else StoredRow(*row)

    def add(self, db: Connection, environment: int, version: int, rows: Iterable[NewRow]) -> None:
        """Add any number of elements. Raises Conflict for what servers of an older format can't read."""
        if reads_less(db, self.kind.name):
            rows = self._readable(db, rows)
        values, execute_many = self.kind.values, db.execute_many
        if not self._parts:
            execute_many(
                self._insert, ((place, environment, version, body, *values(element)) for place, body, element in rows)
            )
            return
        for place, body, element in rows:
            db.post(self._insert, (place, environment, version, body, *values(element)))
            self._change_parts(db, environment, element, None, element)

    def _readable(self, db: Connection, rows: Iterable[NewRow]) -> Iterator[NewRow]:
        for row in rows:
            refuse_unread_text(db, self.kind.name, row.body)
            yield row

    @contextmanager
    def filling(self, db: Connection, rows: int) -> Iterator[None]:
        """Wraps a block that adds `rows` rows.

        PERF: if these are more than the table has, the indexes are rebuilt at the end, in the same transaction. An
        index built in order takes a third of the time and writes each page once.
        """
        indexes = db.indexes_of(self.kind.name) if rows > MANY and rows > self._count(db) else []
        for name, _ in indexes:
            db.execute(f"DROP INDEX {name}")
        yield
        for _, statement in indexes:
            db.execute(statement)

    def change(
        self,
        db: Connection,
        environment: int,
        version: int,
        found: StoredRow,
        body: bytes,
        before: Element,
        after: Element,
    ) -> None:
        """Replace an element by another one with the same key. Raises Conflict as `add`."""
        refuse_unread_text(db, self.kind.name, body)
        db.post(self._update, (version, body, *self.kind.values(after), found.place))
        self._change_parts(db, environment, after, before, after)

    def fill_names(self, db: Connection, environment: int) -> None:
        """Write what the elements are called, which an older format does not have."""
        if CALLED not in self.kind.columns:
            return
        at = len(self.kind.key) + self.kind.columns.index(CALLED)
        low, high = bounds(environment)
        while rows := db.execute(
            f"SELECT place, body FROM {self.kind.name} WHERE place BETWEEN ? AND ? ORDER BY place LIMIT ?",
            (low, high, MANY),
        ).fetchall():
            names = ((self.kind.values(element_of(self.kind.name, body))[at], place) for place, body in rows)
            db.execute_many(f"UPDATE {self.kind.name} SET {CALLED} = ? WHERE place = ?", names)
            low = rows[-1][0] + 1

    def remove(self, db: Connection, places: Iterable[int]) -> None:
        """Remove elements, and the rows of their references."""
        db.execute_many(f"DELETE FROM {self.kind.name} WHERE place = ?", ((place,) for place in places))

    def bodies(self, db: Connection, environment: int) -> Iterator[bytes]:
        """Returns the texts of all elements, in the order of the list."""
        low, high = bounds(environment)
        read = db.stream if self.kind.name in _LONG else db.execute
        rows = read(f"SELECT body FROM {self.kind.name} WHERE place BETWEEN ? AND ? ORDER BY place", (low, high))
        return (body for (body,) in rows)

    def ids(self, db: Connection, environment: int) -> list[str]:
        """Returns the ids of all elements, in the order of the list."""
        query = f"SELECT id FROM {self.kind.name} WHERE place BETWEEN ? AND ? ORDER BY place"
        return [id for (id,) in db.execute(query, bounds(environment))]

    def next_place(self, db: Connection, environment: int) -> int:
        """Returns the first place after the end of the list."""
        low, high = bounds(environment)
        query = f"SELECT place FROM {self.kind.name} WHERE place BETWEEN ? AND ? ORDER BY place DESC LIMIT 1"
        last = db.execute(query, (low, high)).fetchone()
        return low if last is None else int(last[0]) + 1

    def _count(self, db: Connection) -> int:
        (count,) = db.execute(f"SELECT count(*) FROM {self.kind.name}").fetchone()
        return int(count)

    def _change_parts(
        self, db: Connection, environment: int, owner: Element, before: Element | None, after: Element
    ) -> None:
        for part, insert, delete in self._parts:
            id = self.kind.key_of(owner)
            old: set[Row] = set() if before is None else part.rows(before)
            new = part.rows(after)
            db.execute_many(delete, ((environment, *id, *row) for row in old - new))
            db.execute_many(insert, ((environment, *id, *row) for row in sorted(new - old)))


def bounds(environment: int) -> tuple[int, int]:
    """Returns the first and the last place of an environment."""
    return environment << PLACE_BITS, ((environment + 1) << PLACE_BITS) - 1


def _part_insert(part: ReferenceTable) -> str:
    columns = ("environment", part.owner, *part.columns)
    return f"INSERT INTO {part.table} ({', '.join(columns)}) VALUES ({_marks(columns)})"


def _part_delete(part: ReferenceTable) -> str:
    where = " AND ".join(f"{name} = ?" for name in ("environment", part.owner, *part.columns))
    return f"DELETE FROM {part.table} WHERE {where}"


def _marks(columns: Iterable[str]) -> str:
    return ", ".join("?" for _ in columns)


TABLES = {name: Table(kind) for name, kind in KINDS.items()}
