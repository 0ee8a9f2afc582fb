"""Backup and restore: a copy of the database taken while it is in use, and a store made of one."""

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from api.store.connections import Connections
from api.store.environments import all_environments
from api.store.opening import FILE, ensure_file, migrate
from api.store.refusals import StoreUnavailable

REPLACED = "writ.db.replaced"
"""What `restore` names the database that it takes the place of."""

_BESIDE = ("-wal", "-shm")


def back_up(connections: Connections, file: Path) -> None:
    """Copy the database, as it is at one instant, to a new file, mode 0600; nobody waits for it meanwhile.

    Raises StoreUnavailable where `file` is there already or can't be written.
    """
    if file.exists():
        raise StoreUnavailable(f"`{file}` exists already; name another file")
    try:
        with _unfinished(file) as unfinished:
            _copy(connections, unfinished)
    except StoreUnavailable as ex:
        raise StoreUnavailable(f"the backup to `{file}` failed: {ex}") from ex


def restore(file: Path, directory: Path) -> None:
    """Make a backup the store in `directory`, every environment's epoch raised (design, "The server").

    No server may run on `directory`. A database that is there is kept beside it as `writ.db.replaced`, and the new
    epochs are above its own. Raises StoreUnavailable for a file that is no sound backup; then nothing is changed.
    """
    if not file.is_file():
        raise StoreUnavailable(f"there is no file `{file}`")
    path = directory / FILE
    epochs = _epochs(path)
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _unfinished(path) as unfinished:
        connections = Connections(unfinished, "FULL")
        try:
            _copy(Connections(file, "FULL"), unfinished)
            _prepare(connections, epochs)
        finally:
            connections.close()
        _put_aside(path)


def _copy(source: Connections, file: Path) -> None:
    with source.translated(), closing(source.fresh()) as db, closing(sqlite3.connect(file)) as target:
        # In one step: in between, a write by another process would make it start anew.
        db.conn.backup(target)
        # A copy stands alone, without files beside it.
        target.execute("PRAGMA journal_mode = DELETE")


def _prepare(connections: Connections, epochs: dict[str, int]) -> None:
    """Check the copy, bring it up to date and raise its epochs; the bundles that it names are not with it."""
    with connections.translated(), closing(connections.fresh()) as db:
        (found,) = db.execute("PRAGMA quick_check(1)").fetchone()
        (version,) = db.execute("PRAGMA user_version").fetchone()
    if not version:
        raise StoreUnavailable("the file is no backup of a store; take another one")
    if found != "ok":
        raise StoreUnavailable(f"the backup is damaged ({found}); take another one")
    migrate(connections)
    with connections.writing() as db:
        for environment in all_environments(db):
            epoch = max(environment.epoch, epochs.get(environment.uuid, 0)) + 1
            db.execute("UPDATE environments SET epoch = ? WHERE number = ?", (epoch, environment.number))
        db.execute("DELETE FROM bundles")
    connections.close()  # the journal's mode is changed by who is alone
    with connections.translated(), closing(connections.fresh()) as db:
        db.execute("PRAGMA journal_mode = DELETE")


def _epochs(path: Path) -> dict[str, int]:
    """The epochs of the environments of a store that is to be replaced, as far as they can be read."""
    if not path.exists():
        return {}
    connections = Connections(path, "FULL")
    try:
        # Being damaged may be why it is replaced.
        with suppress(StoreUnavailable), connections.reading() as db:
            return {environment.uuid: environment.epoch for environment in all_environments(db)}
        return {}
    finally:
        connections.close()


def _put_aside(path: Path) -> None:
    """Rename a database together with what lies beside it, so that none of it is taken for a part of another one."""
    kept = path.with_name(REPLACED)
    for ending in ("", *_BESIDE):
        kept.with_name(kept.name + ending).unlink(missing_ok=True)
        with suppress(FileNotFoundError):
            os.replace(path.with_name(path.name + ending), kept.with_name(kept.name + ending))


@contextmanager
def _unfinished(path: Path) -> Iterator[Path]:
    """A file, mode 0600, that becomes `path`, durably, when the block ends without an exception."""
    file = path.with_name(f".{secrets.token_hex(8)}.unfinished")
    ensure_file(file)
    try:
        yield file
        with file.open("rb") as written:
            os.fsync(written.fileno())
        os.replace(file, path)
    except OSError as ex:
        raise StoreUnavailable(f"`{path}` can't be written: {ex.strerror}") from None
    finally:
        for ending in ("", *_BESIDE):
            file.with_name(file.name + ending).unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
