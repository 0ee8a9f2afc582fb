"""A restore over a store: killed at any step, it leaves one of the two stores whole. No other process may use it."""

import shutil
import sys
from contextlib import closing
from pathlib import Path

import pytest
from writ.api.store.backups.backup import REPLACED, restore
from writ.api.store.database.sqlite.opening import FILE
from writ.api.store.elements.edits import Create
from writ.api.store.errors import StoreUnavailable
from writ.api.store.store import Store

from tests.support.killed_steps import TakeStep, killed_at
from tests.support.stored import ENV, put, stored, write

pytestmark = pytest.mark.of_file

STEPS = {"os.rename", "os.link", "os.remove", "sqlite3.connect"}
OLD, NEW = {"roles": [{"id": "old"}, {"id": "logged"}]}, {"roles": [{"id": "new"}]}


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    """A backup of a separate store."""
    store = Store.open(tmp_path / "other")
    put(store, NEW)
    store.backup(tmp_path / "backup")
    store.close()
    return tmp_path / "backup"


@pytest.fixture
def left(tmp_path: Path) -> Path:
    """The files of a killed service: a database, and beside it a log with a write that is in no other file."""
    store = Store.open(tmp_path / "running")
    put(store, {"roles": [{"id": "old"}]})
    write(store, Create("roles", {"id": "logged"}))
    (tmp_path / "left").mkdir()
    for name in (FILE, f"{FILE}-wal"):
        shutil.copy(tmp_path / "running" / name, tmp_path / "left" / name)
    store.close()
    return tmp_path / "left"


def restored_until(step: int, backup: Path, directory: Path) -> bool:
    """Restore in a process that is killed before its step of that number. Returns whether it came so far."""

    def counted(take_step: TakeStep) -> None:
        sys.addaudithook(lambda event, _: take_step() if event in STEPS else None)
        restore(backup, directory)

    return killed_at(step, counted)


def found_in(directory: Path) -> dict:
    with closing(Store.open(directory)) as store:
        assert store.revision_of(ENV) == len(stored(store)["roles"])
        return stored(store)


def test_killed_at_any_step_it_leaves_one_store_and_can_be_done_again(backup, left, tmp_path):
    step, seen = 0, []
    while True:
        directory = shutil.copytree(left, tmp_path / f"step-{step}")
        came = restored_until(step, backup, directory)
        found = found_in(shutil.copytree(directory, tmp_path / f"seen-{step}"))
        assert found in (OLD, NEW)
        seen.append(found)
        restore(backup, directory)
        assert found_in(directory) == NEW
        assert not list(directory.glob(".*"))
        if not came:
            break
        step += 1
    assert step > 20
    assert seen == [OLD] * seen.count(OLD) + [NEW] * seen.count(NEW)
    assert seen.count(OLD) > 20


def test_what_was_there_is_kept_with_all_that_its_log_had(backup, left):
    restored = restore(backup, left)
    assert restored.kept == left / REPLACED
    ((env, time),) = restored.environments
    assert (env.id, env.revision, env.epoch) == (ENV, 1, 2)
    assert time is not None
    again = restore(left / REPLACED, left)
    assert again.kept == left / f"{REPLACED}.2", "what was put aside first is still there"
    assert (left / REPLACED).exists()
    assert found_in(left) == OLD


def test_a_damaged_database_is_kept_too(backup, left):
    (left / f"{FILE}-wal").unlink()  # its first page would repair the file's
    with (left / FILE).open("r+b") as file:
        file.write(b"x" * 100)
    assert restore(backup, left).kept == left / REPLACED
    assert (left / REPLACED).read_bytes().startswith(b"x" * 100)
    assert found_in(left) == NEW


def test_a_log_without_its_database_is_no_part_of_the_new_one(backup, left):
    (left / FILE).unlink()
    assert restore(backup, left).kept is None
    assert found_in(left) == NEW


def test_a_store_that_someone_reads_is_not_replaced(backup, left):
    """A process with the old database open would remove the new database's log when it ends."""
    with closing(Store.open(left)) as store:
        assert stored(store) == OLD
        with pytest.raises(StoreUnavailable, match=r"another process uses the store .*; stop it, then try again"):
            restore(backup, left)
        assert stored(store) == OLD
    restore(backup, left)
    assert found_in(left) == NEW
