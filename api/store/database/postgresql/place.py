"""A database of PostgreSQL as the place of a store that is copied: it is read whole, or filled in one transaction."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from ...errors import Rejected, StoreUnavailable
from ..connections import DatabaseServer
from .connection import PostgresConnection
from .connections import PostgresConnections
from .migrating import filling, migrate
from .sessions.conninfo import place_of

ENDING_SECONDS: Final = 5.0
"""The seconds that a process of Writ has to end: its connections are there for a moment longer than it."""

_POLL_SECONDS: Final = 0.05

_OTHERS: Final = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name IN ('writ', 'writ leases')
"""


class DatabasePlace:
    """The database of a URL."""

    def __init__(self, url: str) -> None:
        """Raises StoreUnavailable for a URL that can't be read."""
        self._url: Final = url
        self.directory: Final = None
        self.shown: Final = place_of(url)

    def require_store(self) -> None:
        """Ask nothing yet: `opened` does."""

    def refuse_store(self) -> None:
        """Ask nothing yet: `filling` does."""

    @contextmanager
    def opened(self) -> Iterator[PostgresConnections]:
        """Yields the connections to the store. Raises StoreUnavailable, also for a store that a service uses, or of an
        older format.
        """
        with self._connections() as connections:
            migrate(connections, create=False, upgrade=False)
            self._refuse_others(connections)
            yield connections

    @contextmanager
    def filling(self) -> Iterator[PostgresConnection]:
        """Yields a connection to a new store in a transaction. If the block raises, there is none.

        Raises StoreUnavailable, also if the database is not empty.
        """
        try:
            with self._connections() as connections, filling(connections) as db:
                yield db
        except Rejected as ex:  # ids that SQLite takes
            said = f"can't have the copy: {ex.faults[0].sentence}"
            raise StoreUnavailable(f"`{self.shown}` {said}", f"the database {said}") from ex

    @contextmanager
    def _connections(self) -> Iterator[PostgresConnections]:
        """Yields connections whose own files go away with them."""
        server = DatabaseServer(self._url, _admit_any)
        with tempfile.TemporaryDirectory() as folder, closing(PostgresConnections(server, Path(folder))) as found:
            yield found

    def _refuse_others(self, connections: PostgresConnections) -> None:
        """Raises StoreUnavailable if another process of Writ is connected: what it writes later would not be copied."""
        until = time.monotonic() + ENDING_SECONDS
        while others := _others(connections):
            if time.monotonic() > until:
                break
            time.sleep(_POLL_SECONDS)
        if others:
            said = "is in use by another process of Writ; stop it, and try again"
            raise StoreUnavailable(f"the store `{self.shown}` {said}", f"the store {said}")


def _admit_any(_connection: Any, _directory: Path) -> None:
    """Admit a connection: no other process of Writ uses the database, so no primary counts yet."""


def _others(connections: PostgresConnections) -> int:
    """Returns the count of other connections. Each look is another transaction: the first one would be repeated."""
    with connections.reading() as db:
        ((others,),) = db.execute(_OTHERS).fetchall()
    return int(others)
