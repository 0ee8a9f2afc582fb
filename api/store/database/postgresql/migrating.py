"""Brings the database of a store up to date: fills an empty one, upgrades an older one, refuses a newer or foreign one.

All steps are one transaction, which has the store's lock: of servers that start together, one does them. An empty
database has no lock yet. There, the first one makes the first table, and the others wait for it.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Final

from psycopg import errors

from ...errors import OlderFormat, StoreUnavailable
from ..connections import LARGE_WRITE_IDLE_SECONDS
from ..driver_errors import QueryFailed
from ..newest_format import LEAST_FORMAT
from ..schema import MIGRATIONS
from .connection import PostgresConnection, failures
from .connections import PostgresConnections
from .functions import FUNCTIONS
from .server_tables import ANSWER_ALL, FORMAT_TABLE, KEY_TABLES, LEASE_TABLES, READ_FORMAT, UNANSWERED, newer_format
from .sessions.rights import foreign_right
from .write_locks import LOCK_STORE, LOCKS_TABLE

_ENCODING: Final = "UTF8"
_OBJECTS: Final = """
SELECT count(*), count(*) FILTER (WHERE relname = 'writ_format')
FROM pg_class WHERE relnamespace = current_schema()::regnamespace
"""
"""One statement, since another server may fill the database between two."""

_MADE_BY_ANOTHER: Final = (errors.DuplicateTable, errors.UniqueViolation)
"""The errors of a session that makes a table which another one has just made: it had waited for that one."""

_LIMITED: Final = f"SET LOCAL idle_in_transaction_session_timeout = '{LARGE_WRITE_IDLE_SECONDS}s'"
"""A process that stops in the middle must not keep the others out for ever."""

_UNLIMITED: Final = "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0"


def migrate(connections: PostgresConnections, create: bool = True, upgrade: bool = True) -> None:
    """Migrate the database to the newest format. Without `create`, an empty one is refused, and without `upgrade`, an
    older one raises OlderFormat.

    No copy is made before an upgrade: a backup of the database is its operator's. Raises StoreUnavailable for a
    database that is not a store, that has a newer format or another encoding than UTF-8, and if a step fails. It is as
    before then.
    """
    with connections.translated(), closing(connections.fresh()) as db:
        _refuse_unfit(connections, db)
        if _version(connections, db) == len(MIGRATIONS):
            return
        version = _begun_alone(connections, db)
        if version == 0 and not create:
            said = "is empty; name the database of a store"
            raise StoreUnavailable(f"the store `{connections.place}` {said}", f"the store {said}")
        if 0 < version < len(MIGRATIONS) and not upgrade:
            problem = f"has format {version}, and this version of Writ needs {len(MIGRATIONS)}"
            way = "stop the service, back up the database, and upgrade it with `writ upgrade`"
            raise OlderFormat(f"the store `{connections.place}` {problem}; {way}", f"the store {problem}")
        _run_steps(connections, db, version)
        db.commit()


@contextmanager
def filling(connections: PostgresConnections) -> Iterator[PostgresConnection]:
    """Yields a connection to a new store in the transaction that makes it. If the block raises, there is none.

    Raises StoreUnavailable, also if the database is not empty.
    """
    with connections.translated(), closing(connections.fresh()) as db:
        _refuse_unfit(connections, db)
        if _begun_alone(connections, db):
            said = "has a store already; name an empty database"
            raise StoreUnavailable(f"`{connections.place}` {said}", f"the database {said}")
        db.run(_UNLIMITED)
        _run_steps(connections, db, 0)
        yield db
        db.run(ANSWER_ALL)
        db.commit()


def _begun_alone(connections: PostgresConnections, db: PostgresConnection) -> int:
    """Begin a transaction beside which nothing is written. Returns the format, or 0 for a store that it is to fill."""
    found = _version(connections, db)
    try:
        db.run(f"BEGIN; {_LIMITED}; {LOCK_STORE if found else FORMAT_TABLE}")
    except QueryFailed as ex:
        if found or not isinstance(ex.__cause__, _MADE_BY_ANOTHER):
            raise
        db.undo()
        return _begun_alone(connections, db)
    return _version(connections, db)


def _run_steps(connections: PostgresConnections, db: PostgresConnection, version: int) -> None:
    try:
        if version == 0:
            db.run(";\n".join((*FUNCTIONS, LOCKS_TABLE, LEASE_TABLES, KEY_TABLES)))
        for step in MIGRATIONS[version:]:
            db.declare(step)
        if version == 0:
            db.run(UNANSWERED)
        db.run(f"UPDATE writ_format SET number = {len(MIGRATIONS)}, least = {LEAST_FORMAT}")
    except Exception as ex:
        reason = " ".join(str(ex).split()) or type(ex).__name__
        raise StoreUnavailable(
            f"the store `{connections.place}` is not upgraded from format {version} to {len(MIGRATIONS)}, because a"
            f" step failed ({reason}); it is as it was, and the older version of Writ can go on with it",
            "the store can't be upgraded",
        ) from ex


def _version(connections: PostgresConnections, db: PostgresConnection) -> int:
    """Returns the number of the format, or 0 for a schema without tables. Raises StoreUnavailable for any other one."""
    ((objects, formats),) = db.execute(_OBJECTS).fetchall()
    if not formats:
        if objects:
            said = "is not a store of Writ; use an empty database"
            raise StoreUnavailable(f"the database `{connections.place}` {said}", f"the database {said}")
        return 0
    ((version, _),) = db.execute(READ_FORMAT).fetchall()
    if version > len(MIGRATIONS):
        problem = newer_format(version)
        raise StoreUnavailable(f"the store `{connections.place}` {problem}", f"the store {problem}")
    return int(version)


def _refuse_unfit(connections: PostgresConnections, db: PostgresConnection) -> None:
    """Raises StoreUnavailable for another encoding than UTF-8, and if other roles could use the store's rights."""
    ((encoding,),) = db.execute("SELECT current_setting('server_encoding')").fetchall()
    if encoding != _ENCODING:
        said = f"has the encoding {encoding}; make a database with `ENCODING 'UTF8'`"
        raise StoreUnavailable(f"the store `{connections.place}` {said}", f"the store {said}")
    with failures():
        right = foreign_right(db.conn, connections.schema)
    if right is not None:
        said = f"the store `{connections.place}` {right.words}; {right.remedy}"
        raise StoreUnavailable(said, "the database of the store gives other roles too many rights")
