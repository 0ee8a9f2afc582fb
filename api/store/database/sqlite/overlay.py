"""Tables in memory that shadow the tables of the elements, so that a write can be tried without the write lock.

Each table gets a view of its name, on the connection that tries writes. The view shows the stored rows without those
that are gone, and the new rows. Triggers turn a change of the view into rows of these two. The connection refuses to
write to the file.
"""

import sqlite3
from typing import Final

from ..element_rows import OWNERS, PARTS
from .connection import SqliteConnection

_READS: Final = {
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_TRANSACTION,
    sqlite3.SQLITE_RECURSIVE,
}
_WRITES: Final = {sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE}


def add_overlay(db: SqliteConnection) -> None:
    """Shadow the tables of the elements. From then on, the connection writes to memory only. Raises sqlite3.Error."""
    connection = db.conn
    for table in (*PARTS, *OWNERS):
        columns = [str(row[1]) for row in connection.execute(f"PRAGMA main.table_info({table})")]
        _add_rows(connection, table, columns)
        _add_view(connection, table, columns)
    # SQLite declares the table of this function at its first use, which would be denied as any other declaration.
    connection.execute("SELECT 1 FROM json_each('[]')").fetchall()
    connection.set_authorizer(_authorize)


def _authorize(action: int, _first: str | None, _second: str | None, database: str | None, _by: str | None) -> int:
    """Returns whether a statement may do something. A read-only file would not do: its last reader leaves its log."""
    permitted = action in _READS or (action in _WRITES and database == "temp")
    return sqlite3.SQLITE_OK if permitted else sqlite3.SQLITE_DENY


def _add_rows(connection: sqlite3.Connection, table: str, columns: list[str]) -> None:
    """Add tables of the new rows, with the indexes of `table`, and of the keys of the rows that are gone."""
    connection.execute(f"CREATE TABLE temp.new_{table} AS SELECT * FROM main.{table} LIMIT 0")
    keys = _keys(table, columns)
    connection.execute(f"CREATE TABLE temp.gone_{table} ({_types(table, keys)})")
    indexes = {tuple(keys)}
    for (name,) in connection.execute(f"SELECT name FROM pragma_index_list('{table}', 'main')").fetchall():
        found = connection.execute(f"SELECT name FROM pragma_index_info('{name}', 'main')").fetchall()
        indexes.add(tuple(column for (column,) in found))
    for number, names in enumerate(sorted(indexes)):
        connection.execute(f"CREATE INDEX temp.new_{table}_{number} ON new_{table} ({', '.join(names)})")


def _add_view(connection: sqlite3.Connection, table: str, columns: list[str]) -> None:
    names, keys = ", ".join(columns), _keys(table, columns)
    is_gone = " AND ".join(f"g.{key} = t.{key}" for key in keys)
    connection.execute(
        f"CREATE TEMP VIEW {table} AS SELECT {names} FROM main.{table} AS t"
        f" WHERE NOT EXISTS (SELECT 1 FROM temp.gone_{table} AS g WHERE {is_gone})"
        f" UNION ALL SELECT {names} FROM temp.new_{table}"
    )
    old = ", ".join(f"OLD.{key}" for key in keys)
    where = " AND ".join(f"{key} = OLD.{key}" for key in keys)
    add = f"INSERT INTO new_{table} VALUES ({', '.join(f'NEW.{column}' for column in columns)});"
    drop = f"INSERT OR IGNORE INTO gone_{table} VALUES ({old}); DELETE FROM new_{table} WHERE {where};"
    parts = "".join(
        f" DELETE FROM {part} WHERE environment = OLD.environment AND {column} = OLD.id;"
        for part, (owner, column) in PARTS.items()
        if owner == table
    )
    for event, steps in (("INSERT", add), ("UPDATE", f"{drop} {add}"), ("DELETE", drop + parts)):
        name = f"overlay_{table}_{event.lower()}"
        connection.execute(f"CREATE TEMP TRIGGER {name} INSTEAD OF {event} ON {table} BEGIN {steps} END")


def _keys(table: str, columns: list[str]) -> list[str]:
    return columns if table in PARTS else ["place"]


def _types(table: str, keys: list[str]) -> str:
    if table not in PARTS:
        return "place INTEGER PRIMARY KEY"
    return f"{', '.join(keys)}, PRIMARY KEY ({', '.join(keys)})"
