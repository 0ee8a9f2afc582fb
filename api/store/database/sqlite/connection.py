"""A connection to a file of SQLite."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from typing import Any, Final

from sqlite_utils import Database

from ..connection import LastSteps, Parameters
from ..newest_format import STORE_FORMAT

CACHE_KIB: Final = 16 * 1024

LARGE_CACHE_KIB: Final = 256 * 1024
"""The cache of a write of many rows: the pages of the indexes that it changes fit in it."""


_WILD: Final = "*?["
MOST_BYTES: Final = 3
"""The bytes of one character, of which none is left out."""


class SqliteConnection(Database):
    """A connection of `Connection`'s kind.

    PERF: `Database.execute` looks for a transaction before and after each statement. These connections begin and end
    their transactions themselves.
    """

    @cached_property
    def last_steps(self) -> LastSteps:
        """The steps that the transaction takes just before its commit."""
        return LastSteps()

    @property
    def format(self) -> int:
        """The newest format: an older store is upgraded before it is used."""
        return STORE_FORMAT

    def execute(self, sql: str, parameters: Parameters | None = None, /) -> sqlite3.Cursor:
        """Run a statement."""
        return self.conn.execute(sql, parameters or ())

    def post(self, sql: str, parameters: Parameters | None = None, /) -> None:
        """Run a statement without results."""
        self.conn.execute(sql, parameters or ())

    def ask(self, questions: Sequence[tuple[str, Parameters]], /) -> list[list[Any]]:
        """Returns the rows of each of several queries."""
        return [self.conn.execute(*question).fetchall() for question in questions]

    @property
    def compares_json(self) -> bool:
        """True: a value has its own type."""
        return True

    def contains(self, column: str, part: str, /) -> tuple[str, str | bytes]:
        """Returns the condition that the text of a column has a part, and its parameter. It may find more rows.

        PERF: GLOB skips to the first character at a third of the time of `instr`, but only to one of ASCII. The second
        byte of another character tells more than the first one.
        """
        if part[0].isascii() and part[0] not in _WILD:
            return f"{column} GLOB ?", f"*{''.join(f'[{one}]' if one in _WILD else one for one in part)}*"
        sought = part.encode()
        return f"instr(CAST({column} AS BLOB), ?) > 0", sought[1:] if len(sought) > MOST_BYTES else sought

    def stream(self, sql: str, parameters: Parameters | None = None, /) -> Iterator[Any]:
        """Yields the rows of a statement, each as it is found."""
        return self.conn.execute(sql, parameters or ())

    def execute_many(self, sql: str, rows: Iterable[Parameters], /) -> None:
        """Run a statement without results for each of the rows of parameters."""
        self.conn.executemany(sql, rows)

    @property
    def in_transaction(self) -> bool:
        """True from the beginning of a transaction to its end, which may be an error."""
        return self.conn.in_transaction

    def indexes_of(self, table: str) -> list[tuple[str, str]]:
        """Returns the names and statements of the indexes that are not constraints."""
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL"
        return self.conn.execute(query, (table,)).fetchall()

    def expect_large_write(self, large: bool) -> None:
        """Give the indexes of a large write more memory, or take it back."""
        self.conn.execute(f"PRAGMA cache_size = -{LARGE_CACHE_KIB if large else CACHE_KIB}")

    def add_table_on_disk(self, name: str, columns: str) -> None:
        """Add a table in a temporary file, outside a transaction."""
        self.conn.execute("PRAGMA temp_store = FILE")
        self.conn.execute(f"CREATE TEMP TABLE {name} ({columns}) WITHOUT ROWID")

    def begin_reading(self) -> None:
        """Begin a transaction that reads one state of the database, up to the end of the connection."""
        self.conn.execute("BEGIN")

    def fault_of_tables(self, prefix: str, definition: str) -> str | None:
        """Returns what is wrong with the tables of that prefix, with their indexes and triggers, or None."""
        with closing(sqlite3.connect(":memory:")) as fresh:
            fresh.executescript(definition)
            expected = _objects(fresh, prefix)
        found = _objects(self.conn, prefix)
        different = sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))
        if different:
            return f"the table, index or trigger {different[0]!a} was changed"
        (state,) = self.conn.execute(f"PRAGMA integrity_check({prefix})").fetchone()
        return None if state == "ok" else f"its table is damaged: {state!a}"

    @contextmanager
    def without_trigger(self, table: str, name: str) -> Iterator[None]:
        """Removes a trigger for the block, and adds it again, word for word."""
        query = "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? AND name = ?"
        (statement,) = self.conn.execute(query, (table, name)).fetchone()
        self.conn.execute(f"DROP TRIGGER {name}")
        yield
        self.conn.execute(statement)

    def last_number(self, table: str) -> int:
        """Returns the last number that a table with AUTOINCREMENT has given to a row, or 0."""
        row = self.conn.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
        return 0 if row is None else int(row[0])

    def number_after(self, table: str, last: int) -> None:
        """Give the next rows of a table with AUTOINCREMENT the numbers after `last`."""
        self.conn.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        self.conn.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, last))


def _objects(connection: sqlite3.Connection, prefix: str) -> dict[str, str]:
    query = "SELECT name, sql FROM sqlite_schema WHERE tbl_name GLOB ? AND sql IS NOT NULL"
    return dict(connection.execute(query, (f"{prefix}*",)).fetchall())
