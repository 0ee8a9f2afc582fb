"""Takes over with a database that Writ can't tell from its original, such as one on an older copy of its disk."""

import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

import psycopg

from ..backups.backup import Restored, states_of
from ..database.engine import open_database
from ..database.postgresql.connection import PostgresConnection, failures
from ..errors import StoreUnavailable
from . import lease_tables as sql
from .database_users import taking_over
from .lengths import SECOND, lease_ns
from .primary_line import note_line, this_place
from .succession import Cause, Succession
from .trace import Trace

_RUNNING: Final = "servers with a lease use the database; stop all servers, then try again"


def take_over(url: str, directory: Path, lease_seconds: float, above: Mapping[str, int]) -> Restored:
    """Begin an epoch in each environment of the database of a URL, also above those of `above`, by UUIDs.

    `directory` has the store's own files. A server that starts meanwhile, or goes on after it hung, connects again and
    follows. Raises StoreUnavailable, also while a server has a lease.
    """
    seen = Trace(directory).read()
    connections = open_database(directory, taking_over(url), create=False).connections
    try:
        with connections.translated(), closing(connections.fresh()) as store, failures():
            assert isinstance(store, PostgresConnection)
            return _taken_over(store, lease_ns(lease_seconds), above, 0 if seen is None else seen.line.began)
    finally:
        connections.close()


def _taken_over(store: PostgresConnection, lease: int, above: Mapping[str, int], after: int) -> Restored:
    db = store.conn
    _refuse_servers(db)
    succession = Succession(db, lease)
    with db.transaction():
        succession.lock()
        succession.begin(Cause.TAKEOVER, above)
        note_line(db, this_place(db), after)
        return Restored(states_of(store), None, None)


def _refuse_servers(db: psycopg.Connection) -> None:
    """Raises StoreUnavailable if a server renews its lease. A row that stays as it is for one lease has none."""
    before = _numbers(db)
    if before:
        longest = max(lease for _, lease in before.values())
        time.sleep(longest / SECOND)
        if _numbers(db).items() - before.items():
            raise StoreUnavailable(_RUNNING)


def _numbers(db: psycopg.Connection) -> dict[str, tuple[int, int]]:
    """Returns the number and the length of the last lease of each server, by its id."""
    return {id: (number, lease) for id, number, _, lease in db.execute(sql.LIST_SERVERS) if id != sql.UNKNOWN_SERVER}
