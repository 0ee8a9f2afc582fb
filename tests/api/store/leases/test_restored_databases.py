"""A restored or copied database is noticed by the first connection, and begins an epoch that no other copy had."""

import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from writ.api.store.actor import COMMAND_LINE
from writ.api.store.audit.entries import EntryFilter
from writ.api.store.audit.events import Event
from writ.api.store.elements.edits import Create
from writ.api.store.leases.database_users import without_lease
from writ.api.store.store import Store

from tests.support import postgres
from tests.support.stored import ENV

CAUSES = ["copy"]


class Restored:
    """A store in a database of a cluster, the dump of its first revision, and ways to bring that back."""

    def __init__(self, cluster: str, folder: Path, name: str) -> None:
        self.cluster, self.folder, self.name, self.dump = cluster, folder, name, folder / "writ.dump"
        self.make(name)
        with closing(Store.open(folder, server=without_lease(self.at(name)))):
            self.run("pg_dump", "--format=custom", f"--file={self.dump}", self.at(name))

    def at(self, name: str) -> str:
        """The connection string of a database."""
        return f"{self.cluster} dbname={name}"

    def make(self, name: str, more: str = "") -> str:
        """Makes a database. Returns its connection string."""
        with psycopg.connect(self.cluster, autocommit=True) as db:
            db.execute(f"CREATE DATABASE {name} {more}".encode())
        return self.at(name)

    def run(self, program: str, *words: str) -> None:
        """Run a program of PostgreSQL."""
        done = subprocess.run([str(postgres.needed() / program), *words], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def restore(self, conninfo: str, *options: str) -> str:
        """Bring the dump back, or a part of it. Returns the database."""
        self.run("pg_restore", "--exit-on-error", "--no-owner", *options, f"--dbname={conninfo}", str(self.dump))
        return conninfo


def epoch_and_causes(folder: Path, conninfo: str) -> tuple[int, list[str]]:
    """Writes a revision, and returns its epoch, and the causes of all epochs, the last one first."""
    with closing(Store.open(folder, server=without_lease(conninfo))) as store:
        name = f"r{store.revision_of(ENV)}"
        epoch = store.write(ENV, COMMAND_LINE, [Create("roles", {"id": name})]).environment.epoch
        entries, _ = store.audit.page(EntryFilter(event=Event.STORE_RESTORED), None, 10)
    return epoch, [one.entry.details["cause"] for one in entries]


@pytest.fixture
def restored(cluster: str, tmp_path: Path, request: pytest.FixtureRequest) -> Restored:
    return Restored(cluster, tmp_path, "restored_" + "".join(filter(str.isalnum, request.node.name)).lower()[-40:])


def into_another(restored: Restored, name: str) -> str:
    return restored.restore(restored.make(name))


def into_the_same(restored: Restored, _name: str) -> str:
    return restored.restore(restored.at(restored.name), "--clean")


def as_a_script(restored: Restored, name: str) -> str:
    script = str(restored.folder / "writ.sql")
    restored.run("pg_restore", f"--file={script}", str(restored.dump))
    restored.run("psql", "--quiet", "--set=ON_ERROR_STOP=1", f"--file={script}", f"--dbname={restored.make(name)}")
    return restored.at(name)


def data_into_new_tables(restored: Restored, name: str) -> str:
    there = restored.restore(restored.make(name), "--section=pre-data")
    return restored.restore(restored.restore(there, "--data-only"), "--section=post-data")


def data_into_the_same_tables(restored: Restored, _name: str) -> str:
    with psycopg.connect(restored.at(restored.name)) as db:
        tables = [table for (table,) in db.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
        db.execute(f"TRUNCATE {', '.join(tables)}".encode())
    return restored.restore(restored.at(restored.name), "--data-only", "--disable-triggers")


@pytest.mark.parametrize(
    "way", [into_another, into_the_same, as_a_script, data_into_new_tables, data_into_the_same_tables]
)
def test_each_restore_of_one_dump_begins_another_epoch(way: Callable[[Restored, str], str], restored: Restored) -> None:
    """Without it, the new revision of each copy would have the number of the lost one."""
    first, causes = epoch_and_causes(restored.folder, restored.at(restored.name))
    assert (first, causes) == (1, [])
    once = epoch_and_causes(restored.folder, way(restored, f"{restored.name}_1"))
    twice = epoch_and_causes(restored.folder, way(restored, f"{restored.name}_2"))
    assert first < once[0] < twice[0]
    assert (once[1], twice[1]) == (CAUSES, CAUSES)
    assert epoch_and_causes(restored.folder, restored.at(restored.name))[1] in ([], CAUSES)


def test_a_copied_database_begins_an_epoch_once(restored: Restored) -> None:
    copy = restored.make(f"{restored.name}_1", f"TEMPLATE {restored.name}")
    began = epoch_and_causes(restored.folder, copy)
    assert began > (1, [])
    assert epoch_and_causes(restored.folder, copy) == began
    assert epoch_and_causes(restored.folder, restored.at(restored.name)) == (1, [])


def test_upkeep_of_the_database_begins_no_epoch(restored: Restored) -> None:
    with psycopg.connect(restored.at(restored.name), autocommit=True) as db:
        for command in (
            "VACUUM FREEZE",
            "VACUUM FULL",
            "CLUSTER primary_line USING primary_line_pkey",
            "VACUUM (FULL, FREEZE)",
            f"REINDEX DATABASE {restored.name}",
            "ANALYZE",
            "SELECT * FROM primary_line FOR UPDATE",
        ):
            db.execute(command.encode())
    with psycopg.connect(restored.cluster, autocommit=True) as db:
        db.execute(f"ALTER DATABASE {restored.name} RENAME TO {restored.name}_1".encode())
    assert epoch_and_causes(restored.folder, restored.at(f"{restored.name}_1")) == (1, [])
