"""Reads of a server with a lease, on a database that does not answer: those for decisions end with the lease."""

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from writ.api.store.database.connections import DatabaseServer
from writ.api.store.database.postgresql.sessions.session import connected
from writ.api.store.errors import LeaseOver, StoreUnavailable, WithoutLease
from writ.api.store.leases.database_users import ServerLease
from writ.api.store.leases.lease_cell import boot_ns
from writ.api.store.leases.lengths import SECOND
from writ.api.store.store import Store

from tests.support.event_loops import as_event_loop
from tests.support.store_engines import Engine, empty_schema
from tests.support.waiting import wait_until

SOON = SECOND // 2
HOUR = 3_600 * SECOND
SESSIONS = "SELECT array_agg(pid ORDER BY pid) FROM pg_stat_activity WHERE application_name = 'writ'"
WAITING = "SELECT count(*) FROM pg_locks WHERE relation = 'environments'::regclass AND NOT granted"


@pytest.fixture
def database(postgresql: str) -> Iterator[Engine]:
    with empty_schema(postgresql) as found:
        yield found


@pytest.fixture
def lease(database: Engine) -> ServerLease:
    assert database.url is not None
    return ServerLease(database.url)


@contextmanager
def opened(server: DatabaseServer, directory: Path) -> Iterator[Store]:
    found = Store.open(directory, server=server)
    yield found
    found.close()
    found.watch.close()


@pytest.fixture
def store(lease: ServerLease, tmp_path: Path) -> Iterator[Store]:
    """The store of a server with a lease that does not end."""
    lease.cell.set(boot_ns() + HOUR)
    with opened(lease.database, tmp_path) as found:
        yield found


@contextmanager
def silent(database: Engine) -> Iterator["psycopg.Connection[tuple[object, ...]]"]:
    """The database gives no answer about environments for the length of a block."""
    with psycopg.connect(database.url or "") as db:
        db.execute("LOCK TABLE environments IN ACCESS EXCLUSIVE MODE")
        yield db


def test_a_read_on_the_event_loop_ends_with_the_lease(database: Engine, lease: ServerLease, store: Store) -> None:
    with as_event_loop():
        store.environments()
        with silent(database):
            lease.cell.set(boot_ns() + SOON)
            for _ in range(3):
                with pytest.raises(LeaseOver):
                    store.environments()
        lease.cell.set(boot_ns() + HOUR)
        assert [one.id for one in store.environments()] == ["default"]


def test_a_read_for_a_decision_in_a_thread_ends_with_the_lease(
    database: Engine, lease: ServerLease, store: Store
) -> None:
    with silent(database):
        lease.cell.set(boot_ns() + SOON)
        with pytest.raises(WithoutLease), store.deciding():
            store.environments()


def test_a_read_goes_on_while_the_lease_is_renewed(database: Engine, lease: ServerLease, store: Store) -> None:
    def read() -> list[str]:
        with store.deciding():
            return [one.id for one in store.environments()]

    with ThreadPoolExecutor(1) as threads:
        with silent(database) as db:
            lease.cell.set(boot_ns() + SOON)
            reading = threads.submit(read)
            assert wait_until(lambda: lease.cell.set(boot_ns() + SOON) or db.execute(WAITING).fetchone() == (1,))
            end = lease.cell.end[0]
            assert wait_until(lambda: lease.cell.set(boot_ns() + SOON) or boot_ns() > end)
            lease.cell.set(boot_ns() + HOUR)
        assert reading.result() == ["default"]


def test_without_a_lease_nothing_is_read_for_a_decision(database: Engine, lease: ServerLease, store: Store) -> None:
    """Also no connection is made for it. Other calls read."""
    store.close()
    lease.cell.set(0)
    with psycopg.connect(database.url or "", autocommit=True) as db:
        assert wait_until(lambda: db.execute(SESSIONS).fetchone() == (None,))  # the database ends them a little later
        with as_event_loop(), pytest.raises(LeaseOver):
            store.environments()
        with pytest.raises(WithoutLease), store.deciding():
            store.environments()
        assert db.execute(SESSIONS).fetchone() == (None,)
    assert [one.id for one in store.environments()] == ["default"]


def test_a_local_server_does_not_wait_for_its_database_without_a_lease(
    database: Engine, lease: ServerLease, tmp_path: Path
) -> None:
    lease.cell.set(boot_ns() + HOUR)
    with opened(lease.local_database, tmp_path) as store, as_event_loop():
        version = store.watch.version()
        lease.cell.set(0)
        store.watch.close()
        for look in (store.environments, store.watch.version):
            with pytest.raises(StoreUnavailable, match="can't reach the database") as raised:
                look()
            assert not isinstance(raised.value, LeaseOver)
        lease.cell.set(boot_ns() + HOUR)
        assert store.watch.version() == version


def test_a_connection_is_not_waited_for_longer_than_the_lease(lease: ServerLease) -> None:
    """The other end accepts it, and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        lease.cell.set(boot_ns() + SOON)
        with pytest.raises(LeaseOver):
            connected(f"host=127.0.0.1 port={listener.getsockname()[1]} connect_timeout=3600", lease.database.refuse)
    assert wait_until(lambda: all(thread.name != "connect" for thread in threading.enumerate()))
