"""A store on a disk that has no room for the index of SQLite's log: it is read, and written once there is room."""

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from writ.api.store.database.sqlite.opening import FILE
from writ.api.store.elements.edits import Create
from writ.api.store.errors import StoreFull, StoreUnavailable
from writ.api.store.store import Store

from tests.support.small_disk import files_up_to
from tests.support.stored import ENV, write
from tests.support.waiting import is_waiting, wait_until

pytestmark = pytest.mark.of_file
PAGE = 4_096


@pytest.fixture
def killed(store: Store, tmp_path: Path) -> Path:
    """The directory of a store whose processes were killed: its newest commits are in the log only."""
    write(store, Create("roles", {"id": "first"}))
    write(store, Create("roles", {"id": "second"}))
    copy = tmp_path / "killed"
    shutil.copytree(store.directory, copy)
    assert (copy / f"{FILE}-wal").stat().st_size > 0
    return copy


@contextmanager
def opened(directory: Path) -> Iterator[Store]:
    found = Store.open(directory, busy_seconds=0.05)
    yield found
    found.close()


def roles(store: Store) -> list[str]:
    return [one.body["id"] for one in store.list(ENV, "roles").items]


def test_the_newest_commits_are_read_and_writes_wait_for_room(killed: Path) -> None:
    with files_up_to(PAGE):
        store = Store.open(killed, busy_seconds=0.05)
        assert roles(store) == ["first", "second"]
        version = store.watch.version()
        assert store.watch.version() == version
        for _ in range(2):
            with pytest.raises(StoreFull, match="the disk is full or a limit is reached; make room"):
                write(store, Create("roles", {"id": "third"}))
        with pytest.raises(StoreFull):
            store.new_connection()
        assert roles(store) == ["first", "second"]
    write(store, Create("roles", {"id": "third"}))
    assert roles(store) == ["first", "second", "third"]
    assert store.watch.version() != version
    store.close()


def test_a_store_that_was_closed_is_read_too(killed: Path) -> None:
    with opened(killed) as store:
        write(store, Create("roles", {"id": "third"}))
    assert not (killed / f"{FILE}-wal").exists()
    with files_up_to(PAGE), opened(killed) as store:
        assert roles(store) == ["first", "second", "third"]


def test_a_thread_that_writes_waits_for_those_that_read_without_the_index(killed: Path) -> None:
    """Else its connection would share the index of the reader, and never write."""
    with opened(killed) as store:
        began, wrote = threading.Event(), threading.Event()

        def write_third() -> None:
            began.set()
            write(store, Create("roles", {"id": "third"}))
            wrote.set()

        writer = threading.Thread(target=write_third)
        with files_up_to(PAGE):
            store.close()
            reading = store._connections.reading()
            db = reading.__enter__()
        writer.start()
        began.wait()
        assert wait_until(lambda: is_waiting(writer, "opening"))
        assert not wrote.is_set()
        assert db.execute("SELECT count(*) FROM environments").fetchone() == (1,)
        reading.__exit__(None, None, None)
        writer.join()
        assert wrote.is_set()
        assert roles(store) == ["first", "second", "third"]


def test_what_changes_under_the_reader_is_refused(killed: Path) -> None:
    """A process that got its index may write, and does not know of the reader."""
    with opened(killed) as store, files_up_to(PAGE):
        store.close()
        changed = pytest.raises(StoreUnavailable, match="was changed while it was read; try again")
        with changed, store._connections.reading():
            os.utime(killed / FILE)
        assert roles(store) == ["first", "second"]


def test_a_reader_opens_no_other_connection(killed: Path) -> None:
    with opened(killed) as store, files_up_to(PAGE):
        store.close()
        with store._connections.reading(), pytest.raises(StoreFull):
            store.new_connection()
