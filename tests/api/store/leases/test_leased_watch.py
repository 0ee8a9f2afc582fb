"""The watch of a server with a lease."""

import logging
from pathlib import Path

import pytest
from writ.api.engines.live.bundle_files import BundleFiles
from writ.api.engines.live.live_engines import LiveEngines
from writ.api.store.database.commit_signal import CommitSignal
from writ.api.store.elements.edits import Create
from writ.api.store.errors import LeaseOver, Stale
from writ.api.store.leases.lease_cell import LeaseCell, boot_ns, is_live
from writ.api.store.leases.leased_watch import LeasedWatch
from writ.api.store.store import Store

from tests.support.closing import closed_later
from tests.support.stored import ACTOR, put

HOUR = 3_600 * 10**9


class Cell:
    """A commit signal of the tests."""

    def __init__(self):
        """It has the numbers 0."""
        self.memory = bytearray(24)
        self.view = memoryview(self.memory).cast("Q")

    def raise_it(self):
        """Changes the number of what has ended."""
        self.view[2] += 1


@pytest.fixture
def signal():
    return Cell()


@pytest.fixture
def lease():
    cell = LeaseCell()
    cell.set(boot_ns() + HOUR)
    return cell


def test_the_end_of_a_commit_is_seen_also_when_the_next_one_has_begun(lease, tmp_path: Path):
    """A look between beginning and end does not find the commit yet: the histories of three services showed this."""
    signal = CommitSignal(tmp_path / "writ.db")
    watch = LeasedWatch(signal.cell, lease)
    first = signal.begin()
    before = watch.version()
    signal.begin()
    signal.end(first)
    assert watch.version() != before


def test_there_is_no_lease_at_first(signal):
    cell = LeaseCell()
    assert not is_live(cell.end[0])
    with pytest.raises(LeaseOver):
        LeasedWatch(signal.view, cell).version()


def test_the_version_is_the_same_object_until_something_changes(signal, lease):
    watch = LeasedWatch(signal.view, lease)
    first = watch.version()
    assert watch.version() is first
    for change in (signal.raise_it, watch.upset, watch.close):
        before = watch.version()
        change()
        assert watch.version() != before


def test_a_lease_that_ends_while_the_worker_looks_is_over(signal):
    """Also if the keeper gets a new one before the worker has looked at the clock."""

    class EndsWhileLooking:
        def __init__(self, cell):
            self.cell = cell

        def __getitem__(self, index):
            if isinstance(index, slice):
                return self
            self.cell.set(boot_ns() + HOUR)
            return 7

    lease = LeaseCell()
    with pytest.raises(LeaseOver):
        LeasedWatch(EndsWhileLooking(lease), lease).version()


def test_no_engine_decides_without_a_lease(tmp_path: Path, signal, lease, monkeypatch):
    """It decides again with the newest revision, once there is a lease again."""
    store = closed_later(Store.open(tmp_path))
    put(store, {"roles": [{"id": "editor"}]})
    files = BundleFiles(tmp_path, store)
    files.build("default")
    engines = LiveEngines(store, files, 0.0, logging.getLogger("tests"))
    monkeypatch.setattr(engines, "_watch", LeasedWatch(signal.view, lease))
    assert engines.engine().revision == 1
    lease.set(boot_ns())
    for _ in range(3):
        with pytest.raises(Stale):
            engines.engine()
    store.write("default", ACTOR, [Create("roles", {"id": "reader"})])
    lease.set(boot_ns() + HOUR)
    assert engines.engine().revision == 2
    store.write("default", ACTOR, [Create("roles", {"id": "auditor"})])
    assert engines.engine().revision == 2, "the signal was not raised"
    signal.raise_it()
    assert engines.engine().revision == 3
