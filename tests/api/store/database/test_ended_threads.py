"""The connections of a thread that ended: the store closes them, and leaves none to the garbage collector."""

import gc
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from writ.api.store.database.sqlite.connections import SqliteConnections
from writ.api.store.store import Store


def test_the_connection_of_a_thread_ends_with_it(tmp_path: Path) -> None:
    """Python 3.13 warns of each connection that only the garbage collector closes."""
    with closing(Store.open(tmp_path)) as store:
        connections = store._connections
        assert isinstance(connections, SqliteConnections)
        found: list[sqlite3.Connection] = []

        def read() -> None:
            with connections.reading() as db:
                found.append(db.conn)

        thread = threading.Thread(target=read)
        thread.start()
        thread.join()
        gc.collect()
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            found[0].execute("SELECT 1")
        assert [one.id for one in store.environments()] == ["default"]
