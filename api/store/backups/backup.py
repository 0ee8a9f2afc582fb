"""Backup and restore: copies a database while it is in use, and makes a store from such a copy."""

import os
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from types import MappingProxyType

from ....bundles.conditions.instants import show_seconds
from ..actor import command_actor
from ..audit.anchor import FILE as ANCHOR
from ..audit.anchor import Anchor
from ..audit.entries import AuditEntry, append
from ..audit.events import Event
from ..credentials.restored_credentials import ReplacedStore, RestoredCredential
from ..database.connection import Connection
from ..database.connections import StoreConnections
from ..database.sqlite.connections import SqliteConnections
from ..database.sqlite.copying import BESIDE, copy_database, remove_files, unfinished_file
from ..database.sqlite.migrating import migrate
from ..database.sqlite.opening import FILE
from ..database.sqlite.soundness import fault_of_pages, fold, format_of, is_damaged, is_in_use
from ..environments import Environment, all_environments
from ..errors import StoreUnavailable

REPLACED = "writ.db.replaced"
"""The name that `restore` gives to the database that it replaces. Another one is `.2`, and so on."""

_UNFINISHED = f".{FILE}.unfinished"


@dataclass(frozen=True, slots=True)
class Restored:
    """The result of a restore: the environments, and the time of the newest revision of each (RFC 3339).

    `kept` is the path of the replaced database, or None if there was none. `credentials` are those that work again
    although they had been revoked or changed, or None if the replaced store can't tell.
    """

    environments: tuple[tuple[Environment, str | None], ...]
    kept: Path | None
    credentials: tuple[RestoredCredential, ...] | None


def back_up(connections: StoreConnections, file: Path) -> None:
    """Copy the database at one instant to a new file, mode 0600. Readers and writers go on meanwhile.

    Raises StoreUnavailable if `file` exists or can't be written.
    """
    if not isinstance(connections, SqliteConnections):
        raise StoreUnavailable("a store on PostgreSQL is backed up by `pg_dump`, which copies it at one instant")
    if file.exists():
        raise StoreUnavailable(f"`{file}` exists already; name another file")
    try:
        with unfinished_file(file, f".{secrets.token_hex(8)}.unfinished") as unfinished:
            copy_database(connections, unfinished)
    except StoreUnavailable as ex:
        raise StoreUnavailable(f"the backup to `{file}` failed: {ex}") from ex


def back_up_older(directory: Path, file: Path) -> None:
    """Copies the store in a directory, which may have an older format. Raises as `back_up`."""
    connections = SqliteConnections(directory / FILE, "FULL")
    try:
        back_up(connections, file)
    finally:
        connections.close()


def restore(
    file: Path, directory: Path, clock: Callable[[], float] = time.time, above: Mapping[str, int] = MappingProxyType({})
) -> Restored:
    """Make a backup the store in `directory`, and raise every environment's epoch (design, "The server").

    No server may run on `directory`. An existing database is kept beside it as `writ.db.replaced`. The new epochs are
    above those of that database and those of `above`, which has epochs by the UUIDs of environments. Tokens that are
    revoked in that database stay revoked. The replacement is one step: if the
    process is killed, one of the two databases is there, whole. The restored store's audit log gets an entry with the
    time of `clock`, in epoch seconds. Raises StoreUnavailable for a file that is not a sound backup, or if another
    process uses the store. Nothing is changed then.
    """
    if not file.is_file():
        raise StoreUnavailable(f"there is no file `{file}`")
    path = directory / FILE
    replaced = ReplacedStore.at(path)
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    remove_files(directory / _UNFINISHED, "", *BESIDE)  # left by a killed restore
    with unfinished_file(path, _UNFINISHED) as unfinished:
        connections = SqliteConnections(unfinished, "FULL")
        try:
            copy_database(SqliteConnections(file, "FULL"), unfinished)
            _check(connections)
            restored = AuditEntry.of(show_seconds(clock()), command_actor(), Event.STORE_RESTORED, {"file": str(file)})
            environments, credentials = _prepare(connections, replaced, restored, above)
        finally:
            connections.close()
        kept = _keep_replaced(path)
        Anchor(directory / ANCHOR).put_aside()  # the restored log is another one
    return Restored(environments, kept, credentials)


def verify_backup(file: Path) -> None:
    """Open a backup, and read every page of it. Raises StoreUnavailable if it could not be restored."""
    _check(SqliteConnections(file, "FULL"))


def _check(connections: SqliteConnections) -> None:
    """Raises StoreUnavailable if the copy is not a sound store."""
    with connections.translated(), closing(connections.fresh()) as db:
        found, version = fault_of_pages(db), format_of(db)
    if not version:
        raise StoreUnavailable("the file is not a backup of a store; use another one")
    if found is not None:
        raise StoreUnavailable(f"the backup is damaged ({found}); use another one")


def _prepare(
    connections: SqliteConnections, replaced: ReplacedStore, entry: AuditEntry, above: Mapping[str, int]
) -> tuple[tuple[tuple[Environment, str | None], ...], tuple[RestoredCredential, ...] | None]:
    """Migrate the copy, raise its epochs, add `entry` to its audit log, and remove its references to bundles.

    Returns its environments, the time of each one's last change, and the result of `carry_over`.
    """
    migrate(connections, keep=False)  # the backup itself is the copy
    with connections.writing() as db:
        for environment in all_environments(db):
            known = (environment.epoch, *(epochs.get(environment.uuid, 0) for epochs in (replaced.epochs, above)))
            epoch = max(known) + 1
            db.execute("UPDATE environments SET epoch = ? WHERE number = ?", (epoch, environment.number))
        db.execute("DELETE FROM bundles")
        credentials = replaced.carry_over(db)
        append(db, entry)
        environments = states_of(db)
    connections.close()
    fold(connections)
    return environments, credentials


def states_of(db: Connection) -> tuple[tuple[Environment, str | None], ...]:
    """Returns the environments, by id, each with the time of its last change (RFC 3339), or None if it has none."""
    return tuple((environment, _changed(db, environment)) for environment in all_environments(db))


def _changed(db: Connection, environment: Environment) -> str | None:
    query = "SELECT time FROM changes WHERE environment = ? AND revision = ?"
    row = db.execute(query, (environment.number, environment.revision)).fetchone()
    return None if row is None else str(row[0])


def _keep_replaced(path: Path) -> Path | None:
    """Give the database a second name, and remove the files beside the first name.

    SQLite would read those with the restored database. The first name stays, in case this process is killed. Raises
    StoreUnavailable if the database is in use.
    """
    if not path.exists():
        remove_files(path, *BESIDE)
        return None
    try:
        fold(SqliteConnections(path, "FULL"))
    except StoreUnavailable as ex:
        if is_in_use(ex):
            message = f"another process uses the store `{path}`; stop it, then try again"
            raise StoreUnavailable(message) from None
        if not is_damaged(ex):  # damage may be why it is replaced: its log is kept too
            raise
    kept = _free_path(path)
    if not kept.exists():
        remove_files(kept, *BESIDE)
        for ending in (*BESIDE, ""):
            with suppress(FileNotFoundError):
                os.link(path.with_name(path.name + ending), kept.with_name(kept.name + ending))
    remove_files(path, *BESIDE)
    return kept


def _free_path(path: Path) -> Path:
    """Returns the path for a replaced database: never that of another one, which a user may want back."""
    names = chain((REPLACED,), (f"{REPLACED}.{number}" for number in count(2)))
    places = (path.with_name(name) for name in names)
    return next(place for place in places if not place.exists() or place.samefile(path))
