"""Reads the facts of a store for a check of an installation, without an upgrade or any other change."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ...compiler.limits import DEFAULTS, Limits
from .audit.anchor import Anchor
from .audit.events import Event
from .audit.seals import Seal, Sealer
from .audit.tampering import Tampered, verified_seal
from .audit.unsealed import Unsealed, unsealed_after
from .database.connection import Connection
from .database.connections import DatabaseServer, StoreConnections
from .database.driver_errors import DRIVER_ERRORS
from .database.engine import open_database
from .database.newest_format import STORE_FORMAT
from .database.sqlite.connections import SqliteConnections
from .database.sqlite.migrating import check_application
from .database.sqlite.opening import FILE
from .database.sqlite.soundness import fault_of_pages, format_of
from .environments import all_environments
from .errors import StoreUnavailable
from .models.stored_errors import StoredErrors, stored_errors


@dataclass(frozen=True, slots=True)
class Examined:
    """A store that can be read. `format` is its version, and `bytes` the size of the database.

    `newest` is the time (RFC 3339) of the newest audit entry, or None without an entry. `head` says what is wrong with
    the head of the audit log, or is None. `waits` is true if `writ restore` made the store, and no seal followed.
    `unsealed` are the entries after the last seal. `created` is the time of the oldest environment. `errors` are those
    of the models, by the id of the environment; a store of an older format has none.
    """

    format: int
    bytes: int
    newest: str | None
    head: str | None
    waits: bool
    unsealed: Unsealed
    created: str | None
    errors: Mapping[str, StoredErrors]


def examine(path: Path, anchor: Anchor, sealer: Sealer, limits: Limits = DEFAULTS) -> Examined:
    """Returns what is in the database `path`, whose every page it reads. `anchor` has the newest seal of its log.

    Raises StoreUnavailable for a file that is not a sound store.
    """
    try:
        return _examined(SqliteConnections(path, "FULL"), anchor, sealer, limits)
    except DRIVER_ERRORS as ex:
        raise StoreUnavailable.at(path, f"can't be read ({ex}); restore a backup") from ex


def stored_environments(directory: Path, server: DatabaseServer | None) -> frozenset[str]:
    """Returns the ids of the environments in the store of a directory, or of a server. Raises StoreUnavailable."""
    if server is None:
        connections: StoreConnections = SqliteConnections(directory / FILE, "FULL")
    else:
        connections = open_database(directory, server, create=False).connections
    try:
        with connections.reading() as db:
            return frozenset(str(id) for (id,) in db.execute("SELECT id FROM environments"))
    except DRIVER_ERRORS as ex:
        raise StoreUnavailable(f"the environments of the store can't be read ({ex})") from ex
    finally:
        connections.close()


def _examined(connections: SqliteConnections, anchor: Anchor, sealer: Sealer, limits: Limits) -> Examined:
    path = connections.path
    with connections.translated(), closing(connections.fresh()) as db:
        if not check_application(db, path):
            raise StoreUnavailable.at(path, "is not a store of Writ; use another folder")
        _check_pages(db)
        version = format_of(db)
        row = db.execute("SELECT time FROM audit ORDER BY number DESC LIMIT 1").fetchone()
        newest = None if row is None else str(row[0])
        waits = _waits_for_seal(db, anchor)
        head = None if waits else _fault_of_head(db, anchor, sealer)
        unsealed = unsealed_after(db, _seal_in(anchor))
        (created,) = db.execute("SELECT min(created) FROM environments").fetchone()
        errors = errors_by_environment(db, limits) if version == STORE_FORMAT else {}
    return Examined(int(version), path.stat().st_size, newest, head, waits, unsealed, created, errors)


def errors_by_environment(db: Connection, limits: Limits) -> Mapping[str, StoredErrors]:
    """Returns the errors of the models of a store, by the ids of their environments."""
    return {one.id: stored_errors(db, one, limits) for one in all_environments(db)}


def _seal_in(anchor: Anchor) -> Seal | None:
    try:
        return anchor.read()
    except Tampered:
        return None


def _check_pages(db: Connection) -> None:
    found = fault_of_pages(db)
    if found is not None:
        raise StoreUnavailable(f"the store is damaged ({found}); restore a backup")


def _waits_for_seal(db: Connection, anchor: Anchor) -> bool:
    """Returns whether the store was restored after its last seal, and put its anchor aside. The next start seals it."""
    if anchor.path.exists():
        return False
    query = "SELECT max(number) FROM audit WHERE event = ? AND number > (SELECT max(number) FROM audit_seals)"
    (restored,) = db.execute(query, (Event.STORE_RESTORED,)).fetchone()
    return restored is not None


def _fault_of_head(db: Connection, anchor: Anchor, sealer: Sealer) -> str | None:
    """Returns what is wrong with the newest seal or with the entry that it seals, or None. One entry is compared."""
    try:
        seal = anchor.read()
        if seal is None:
            (seals,) = db.execute("SELECT count(*) FROM audit_seals").fetchone()
            return f"the file `{anchor.path}` is missing, although the log was sealed" if seals else None
        return _difference(db, verified_seal(seal, sealer))
    except Tampered as ex:
        return str(ex)


def _difference(db: Connection, seal: Seal) -> str | None:
    first, last = db.execute("SELECT min(number), max(number) FROM audit").fetchone()
    if last is None or seal.number > last:
        return f"the log ends at entry {last or 0}, but entry {seal.number} was sealed"
    if seal.number < first:  # the entry has been removed after its time
        return None
    row = db.execute("SELECT digest FROM audit WHERE number = ?", (seal.number,)).fetchone()
    return None if row is not None and row[0] == seal.digest else f"entry {seal.number} is not the one that was sealed"
