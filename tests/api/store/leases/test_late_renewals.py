"""A renewal of a lease that waits for a lock of another session, and an epoch that begins a moment later."""

import logging
import threading
from pathlib import Path

import psycopg
import pytest
from writ.api.store.database.postgresql.connections import PostgresConnections
from writ.api.store.errors import EpochAwaited
from writ.api.store.leases.database_users import ServerLease
from writ.api.store.leases.keeper import Keeper
from writ.api.store.leases.lease_cell import LeaseCell, is_live
from writ.api.store.leases.lease_connection import connecting
from writ.api.store.leases.lengths import lease_ns
from writ.api.store.leases.primary_line import take_line

from tests.support.waiting import wait_until

from .conftest import SECONDS

pytestmark = pytest.mark.postgresql

COPIED = "UPDATE primary_line SET noted = noted"
"""Writes the row by another transaction, as a dump that is restored."""


def test_a_lock_that_keeps_a_lease_from_its_renewal_is_named(conninfo: str, caplog: pytest.LogCaptureFixture) -> None:
    """The log says whose process has it, and when the lease is there again."""
    caplog.set_level(logging.WARNING, "leases of tests")
    cell, log = LeaseCell(), logging.getLogger("leases of tests")
    keeper = Keeper("kept", connecting(conninfo, SECONDS), lambda: None, cell, log, SECONDS)
    keeper.start()
    assert wait_until(lambda: is_live(cell.end[0]))
    with psycopg.connect(conninfo, application_name="nightly report") as other:
        other.execute("LOCK TABLE servers IN ACCESS EXCLUSIVE MODE")
        assert wait_until(lambda: "lease is over" in caplog.text)
        assert not is_live(cell.end[0])
        process = other.info.backend_pid
    assert f"it waits for a lock of process {process} (user 'writ', program 'nightly report')" in caplog.text
    assert wait_until(lambda: is_live(cell.end[0]) and "was renewed again" in caplog.text)
    keeper.stop()
    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"]


def test_a_server_that_does_not_answer_is_told_without_a_lock(conninfo: str, caplog: pytest.LogCaptureFixture) -> None:
    """Another question is not answered either."""
    caplog.set_level(logging.ERROR, "leases of tests")
    connect, cell, blocked = connecting(conninfo, SECONDS), LeaseCell(), threading.Event()

    def connect_once() -> psycopg.Connection:
        if blocked.is_set():
            raise psycopg.OperationalError("no more\nlines")
        return connect()

    keeper = Keeper("kept", connect_once, lambda: None, cell, logging.getLogger("leases of tests"), SECONDS)
    keeper.start()
    assert wait_until(lambda: is_live(cell.end[0]))
    with psycopg.connect(conninfo) as other:
        other.execute("LOCK TABLE servers IN ACCESS EXCLUSIVE MODE")
        blocked.set()
        assert wait_until(lambda: "nor another question: no more" in caplog.text)
        blocked.clear()
    keeper.stop()


def test_a_worker_waits_for_the_epoch_that_its_keeper_begins(conninfo: str, tmp_path: Path) -> None:
    """In a fail-over, a worker may reach the new primary a moment before the keeper of its server does."""
    lease = ServerLease(conninfo, 20.0)
    with psycopg.connect(conninfo, autocommit=True) as db:
        lease.cell.set_line(take_line(db, lease_ns(SECONDS)))
        db.execute(COPIED)
        asked = threading.Event()
        connections = PostgresConnections(lease.database, tmp_path)
        admit, lines = lease.database.admit, []

        def look() -> None:
            with connections.translated(), connect() as worker:
                asked.set()
                lines.append(admit(worker, tmp_path))

        connect = connecting(conninfo, SECONDS)
        thread = threading.Thread(target=look)
        thread.start()
        assert asked.wait(20)
        line = take_line(db, lease_ns(SECONDS))
        thread.join()
    connections.close()
    assert lines == [line]


def test_a_worker_waits_no_longer_than_a_lease(conninfo: str, tmp_path: Path) -> None:
    """No keeper comes: the message says what to do."""
    lease = ServerLease(conninfo, SECONDS)
    with psycopg.connect(conninfo, autocommit=True) as db:
        lease.cell.set_line(take_line(db, lease_ns(SECONDS)))
        db.execute(COPIED)
        with pytest.raises(EpochAwaited, match="start a server, or run `writ takeover`"):
            lease.database.admit(db, tmp_path)
