"""The tables that the one definition of the schema makes, as both engines have them."""

import sqlite3
from contextlib import closing
from typing import NamedTuple

from ..schema import MIGRATIONS
from .connection import SqliteConnection


class Table(NamedTuple):
    """A table: its columns, but for those that are computed, and those of its primary key in the key's order.

    `numbered` is the column whose numbers are never used twice, also after their row was deleted, or None.
    """

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    numbered: str | None


def all_tables() -> tuple[Table, ...]:
    """Returns the tables of the newest format, each after those that it refers to. An empty database tells them."""
    with closing(SqliteConnection(sqlite3.connect(":memory:", isolation_level=None))) as db:
        for step in MIGRATIONS:
            step.tables(db)
        query = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
        return tuple(_table(db, name, sql) for name, sql in db.execute(query).fetchall())


def _table(db: SqliteConnection, name: str, sql: str) -> Table:
    found = db.execute("SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden = 0", (name,)).fetchall()
    key = tuple(column for place, column in sorted((place, column) for column, place in found if place))
    numbered = key[0] if " AUTOINCREMENT" in sql else None
    return Table(name, tuple(column for column, _ in found), key, numbered)
