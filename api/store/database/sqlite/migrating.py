"""Brings the database of a store up to date: fills a new one, upgrades an older one, refuses a newer or foreign one.

`sqlite_utils.Migrations` can't replace `migrate`:

- It lists the pending steps before its transaction begins, and begins without the write lock. If several processes
  open a new store at once, all but one fail with "database is locked". Here each checks again under the lock.
- It records applied steps by name in a table, and skips names that it does not know. So an older program would accept
  a newer store. `user_version` makes it refuse.
- It knows no application id, so it would add tables to a foreign database.
"""

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Final

from ...errors import OlderFormat, StoreUnavailable
from ..connections import BUSY_SECONDS
from ..schema import MIGRATIONS
from .connection import SqliteConnection
from .connections import SqliteConnections
from .upgrade_copies import drop_old_copies, drop_repeated_copy, keep_copy, newest_copy

_PAUSE_SECONDS = 0.01
APPLICATION_ID: Final = 0x57524954
"""`WRIT` in ASCII. In the header of the file, it distinguishes Writ's databases from others."""

_UNRELEASED_ID: Final = 0x57726974
"""`Writ` in ASCII: the databases from before version 0.1.0, which counted their formats apart."""


def migrate(connections: SqliteConnections, keep: bool = True, upgrade: bool = True) -> Path | None:
    """Migrate the database to the newest format, in one transaction. Several processes may do so at once: one does it.

    Without `upgrade`, only a new database is filled. An older one raises OlderFormat.

    Returns the copy of the older database, which it makes before the first change, or None if it made none: the
    database was new or up to date, or `keep` is False.

    Raises StoreUnavailable for a database that is not a store, or that has a newer format, and if the copy can't be
    written or a step fails. The database is as before then, and at most one copy of its format is there.
    """
    try:
        with connections.reading() as db:  # one state: another process may fill a new database between two reads
            version, is_wal = _checked_version(db, connections.path), db.journal_mode == "wal"
    finally:
        connections.close()  # a refused store must not look as if it were in use
    if not is_wal:
        with connections.translated(), closing(connections.fresh()) as db:
            _switch_to_wal(db)
    if version == len(MIGRATIONS):
        return None
    if version and not upgrade:
        raise _older(connections.path, version)
    kept = None
    try:
        with connections.writing() as db:
            version = _checked_version(db, connections.path)
            if keep and 0 < version < len(MIGRATIONS):
                kept = keep_copy(connections, version, len(MIGRATIONS), time.time())
            _run_steps(db, connections.path, version)
    except BaseException:
        if kept is not None:
            drop_repeated_copy(connections.path, kept)
        raise
    if kept is not None:
        drop_old_copies(connections.path)
    return kept


def _run_steps(db: SqliteConnection, path: Path, version: int) -> None:
    """Runs the steps that an older format lacks. Raises StoreUnavailable if one fails."""
    try:
        for step in MIGRATIONS[version:]:
            step.tables(db)
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    except Exception as ex:
        reason = " ".join(str(ex).split()) or type(ex).__name__
        raise StoreUnavailable(
            f"the store `{path}` is not upgraded from format {version} to {len(MIGRATIONS)}, because a step failed"
            f" ({reason}); it is as it was, and the older version of Writ can go on with it",
            "the store can't be upgraded",
        ) from ex


def _older(path: Path, version: int) -> OlderFormat:
    problem = f"has format {version}, and this version of Writ needs {len(MIGRATIONS)}"
    return OlderFormat(
        f"the store `{path}` {problem}; stop the service, and upgrade it with `writ upgrade --data {path.parent}`",
        f"the store {problem}",
    )


def _switch_to_wal(db: SqliteConnection) -> None:
    """Switch to WAL mode. SQLite does not wait if another process does the same, so this does."""
    deadline = time.monotonic() + BUSY_SECONDS
    while db.journal_mode != "wal":
        try:
            db.execute("PRAGMA journal_mode = wal")
        except sqlite3.OperationalError as ex:
            if ex.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE_SECONDS)


def check_application(db: SqliteConnection, path: Path) -> bool:
    """Returns whether the database `path` is a store, which an empty database is not yet.

    Raises StoreUnavailable for another program's database, and for a store from before version 0.1.0.
    """
    (application,) = db.execute("PRAGMA application_id").fetchone()
    if application == APPLICATION_ID:
        return True
    if application == _UNRELEASED_ID:
        said = "is from before Writ 0.1.0; export its models with the Writ that made it, and import them into a new one"
        raise StoreUnavailable(f"the store `{path}` {said}", f"the store {said}")
    (version,) = db.execute("PRAGMA user_version").fetchone()
    (tables,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if tables or version or application:
        said = "is not a store of Writ; use another folder"
        raise StoreUnavailable(f"`{path}` {said}", f"the database {said}")
    return False


def _checked_version(db: SqliteConnection, path: Path) -> int:
    if not check_application(db, path):
        return 0
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > len(MIGRATIONS):
        problem = f"has format {version}, and this version of Writ reads up to {len(MIGRATIONS)}; use a newer version"
        copy = newest_copy(path, len(MIGRATIONS))
        way_back = (
            ""
            if copy is None
            else f", or go back to the state before the upgrade: `writ restore {copy} --data {path.parent}`"
        )
        raise StoreUnavailable(f"the store `{path}` {problem}{way_back}", f"the store {problem}")
    return int(version)
