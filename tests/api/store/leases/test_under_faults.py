"""Three servers with leases under random faults, for some seconds: no request that follows a write misses it."""

import os
import random
import signal
import threading
import time

import psycopg
import pytest
from writ.api.store.errors import NotSignalled
from writ.api.store.leases.confirmations import Confirmations
from writ.api.store.leases.lease_connection import connecting

from tests.api.store.leases.conftest import SECONDS
from tests.support.leased_server import BACKENDS, LeasedServer, leased_servers, write

pytestmark = pytest.mark.service

MINUTE = 60
PAUSE = 0.001
"""Seconds between two reads of a client, so that no client starves another one."""
RUN_SECONDS = 10.0
MOST_SECONDS = 60.0
"""A busy machine needs longer for the least number of operations."""
LEAST = 50
"""Writes and reads of a run, so that a run without operations shows nothing."""


class Clients:
    """Writers and readers of one revision, and the times and revisions of what they did."""

    def __init__(self, conninfo: str) -> None:
        self.over = threading.Event()
        self.written: list[tuple[float, int]] = []
        self.read: list[tuple[float, int]] = []
        self._conninfo = conninfo

    def writes(self) -> None:
        """Write until the run is over, and note when each write was confirmed."""
        waits = Confirmations(None, connecting(self._conninfo, SECONDS), SECONDS)
        with psycopg.connect(self._conninfo, autocommit=True) as db:
            while not self.over.wait(random.random() * SECONDS / 4):
                revision = write(db)
                try:
                    waits.confirm().result(MINUTE)
                except NotSignalled:
                    continue
                self.written.append((time.monotonic(), revision))
        waits.close()

    def reads(self, server: LeasedServer) -> None:
        """Ask a server until the run is over, and note when each request began."""
        while not self.over.wait(PAUSE):
            began = time.monotonic()
            if (revision := server.ask()) is not None:
                self.read.append((began, revision))

    def fewer(self) -> int:
        """Returns the number of writes or of reads, whichever is less."""
        return min(len(self.written), len(self.read))

    def stale(self) -> list[tuple[float, int]]:
        """Returns the reads that began after the end of a write with a later revision."""
        found, newest, writes = [], 0, iter(sorted(self.written))
        ended, revision = next(writes)
        for began, seen in sorted(self.read):
            while ended < began:
                newest = max(newest, revision)
                ended, revision = next(writes, (float("inf"), 0))
            if seen < newest:
                found.append((began, seen))
        return found


def last(most: float = SECONDS) -> None:
    """Let a fault last for a random time."""
    time.sleep(random.random() * most)


def stop_one(servers: list[LeasedServer], _db: psycopg.Connection) -> None:
    """A server stands still for up to two leases."""
    server = random.choice(servers)
    server.stop()
    last(2 * SECONDS)
    server.go_on()


def stop_a_backend(_servers: list[LeasedServer], db: psycopg.Connection) -> None:
    """The database does not answer one keeper or writer for up to two leases."""
    processes = [row[0] for row in db.execute(BACKENDS)]
    if processes:
        process = random.choice(processes)
        os.kill(process, signal.SIGSTOP)
        last(2 * SECONDS)
        os.kill(process, signal.SIGCONT)


def end_a_backend(_servers: list[LeasedServer], db: psycopg.Connection) -> None:
    """A connection of a keeper or a writer is cut."""
    db.execute(f"SELECT pg_terminate_backend(pid) FROM ({BACKENDS} LIMIT 1) AS one")
    last()


def test_no_request_that_follows_a_confirmed_write_misses_it(conninfo):
    clients = Clients(conninfo)
    with psycopg.connect(conninfo, autocommit=True) as db, leased_servers(conninfo, SECONDS, "a", "b", "c") as servers:
        work = [clients.writes, clients.writes, *(lambda one=one: clients.reads(one) for one in servers)]
        threads = [threading.Thread(target=one) for one in work]
        for thread in threads:
            thread.start()
        began = time.monotonic()
        while time.monotonic() < began + RUN_SECONDS or (
            clients.fewer() <= LEAST and time.monotonic() < began + MOST_SECONDS
        ):
            random.choice((stop_one, stop_a_backend, end_a_backend))(servers, db)
        clients.over.set()
        for thread in threads:
            thread.join()
    assert clients.stale() == []
    assert clients.fewer() > LEAST
