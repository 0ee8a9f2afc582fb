"""Opens the database of a store: makes a new one, brings an older one up to date, refuses a newer or foreign one.

`sqlite_utils.Migrations` can't replace `migrate`:

- It lists the pending steps before its transaction begins, and begins without the write lock. If several processes
  open a new store at once, all but one fail with "database is locked". Here each checks again under the lock.
- It records applied steps by name in a table, and skips names that it does not know. So an older program would accept
  a newer store. `user_version` makes it refuse, and stores of earlier versions have nothing else.
- It knows no application id, so it would add tables to a foreign database.
"""

import os
import sqlite3
import time
from pathlib import Path

from sqlite_utils import Database

from ..errors import StoreUnavailable
from .connections import BUSY_SECONDS, Connections
from .private_files import OWNER_ONLY
from .schema import MIGRATIONS

FILE = "writ.db"
_PAUSE_SECONDS = 0.01
APPLICATION_ID = 0x57726974
"""`Writ` in ASCII. In the header of the file, it distinguishes Writ's databases from others."""


def ensure_file(path: Path) -> None:
    """Create the file if it is missing, with access for its owner alone. SQLite gives its other files the same mode.

    Raises StoreUnavailable if the folder can't be written.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, OWNER_ONLY))
    except PermissionError:
        raise StoreUnavailable.at(path, "is read-only; make the file and its folder writable") from None
    except OSError as ex:
        raise StoreUnavailable.at(path, f"can't be opened: {ex.strerror}") from None


def require_file(path: Path) -> None:
    """Raises StoreUnavailable if the file is missing: an empty store must not replace one that was lost."""
    if not path.exists():
        raise StoreUnavailable.at(path, "is gone")


def migrate(connections: Connections) -> None:
    """Migrate the database to the newest format. Several processes may do so at once: each step is done once.

    Raises StoreUnavailable for a database that is not a store, or that has a newer format.
    """
    db = connections.fresh()
    try:
        with connections.translated():
            version = _checked_version(db, connections.path)
            _switch_to_wal(db)
    finally:
        db.close()
    while version < len(MIGRATIONS):
        with connections.writing() as db:
            version = _checked_version(db, connections.path)
            if version < len(MIGRATIONS):
                MIGRATIONS[version](db)
                version += 1
                db.execute(f"PRAGMA user_version = {version}")
                db.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _switch_to_wal(db: Database) -> None:
    """Switch to WAL mode. SQLite does not wait if another process does the same, so this does."""
    deadline = time.monotonic() + BUSY_SECONDS
    while db.journal_mode != "wal":
        try:
            db.execute("PRAGMA journal_mode = wal")
        except sqlite3.OperationalError as ex:
            if ex.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE_SECONDS)


def _checked_version(db: Database, path: Path) -> int:
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    (tables,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if application != APPLICATION_ID and (tables or version or application):
        said = "is not a store of Writ; use another folder"
        raise StoreUnavailable(f"`{path}` {said}", f"the database {said}")
    if version > len(MIGRATIONS):
        newest = len(MIGRATIONS)
        problem = f"has format {version}, this version of Writ reads up to {newest}; use a newer version"
        raise StoreUnavailable.at(path, problem)
    return int(version)
