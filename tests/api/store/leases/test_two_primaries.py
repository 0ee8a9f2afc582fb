"""An old primary that runs on beside a promoted replica: nothing is confirmed there, and no server goes back to it."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from writ.api.endpoints.management.model_replacement import REPLACEMENT, ReplacementRequest
from writ.api.engines.jobs.job_messages import JobDatabase
from writ.api.engines.jobs.runner import Jobs
from writ.api.store.database.connections import Primary
from writ.api.store.errors import NotSignalled, StoreUnavailable
from writ.api.store.leases.database_users import ServerLease
from writ.api.store.leases.keeper import Keeper
from writ.api.store.leases.lease_cell import is_live
from writ.api.store.leases.lease_connection import connecting, lease_connection
from writ.api.store.leases.primary_line import take_line
from writ.api.store.leases.primary_mark import PrimaryLine
from writ.api.store.leases.reaching import reached_by_command, reached_to_look, taken_over
from writ.api.store.leases.trace import Trace
from writ.api.store.models.extent import Extent
from writ.api.store.store import Store

from tests.support import postgres
from tests.support.leased_server import prepare
from tests.support.stored import ACTOR, ENV
from tests.support.waiting import wait_until

SECONDS = 0.5
MINUTE = 60

pytestmark = pytest.mark.postgresql


class Both(NamedTuple):
    """Connection strings to a database on the old primary and on the new one, and to the first that takes writes."""

    old: str
    new: str
    any: str


def line_at(conninfo: str) -> PrimaryLine:
    """The line of a primary, as a new connection finds or notes it."""
    with lease_connection(conninfo) as db:
        return take_line(db, 1)


@pytest.fixture(scope="module")
def clusters(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    """The two primaries. Both have a database for each test of the module."""
    place, names = postgres.needed(), [one.name for one in request.session.items if one.module is request.module]
    with postgres.server(place) as old:
        for name in names:
            with psycopg.connect(old, autocommit=True) as db:
                db.execute(f"CREATE DATABASE {name}".encode())
            prepare(f"{old} dbname={name}")
            line_at(f"{old} dbname={name}")
        with postgres.replica(place, old) as (new, promote):
            promote()
            yield old, new


@pytest.fixture
def both(clusters: tuple[str, str], request: pytest.FixtureRequest) -> Both:
    old, new = (f"{one} dbname={request.node.name}" for one in clusters)
    hosts = ",".join(str(conninfo_to_dict(one)["host"]) for one in clusters)
    return Both(old, new, f"{old} host={hosts} target_session_attrs=read-write")


def test_nothing_is_confirmed_at_another_primary_than_that_of_the_lease(both: Both) -> None:
    """The connection of the waiting writes idles at the old one, and a new one would lead there too."""
    lease = ServerLease(both.any, SECONDS)
    old = line_at(both.old)
    lease.confirm(None).result(MINUTE)
    lease.cell.set_line(old)
    lease.confirm(None).result(MINUTE)
    lease.confirm(old).result(MINUTE)
    lease.cell.set_line(line_at(both.new))
    for primary in (None, old):
        with pytest.raises(NotSignalled):
            lease.confirm(primary).result(MINUTE)
    lease.close()


def test_a_confirmation_goes_to_the_primary_of_the_lease(both: Both) -> None:
    lease = ServerLease(both.new, SECONDS)
    lease.cell.set_line(line_at(both.new))
    lease.confirm(None).result(MINUTE)
    with lease_connection(both.new) as new, lease_connection(both.old) as old:
        tickets = [db.execute("SELECT is_called FROM commit_tickets").fetchone() for db in (new, old)]
    assert tickets == [(True,), (False,)]
    lease.close()


def put_model(url: str, line: PrimaryLine, folder: Path) -> Primary | None:
    """Replaces the model as the service does, with a lease from a primary. Returns the one that has it."""
    request = ReplacementRequest(ENV, ACTOR, ".json", False, Extent.MODEL)
    jobs = Jobs(folder, database=lambda: JobDatabase(url, SECONDS, line))
    with TemporaryFile() as document:
        document.write(b'{"model": 1, "roles": [{"id": "reader"}]}')
        document.flush()
        return asyncio.run(jobs.run_stored(REPLACEMENT, request, document))[1]


def revisions(both: Both) -> list[int]:
    """The newest revisions on the old primary and on the new one."""
    found = []
    for conninfo in (both.old, both.new):
        with lease_connection(conninfo) as db:
            found += [number for (number,) in db.execute("SELECT revision FROM environments")]
    return found


def test_a_job_writes_at_the_primary_of_the_lease_alone(both: Both, tmp_path: Path) -> None:
    old, new = line_at(both.old), line_at(both.new)
    with pytest.raises(StoreUnavailable, match="another primary than this server's lease"):
        put_model(both.any, new, tmp_path)
    assert revisions(both) == [0, 0]
    assert put_model(both.new, new, tmp_path) == new
    assert revisions(both) == [0, 1]
    assert put_model(both.any, old, tmp_path) == old
    assert revisions(both) == [1, 1]


def epochs(*databases: str) -> list[int]:
    found = []
    for conninfo in databases:
        with lease_connection(conninfo) as db:
            found += [epoch for (epoch,) in db.execute("SELECT epoch FROM environments")]
    return found


def serve(conninfo: str, folder: Path) -> ServerLease:
    """Keeps the lease of a server until it has its first one, and stops."""
    lease = ServerLease(conninfo, SECONDS)
    log, trace = logging.getLogger("server"), Trace(folder)
    keeper = Keeper(lease.id, connecting(conninfo, SECONDS), lambda: None, lease.cell, log, SECONDS, trace=trace)
    keeper.start()
    assert wait_until(lambda: is_live(lease.cell.end[0]))
    keeper.stop()
    return lease


def test_an_earlier_primary_is_refused_until_a_takeover(both: Both, tmp_path: Path) -> None:
    """By workers, by commands and by the doctor. None of them begins an epoch there, nor goes on with its data."""
    line, back = serve(both.new, tmp_path).cell.line, ServerLease(both.any, SECONDS)
    before = epochs(both.old, both.new)
    for server in (
        back.database,
        back.local_database,
        reached_by_command(both.any, SECONDS),
        reached_to_look(both.any),
    ):
        with pytest.raises(StoreUnavailable, match="earlier primary"):
            Store.open(tmp_path, create=False, server=server)
    with lease_connection(both.any) as db, pytest.raises(StoreUnavailable, match="earlier primary"):
        take_line(db, 1, Trace(tmp_path))
    assert epochs(both.old, both.new) == before
    assert line_at(both.new) == line
    taken_over(both.old, tmp_path, SECONDS, {})
    assert epochs(both.old) > epochs(both.new)
    assert serve(both.old, tmp_path).cell.line == line_at(both.old)
    with lease_connection(both.new) as db, pytest.raises(StoreUnavailable, match="earlier primary"):
        take_line(db, 1, Trace(tmp_path))


def test_a_worker_begins_no_epoch_at_another_primary_than_that_of_the_lease(both: Both, tmp_path: Path) -> None:
    """The new one is not noted yet."""
    lease, before = ServerLease(both.new, SECONDS), epochs(both.new)
    lease.cell.set_line(line_at(both.old))
    with pytest.raises(StoreUnavailable, match="no epoch has begun"):
        Store.open(tmp_path, server=lease.database)
    with pytest.raises(NotSignalled):
        lease.confirm(None).result(MINUTE)
    assert epochs(both.new) == before
    lease.close()


def test_a_data_directory_of_another_store_says_nothing_of_this_one(
    both: Both, clusters: tuple[str, str], tmp_path: Path
) -> None:
    line_at(both.new)
    before = epochs(both.new)
    other = f"{clusters[1]} dbname=another"
    with psycopg.connect(clusters[1], autocommit=True) as db:
        db.execute("CREATE DATABASE another")
    prepare(other)
    serve(other, tmp_path)
    with closing(Store.open(tmp_path, create=False, server=reached_by_command(both.new, SECONDS))) as store:
        assert [one.epoch for one in store.environments()] == before
    assert epochs(both.new) == before
