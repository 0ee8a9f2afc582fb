"""Brings the database of a store up to date: fills an empty one, expands an older one, refuses a newer or foreign one.

All steps are one transaction, which has the store's lock: of servers that start together, one does them. An empty
database has no lock yet. There, the first one makes the first table, and the others wait for it.

An older store keeps its format: it only gets what the newer one has besides. So older servers go on, and can be started
again, until `store/upgrades` contracts it. A step that they can't bear is taken only if none of them has a lease.
"""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Final, NamedTuple

from psycopg import errors

from ...errors import OlderFormat, StoreUnavailable
from ..connections import LARGE_WRITE_IDLE_SECONDS
from ..driver_errors import QueryFailed
from ..formats.shared_tables import EXPANSIONS, NOTE_EXPANSION
from ..schema import MIGRATIONS
from .connection import PostgresConnection, failures
from .connections import PostgresConnections
from .functions import FUNCTIONS
from .server_tables import ANSWER_ALL, FORMAT_TABLE, KEY_TABLES, LEASE_TABLES, READ_FORMAT, UNANSWERED, newer_format
from .sessions.rights import foreign_right
from .write_locks import LOCK_STORE, LOCKS_TABLE

_ENCODING: Final = "UTF8"
_OBJECTS: Final = """
SELECT count(*), count(*) FILTER (WHERE relname = 'writ_format'),
    count(*) FILTER (WHERE relname = 'store_expansion' AND relkind = 'r')
FROM pg_class WHERE relnamespace = current_schema()::regnamespace
"""
"""One statement, since another server may fill the database between two."""

_MADE_BY_ANOTHER: Final = (errors.DuplicateTable, errors.UniqueViolation)
"""The errors of a session that makes a table which another one has just made: it had waited for that one."""

_LIMITED: Final = f"SET LOCAL idle_in_transaction_session_timeout = '{LARGE_WRITE_IDLE_SECONDS}s'"
"""A process that stops in the middle must not keep the others out for ever."""

_UNLIMITED: Final = "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0"


class StoreFormat(NamedTuple):
    """The format of a store, or 0 of an empty database, and the newest one whose tables it has beside it."""

    number: int
    expanded: int


def migrate(connections: PostgresConnections, create: bool = True, upgrade: bool = True) -> None:
    """Give the database what the newest format has. Without `create`, an empty one is refused, and without `upgrade`,
    an older one that no newer server has expanded raises OlderFormat.

    No copy is made before an upgrade: a backup of the database is its operator's. Raises StoreUnavailable for a
    database that is not a store, that has a newer format or another encoding than UTF-8, for a step that servers with
    a lease can't bear, and if a step fails. It is as before then.
    """
    with connections.translated(), closing(connections.fresh()) as db:
        _refuse_unfit(connections, db)
        if read_format(connections, db).expanded >= len(MIGRATIONS):
            return
        found = _begun_alone(connections, db)
        if found.expanded >= len(MIGRATIONS):
            return  # another one has done it meanwhile
        if found.number == 0 and not create:
            said = "is empty; name the database of a store"
            raise StoreUnavailable(f"the store `{connections.place}` {said}", f"the store {said}")
        if found.number and not upgrade:
            problem = f"has format {found.number}, and this version of Writ needs {len(MIGRATIONS)}"
            way = "start a server of this version beside the others, or stop all and run `writ upgrade`"
            raise OlderFormat(f"the store `{connections.place}` {problem}; {way}", f"the store {problem}")
        if found.number and all(step.beside for step in MIGRATIONS[found.number :]):
            _run(connections, found.number, lambda: _expand(db, found.expanded))
        else:
            _refuse_served(connections, db, found.number)
            _run(connections, found.number, lambda: _take_steps(db, found))
        db.commit()


@contextmanager
def filling(connections: PostgresConnections) -> Iterator[PostgresConnection]:
    """Yields a connection to a new store in the transaction that makes it. If the block raises, there is none.

    Raises StoreUnavailable, also if the database is not empty.
    """
    with connections.translated(), closing(connections.fresh()) as db:
        _refuse_unfit(connections, db)
        if _begun_alone(connections, db).number:
            said = "has a store already; name an empty database"
            raise StoreUnavailable(f"`{connections.place}` {said}", f"the database {said}")
        db.run(_UNLIMITED)
        _run(connections, 0, lambda: _take_steps(db, StoreFormat(0, 0)))
        yield db
        db.run(ANSWER_ALL)
        db.commit()


def _begun_alone(connections: PostgresConnections, db: PostgresConnection) -> StoreFormat:
    """Begin a transaction beside which nothing is written. Returns the format, as then."""
    found = read_format(connections, db)
    try:
        db.run(f"BEGIN; {_LIMITED}; {LOCK_STORE if found.number else FORMAT_TABLE}")
    except QueryFailed as ex:
        if found.number or not isinstance(ex.__cause__, _MADE_BY_ANOTHER):
            raise
        db.undo()
        return _begun_alone(connections, db)
    return read_format(connections, db)


def _run(connections: PostgresConnections, version: int, steps: Callable[[], None]) -> None:
    """Take the steps from a format. Raises StoreUnavailable if one fails."""
    try:
        steps()
    except Exception as ex:
        reason = " ".join(str(ex).split()) or type(ex).__name__
        raise StoreUnavailable(
            f"the store `{connections.place}` is not upgraded from format {version} to {len(MIGRATIONS)}, because a"
            f" step failed ({reason}); it is as it was, and the older version of Writ can go on with it",
            "the store can't be upgraded",
        ) from ex


def _expand(db: PostgresConnection, expanded: int) -> None:
    """Add what the newest format has beside that of the store, which stays as it is."""
    for step in MIGRATIONS[expanded:]:
        assert step.beside is not None
        db.declare(step.beside.tables)
        db.run(step.beside.server)
    db.run(NOTE_EXPANSION.format(format=len(MIGRATIONS)))


def _take_steps(db: PostgresConnection, found: StoreFormat) -> None:
    """Bring a store that no server uses to the newest format, and make a new one in an empty database."""
    if found.number == 0:
        db.run(";\n".join((*FUNCTIONS, LOCKS_TABLE, LEASE_TABLES, KEY_TABLES)))
    for number, step in enumerate(MIGRATIONS[found.number :], found.number):
        if number < found.expanded and step.beside is not None:
            db.run(";\n".join(step.beside.contract))
        else:
            db.declare(step.tables)
            db.run(step.server)
    if found.number == 0:
        db.run(UNANSWERED)
    db.run(f"UPDATE writ_format SET number = {len(MIGRATIONS)}, least = {len(MIGRATIONS)}")
    if found.expanded > found.number:
        db.run("DELETE FROM store_expansion")


def _refuse_served(connections: PostgresConnections, db: PostgresConnection, number: int) -> None:
    """Raises StoreUnavailable if a server has a lease on an older store: it could not go on."""
    if number == 0:
        return
    ((servers,),) = db.execute("SELECT count(*) FROM servers").fetchall()
    if servers:
        said = f"has format {number}, and servers that use it can't go on with {len(MIGRATIONS)}"
        way = "stop all servers, and then run `writ upgrade`"
        raise StoreUnavailable(f"the store `{connections.place}` {said}; {way}", f"the store {said}")


def read_format(connections: PostgresConnections, db: PostgresConnection) -> StoreFormat:
    """Returns the format, which is 0 for a schema without tables. Raises StoreUnavailable for any other one."""
    ((objects, formats, expansions),) = db.execute(_OBJECTS).fetchall()
    if not formats:
        if objects:
            said = "is not a store of Writ; use an empty database"
            raise StoreUnavailable(f"the database `{connections.place}` {said}", f"the database {said}")
        return StoreFormat(0, 0)
    ((version, _),) = db.execute(READ_FORMAT).fetchall()
    if version > len(MIGRATIONS):
        problem = newer_format(version)
        raise StoreUnavailable(f"the store `{connections.place}` {problem}", f"the store {problem}")
    expanded = [int(added) for (added,) in db.execute(EXPANSIONS).fetchall()] if expansions else []
    return StoreFormat(int(version), max([int(version), *expanded]))


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
