"""The state of a database file: its format, its pages, and the reason for which it can't be used."""

from contextlib import closing
from typing import Final

from ...errors import StoreUnavailable
from ..connection import Connection
from .connections import SqliteConnections

_IN_USE: Final = "SQLITE_BUSY"
_DAMAGED: Final = ("SQLITE_CORRUPT", "SQLITE_NOTADB")


def format_of(db: Connection) -> int:
    """Returns the number of the format, or 0 for an empty file and for one of another program."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return int(version)


def fault_of_pages(db: Connection) -> str | None:
    """Reads every page, and returns what is wrong with one of them, or None."""
    (found,) = db.execute("PRAGMA quick_check(1)").fetchone()
    return None if found == "ok" else str(found)


def fold(connections: SqliteConnections) -> None:
    """Fold the write-ahead log into the database, so that it is one file. No other process may use it.

    Raises StoreUnavailable.
    """
    with connections.translated(), closing(connections.fresh()) as db:
        db.execute("PRAGMA journal_mode = DELETE")


def is_in_use(error: StoreUnavailable) -> bool:
    """Returns whether the error says that another process uses the file."""
    return _reason(error).startswith(_IN_USE)


def is_damaged(error: StoreUnavailable) -> bool:
    """Returns whether the error says that the file is damaged."""
    return _reason(error).startswith(_DAMAGED)


def _reason(error: StoreUnavailable) -> str:
    return str(getattr(error.__cause__, "sqlite_errorname", ""))
