"""The connections of a thread that ended: the store closes them, and leaves none to the garbage collector."""

import gc
import sys
import threading
import warnings
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from writ.api.store.database.sqlite.connections import SqliteConnections
from writ.api.store.store import Store


def test_the_connection_of_a_thread_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.13 warns of each connection that only the garbage collector closes."""
    said: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", said.append)
    with closing(Store.open(tmp_path)) as store, warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        thread = threading.Thread(target=store.environments)
        thread.start()
        thread.join()
        del thread
        gc.collect()
        assert [str(one.exc_value) for one in said] == []
        assert [one.id for one in store.environments()] == ["default"]


def test_rows_outlive_what_asked_for_them(tmp_path: Path) -> None:
    with closing(Store.open(tmp_path)) as store:
        connections = store._connections
        assert isinstance(connections, SqliteConnections)
        rows = connections.fresh().execute("SELECT id FROM environments")
        gc.collect()
        assert rows.fetchall() == [("default",)]
