"""The errors of a store whose file can't be read or written, and its recovery when it can be again."""

import os
import resource
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from writ.api.store.credentials.credentials import ClientSpec
from writ.api.store.database.schema import MIGRATIONS
from writ.api.store.database.sqlite.opening import FILE
from writ.api.store.elements.edits import Create
from writ.api.store.errors import StoreUnavailable
from writ.api.store.store import Store

from tests.support.stored import ACTOR, ENV, put, stored, write
from tests.support.unprivileged import entered_by_all, unprivileged
from tests.support.waiting import is_waiting, wait_until

pytestmark = pytest.mark.of_file

LARGE = {"type": "user", "id": "large", "attributes": {"text": "x" * 60_000, "more": "y" * 60_000}}


@pytest.fixture
def shared() -> Iterator[Path]:
    """A directory that every user can enter."""
    with entered_by_all() as folder:
        yield folder / "data"


def unavailable(what, said: str) -> None:
    with pytest.raises(StoreUnavailable, match=said) as raised:
        what()
    assert "\n" not in str(raised.value)


def works(store: Store) -> None:
    write(store, Create("roles", {}))


def test_a_store_that_is_locked(store):
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        unavailable(lambda: works(store), r"locked by another write for 0.05 s; try again")
        assert stored(store) == {}
        other.execute("ROLLBACK")
    works(store)


def test_what_ends_a_credential_waits_longer_than_other_writes(tmp_path):
    store = Store.open(tmp_path, "NORMAL", busy_seconds=0.5)
    client = store.credentials.add_client(ACTOR, ClientSpec("c", ["read"], 60), bytes(32))
    with closing(sqlite3.connect(store.path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        unavailable(lambda: works(store), r"locked by another write for 0.5 s; try again")
        with ThreadPoolExecutor(1) as pool, closing(Store.open(tmp_path, "NORMAL", busy_seconds=0.5)) as beside:
            revoking = pool.submit(store.credentials.revoke_client, ACTOR, client.id)
            assert wait_until(lambda: any(is_waiting(one, "execute") for one in pool._threads))
            unavailable(lambda: works(beside), r"locked by another write for 0.5 s; try again")
            other.execute("COMMIT")
            revoking.result()
        other.execute("BEGIN IMMEDIATE")
        unavailable(lambda: works(store), r"locked by another write for 0.5 s; try again")
        revoke = partial(store.credentials.revoke_token, ACTOR, "t", 2**40, 0.0)
        unavailable(revoke, r"locked by another write for 3 s; try again")
    assert store.credentials.client(client.id).revoked is not None
    works(store)
    store.close()


def test_writers_of_one_process_take_turns_and_do_not_wait_for_ever(store):
    with store._connections.writing():
        failed = []

        def write_too() -> None:
            try:
                works(store)
            except StoreUnavailable as ex:
                failed.append(str(ex))

        thread = threading.Thread(target=write_too)
        thread.start()
        thread.join()
    assert "was locked by another write" in failed[0]
    works(store)


def test_a_file_system_that_takes_no_more(store):
    """A limit on the size of files: the only limit of a file system that needs no mount."""
    put(store, {"roles": [{"id": "r"}]})
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = store.path.with_name(f"{FILE}-wal").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 8_192, before[1]))
    try:
        unavailable(lambda: write(store, Create("subjects", LARGE)), "can't be read or written .* check the disk")
        assert stored(store) == {"roles": [{"id": "r"}]}
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    write(store, Create("subjects", LARGE))


def test_a_full_disk(store):
    """With SQLite's own error, here from a limit on its pages."""
    db = store._connections._current()
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    db.execute(f"PRAGMA max_page_count = {pages + 2}").fetchone()
    unavailable(lambda: write(store, Create("subjects", LARGE)), "can't grow: the disk is full")
    assert stored(store) == {}
    db.execute(f"PRAGMA max_page_count = {2**30}").fetchone()
    write(store, Create("subjects", LARGE))


def test_a_read_only_store(shared):
    store = Store.open(shared)
    store.close()
    shared.chmod(0o755)
    store.path.chmod(0o444)
    with unprivileged():
        unavailable(lambda: works(store), "read-only|can't be opened; make the file and its folder")
        unavailable(
            lambda: Store.open(shared), "is read-only: \\w+ can't write to `.*`, which belongs to root; run `chown"
        )
        store.close()
    shared.chmod(0o000)
    with unprivileged():
        unavailable(lambda: Store.open(shared), "read-only|can't be opened")
        unavailable(lambda: store.environments(), "can't be opened")
    shared.chmod(0o700)
    store.path.chmod(0o600)
    works(store)
    store.close()


def test_damaged_pages(store):
    put(store, {"roles": [{"id": f"r{number}"} for number in range(3_000)]})
    store.close()
    with closing(sqlite3.connect(store.path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with store.path.open("r+b") as file:
        file.seek(4_096)
        file.write(os.urandom(store.path.stat().st_size - 4_096))
    for what in (lambda: stored(store), lambda: works(store), lambda: store.list(ENV, "roles")):
        unavailable(what, "is damaged .*; restore a backup")


def test_a_file_that_is_no_store_or_a_newer_one(tmp_path, store):
    path = store.path
    store.close()
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / FILE).write_text("x" * 10_000)
    unavailable(lambda: Store.open(tmp_path / "text"), "is damaged")
    (tmp_path / "other").mkdir()
    with closing(sqlite3.connect(tmp_path / "other" / FILE)) as db:
        db.execute("CREATE TABLE t (a)")
    unavailable(lambda: Store.open(tmp_path / "other"), "is not a store of Writ")
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    known = f"and this version of Writ reads up to {len(MIGRATIONS)}; use a newer version"
    unavailable(lambda: Store.open(path.parent), f"has format 99, {known}")
    (tmp_path / "file").touch()
    unavailable(lambda: Store.open(tmp_path / "file" / "data"), "can't be opened")


def test_a_store_that_is_lost_while_it_is_open(store):
    shutil.rmtree(store.path.parent)
    store.close()
    unavailable(lambda: works(store), "can't be opened")


def test_several_open_a_new_store_at_once(tmp_path):
    """In threads, each with its own connections. The store then has one environment, and all threads can write."""
    begin, found, failed = threading.Barrier(6), [], []

    def open_one() -> None:
        begin.wait()
        try:
            store = Store.open(tmp_path / "data", "NORMAL")
            write(store, Create("roles", {}))
            found.append(store.environment(ENV).uuid)
            store.close()
        except BaseException as ex:
            failed.append(ex)

    threads = [threading.Thread(target=open_one) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(found) == 6
    assert len(set(found)) == 1
