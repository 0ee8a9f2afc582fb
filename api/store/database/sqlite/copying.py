"""Copies a database that may be in use to a file, which is there whole or not at all."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from .....bundles.system_errors import reason_of
from ...errors import StoreFull, StoreUnavailable
from .connections import SqliteConnections
from .opening import ensure_file

BESIDE: Final = ("-wal", "-shm", "-journal")
"""The endings of the files that SQLite keeps beside a database."""


def copy_database(source: SqliteConnections, file: Path) -> None:
    """Copies the state of one instant to the database `file`, which has no files beside it. Raises StoreUnavailable."""
    try:
        with source.translated(), closing(source.fresh()) as db, closing(sqlite3.connect(file)) as target:
            # In one step: between steps, another process's write would restart the copy.
            db.conn.backup(target)
            # A copy needs no files beside it.
            target.execute("PRAGMA journal_mode = DELETE")
    except StoreFull as ex:  # the source is only read, so it is the copy that has no room
        public = "there is no room for a copy: the disk is full or a limit is reached"
        raise StoreFull(f"there is no room in `{file.parent}`: the disk is full or a limit is reached", public) from ex


def remove_files(path: Path, *endings: str) -> None:
    """Removes the files whose names are that of `path` with one of the endings. Raises OSError."""
    for ending in endings:
        path.with_name(path.name + ending).unlink(missing_ok=True)


@contextmanager
def unfinished_file(path: Path, name: str) -> Iterator[Path]:
    """Yields a new file of that name, mode 0600. It becomes `path`, durably, unless the block raises an exception."""
    file = path.with_name(name)
    ensure_file(file)
    try:
        yield file
        with file.open("rb") as written:
            os.fsync(written.fileno())
        os.replace(file, path)
    except OSError as ex:
        raise StoreUnavailable(f"`{path}` can't be written: {reason_of(ex)}") from None
    finally:
        remove_files(file, "", *BESIDE)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
