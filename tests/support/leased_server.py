"""A server of the tests with a lease, as a process: `python -m tests.support.leased_server CONNINFO ID SECONDS`.

For each line on standard input, it decides with the revision of the one environment, and writes it, or `refused`.
"""

import logging
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from writ.api.store.database.connections import DatabaseServer
from writ.api.store.database.postgresql.connections import PostgresConnections
from writ.api.store.database.postgresql.migrating import migrate
from writ.api.store.environments import EnvironmentChange, add_environment
from writ.api.store.leases.keeper import Keeper
from writ.api.store.leases.lease_cell import LeaseCell, is_live
from writ.api.store.leases.lease_connection import connecting

BACKENDS = """
SELECT pid FROM pg_stat_activity WHERE application_name = 'writ leases' AND datname = current_database()
"""
"""The processes of the database that serve keepers and writers."""


def prepare(conninfo: str) -> None:
    """Makes the tables, with one environment."""
    with tempfile.TemporaryDirectory() as folder:
        connections = PostgresConnections(DatabaseServer(conninfo, lambda *_: None), Path(folder))
        migrate(connections)
        with connections.writing() as db:
            add_environment(db, "default", "2026-01-05T10:00:00Z", EnvironmentChange())
        connections.close()


def write(db: psycopg.Connection) -> int:
    """Commits a revision, and returns it."""
    return db.execute("UPDATE environments SET revision = revision + 1 RETURNING revision").fetchone()[0]


class LeasedServer:
    """Such a process, from outside."""

    def __init__(self, conninfo: str, id: str, seconds: float) -> None:
        """Start the process. It has no lease yet."""
        self.id = id
        program = [sys.executable, "-m", "tests.support.leased_server", conninfo, id, str(seconds)]
        self._process = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def send(self) -> None:
        """Send a request."""
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def answer(self) -> int | None:
        """Returns the revision of the next answer, or None if the server refuses."""
        line = self._process.stdout.readline().strip()
        return None if line == "refused" else int(line)

    def ask(self) -> int | None:
        """Returns the answer to a new request."""
        self.send()
        return self.answer()

    def ask_until_answered(self) -> int:
        """Returns the first answer that is no refusal."""
        while (revision := self.ask()) is None:
            pass
        return revision

    def stop(self) -> None:
        """Stop the process where it is."""
        os.kill(self._process.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on."""
        os.kill(self._process.pid, signal.SIGCONT)

    def end(self) -> None:
        """End the process in order."""
        self.go_on()
        self._process.communicate()


@contextmanager
def leased_servers(conninfo: str, seconds: float, *ids: str) -> Iterator[list[LeasedServer]]:
    """Servers that have their first lease. They end with the block."""
    servers = [LeasedServer(conninfo, id, seconds) for id in ids]
    try:
        for server in servers:
            server.ask_until_answered()
        yield servers
    finally:
        for server in servers:
            server.end()


def _serve(conninfo: str, id: str, seconds: float) -> None:
    connect, cell = connecting(conninfo, seconds), LeaseCell()
    signals = [0]

    def raise_signal() -> None:
        signals[0] += 1

    keeper = Keeper(id, connect, raise_signal, cell, logging.getLogger("server"), seconds)
    keeper.start()
    seen, revision, db = -1, -1, psycopg.connect(conninfo, autocommit=True)
    for _ in sys.stdin:
        end = cell.end[0]
        if seen != signals[0]:
            seen = signals[0]
            (revision,) = db.execute("SELECT revision FROM environments").fetchone()
        print(revision if is_live(end) else "refused", flush=True)
    keeper.stop()
    db.close()


if __name__ == "__main__":
    _serve(sys.argv[1], sys.argv[2], float(sys.argv[3]))
