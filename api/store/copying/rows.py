"""Copies the rows of every table from one database to an empty one, whichever engine has each."""

from collections.abc import Iterable, Iterator
from contextlib import closing, nullcontext
from typing import Any, Final, TypeAlias

from ....bundles.progress import Progress
from ..database.connection import Connection
from ..database.connections import StoreConnections
from ..database.sqlite.table_list import Table, all_tables
from ..finding.keeping import make_all_blocks

Row: TypeAlias = tuple[Any, ...]

BATCH_ROWS: Final = 1_000
BATCH_BYTES: Final = 4 * 2**20
"""The rows, and the bytes of their texts, that are in memory at once. A single row may be larger."""

STAGE: Final = "copying"

LEFT_OUT: Final = frozenset({"bundles", "entry_blocks"})
"""The bundles name files of the other server, and a start builds them again. Blocks of entries follow from elements."""

_GROWING: Final = {"audit": "audit_grows"}
"""The trigger that a table has against gaps. The log begins after 1 if its first entries have expired."""


def copy_rows(source: StoreConnections, target: Connection, progress: Progress) -> dict[str, int]:
    """Copy all rows of one state, and the numbers after which tables go on. Returns the count of rows by table.

    `target` has the tables of a new store, in a transaction. Raises StoreUnavailable if the source can't be read, and
    the errors of the driver of `target`.
    """
    with source.translated():
        db = source.fresh()
    with closing(db):
        with source.translated():
            db.begin_reading()
            tables = [table for table in all_tables() if table.name not in LEFT_OUT]
            counts = {table.name: _count(db, table) for table in tables}
        done, total = 0, sum(counts.values())
        progress(STAGE, done, total)
        for table in tables:
            for rows in _filled(target, table, _batches(source, db, table)):
                done += rows
                progress(STAGE, done, total)
            if table.numbered:
                with source.translated():
                    last = db.last_number(table.name)
                target.number_after(table.name, last)
    make_all_blocks(target)
    return counts


def _count(db: Connection, table: Table) -> int:
    ((count,),) = db.execute(f"SELECT count(*) FROM {table.name}").fetchall()
    return int(count)


def _filled(db: Connection, table: Table, batches: Iterable[list[Row]]) -> Iterator[int]:
    """Fill a table of a new store. Yields the count of each batch of rows."""
    db.execute(f"DELETE FROM {table.name}")  # the schema gives one its first row
    insert = f"INSERT INTO {table.name} ({', '.join(table.columns)}) VALUES ({', '.join('?' * len(table.columns))})"
    trigger = _GROWING.get(table.name)
    with nullcontext() if trigger is None else db.without_trigger(table.name, trigger):
        # PERF: an index that is built in order takes a third of the time.
        indexes = db.indexes_of(table.name)
        for name, _ in indexes:
            db.execute(f"DROP INDEX {name}")
        for rows in batches:
            db.execute_many(insert, rows)
            yield len(rows)
        for _, statement in indexes:
            db.execute(statement)


def _batches(source: StoreConnections, db: Connection, table: Table) -> Iterator[list[Row]]:
    """Yields all rows of a table, in the order of its key, some of them at a time. Raises StoreUnavailable."""
    order = f" ORDER BY {', '.join(table.key)}" if table.key else ""
    rows: list[Row] = []
    size = 0
    with source.translated():
        for row in db.stream(f"SELECT {', '.join(table.columns)} FROM {table.name}{order}"):
            rows.append(row)
            size += sum(len(value) for value in row if isinstance(value, str | bytes))
            if len(rows) == BATCH_ROWS or size >= BATCH_BYTES:
                yield rows
                rows, size = [], 0
        if rows:
            yield rows
