"""The engines of a store, each with an empty database for one test."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from writ.api.store.leases.database_users import without_lease
from writ.api.store.store import Store

_NUMBERS: Final = count()
END_SESSIONS: Final = """
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
WHERE datname = current_database() AND application_name IN ('writ', 'writ leases')
"""


class Engine:
    """An engine. `url` is that of its database, or None for SQLite, whose databases are files."""

    def __init__(self, url: str | None) -> None:
        self.url = url

    def open(self, directory: Path, synchronous: str = "NORMAL", **options: Any) -> Store:
        """Opens the store. Those on PostgreSQL share one database for the whole test."""
        server = None if self.url is None else without_lease(self.url)
        return Store.open(directory, synchronous, server=server, **options)


@contextmanager
def empty_schema(server: str) -> Iterator[Engine]:
    """Yields PostgreSQL with an empty schema on a server of the tests."""
    name = f"store_{next(_NUMBERS)}"
    with psycopg.connect(server, autocommit=True) as control:
        control.execute(END_SESSIONS)  # an earlier test may have left one, and a copy refuses a store that is in use
        control.execute(f"CREATE SCHEMA {name}".encode())
        try:
            yield Engine(make_conninfo(server, options=f"-c search_path={name}"))
        finally:
            control.execute(END_SESSIONS)  # a test may leave one in a transaction, which keeps its locks
            control.execute(f"DROP SCHEMA {name} CASCADE".encode())


@contextmanager
def engine_named(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """Yields the engine that a fixture has as its parameter."""
    if request.param == "sqlite":
        yield Engine(None)
        return
    with empty_schema(request.getfixturevalue("postgresql")) as found:
        yield found
