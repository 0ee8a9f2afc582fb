"""A base backup in the place of a database: servers notice that it lacks what they have seen, and begin an epoch."""

import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from writ.api.store.actor import COMMAND_LINE
from writ.api.store.audit.entries import EntryFilter
from writ.api.store.audit.events import Event
from writ.api.store.elements.edits import Create
from writ.api.store.leases.database_users import without_lease
from writ.api.store.leases.keeper import Keeper
from writ.api.store.leases.lease_cell import LeaseCell, is_live
from writ.api.store.leases.lease_connection import connecting
from writ.api.store.leases.trace import TRACE, Trace
from writ.api.store.store import Store

from tests.support import postgres
from tests.support.stored import ENV
from tests.support.waiting import wait_until

SECONDS = 0.5

pytestmark = pytest.mark.postgresql


@pytest.fixture
def older() -> Iterator[tuple[Path, str]]:
    """PostgreSQL's programs, and a server whose data a test replaces."""
    place = postgres.needed()
    with postgres.server(place) as conninfo:
        yield place, conninfo


def write(folder: Path, conninfo: str) -> tuple[int, int]:
    """Writes a revision from a data directory. Returns its epoch and its number."""
    with closing(Store.open(folder, server=without_lease(conninfo))) as store:
        name = f"r{store.revision_of(ENV)}"
        made = store.write(ENV, COMMAND_LINE, [Create("roles", {"id": name})]).environment
        return made.epoch, made.revision


def epochs(conninfo: str, folder: Path) -> list[str]:
    """Returns the cause of each epoch that was begun, as a server without a trace finds them."""
    with closing(Store.open(folder, server=without_lease(conninfo))) as store:
        entries, _ = store.audit.page(EntryFilter(event=Event.STORE_RESTORED), None, 10)
        return [one.entry.details["cause"] for one in entries]


@contextmanager
def served(folder: Path, conninfo: str) -> Iterator[LeaseCell]:
    """A server of a data directory that has a lease, from the beginning of the block to its end."""
    cell = LeaseCell()
    connect, log = connecting(conninfo, SECONDS), logging.getLogger("server")
    keeper = Keeper(folder.name, connect, lambda: None, cell, log, SECONDS, trace=Trace(folder))
    keeper.start()
    assert wait_until(lambda: is_live(cell.end[0]))
    yield cell
    keeper.stop()


def serve(folder: Path, conninfo: str) -> None:
    """Start a server, and stop it."""
    with served(folder, conninfo):
        pass


def test_servers_that_come_back_begin_one_epoch(older: tuple[Path, str], tmp_path: Path) -> None:
    place, conninfo = older
    one, other, new = tmp_path / "one", tmp_path / "other", tmp_path / "new"
    for folder in (one, other):
        write(folder, conninfo)
        serve(folder, conninfo)
    postgres.back_up(place, conninfo)
    lost = write(one, conninfo)
    for folder in (one, other):
        serve(folder, conninfo)
    postgres.restart(place, conninfo, copy=True)
    assert epochs(conninfo, new) == [], "a new data directory knows nothing"
    first = write(one, conninfo)
    assert first[0] > lost[0]
    serve(other, conninfo)
    assert write(other, conninfo)[0] == first[0]
    for folder in (one, other, new):
        serve(folder, conninfo)
    assert epochs(conninfo, new) == ["copy"]


def test_one_that_comes_late_begins_an_epoch_too(older: tuple[Path, str], tmp_path: Path) -> None:
    """The others can't have noticed: they did not run since the backup. Their revision has the number of a lost one."""
    place, conninfo = older
    one, late = tmp_path / "one", tmp_path / "late"
    write(one, conninfo)
    write(late, conninfo)
    serve(one, conninfo)
    serve(late, conninfo)
    postgres.back_up(place, conninfo)
    lost = write(late, conninfo)
    serve(late, conninfo)
    postgres.restart(place, conninfo, copy=True)
    assert write(one, conninfo) == lost
    for _ in range(20):
        serve(one, conninfo)  # its leases have higher numbers than those of the lost ones
    assert write(late, conninfo)[0] > lost[0]
    serve(one, conninfo)
    serve(late, conninfo)
    assert epochs(conninfo, one) == ["copy"]


def test_one_that_runs_notices_it_before_its_next_lease(older: tuple[Path, str], tmp_path: Path) -> None:
    place, conninfo = older
    one, other = tmp_path / "one", tmp_path / "other"
    write(one, conninfo)
    write(other, conninfo)
    with served(one, conninfo) as first, served(other, conninfo) as second:
        postgres.back_up(place, conninfo)
        lost, line, seen = write(one, conninfo), first.line, Trace(one).read()
        assert wait_until(lambda: Trace(one).read() != seen)
        postgres.restart(place, conninfo, copy=True)
        assert wait_until(lambda: first.line == second.line != line and is_live(first.end[0]))
        with psycopg.connect(conninfo) as db:
            ((epoch,),) = db.execute("SELECT epoch FROM environments").fetchall()
        assert epoch > lost[0]
        assert write(other, conninfo)[0] == epoch
    assert epochs(conninfo, tmp_path / "new") == ["copy"]


def test_a_restart_of_the_database_begins_no_epoch(older: tuple[Path, str], tmp_path: Path) -> None:
    place, conninfo = older
    one = tmp_path / "one"
    before = write(one, conninfo)
    with served(one, conninfo):
        postgres.restart(place, conninfo)
    serve(one, conninfo)
    assert write(one, conninfo) == (before[0], before[1] + 1)


def test_a_data_directory_of_earlier_begins_no_epoch(older: tuple[Path, str], tmp_path: Path) -> None:
    _, conninfo = older
    one = tmp_path / "one"
    before = write(one, conninfo)
    serve(one, conninfo)
    old = (one / TRACE).read_bytes()
    serve(one, conninfo)
    assert (one / TRACE).read_bytes() != old
    for content in (old, b"", old[:-1], old[:-1] + b"?"):
        (one / TRACE).write_bytes(content)
        serve(one, conninfo)
    assert write(one, conninfo) == (before[0], before[1] + 1)
