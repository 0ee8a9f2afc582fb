"""A damaged log of SQLite: the commits after the damage are counted, and what a crash leaves is none."""

import shutil
from pathlib import Path

import pytest
from writ.api.store.database.sqlite.log_damage import LOG, lost_commits
from writ.api.store.database.sqlite.opening import FILE
from writ.api.store.elements.edits import Create
from writ.api.store.store import Store

from tests.support.stored import ENV, write

pytestmark = pytest.mark.of_file
WRITES = 6


@pytest.fixture
def crashed(store: Store, tmp_path: Path) -> Path:
    """The database as a killed process leaves it."""
    for number in range(WRITES):
        write(store, Create("roles", {"id": f"r{number}"}))
    copy = tmp_path / "crashed"
    shutil.copytree(store.directory, copy)
    return copy / FILE


def log_of(path: Path) -> Path:
    return path.with_name(path.name + LOG)


def roles(path: Path) -> int:
    found = Store.open(path.parent)
    try:
        return len(found.list(ENV, "roles").items)
    finally:
        found.close()


def harm(path: Path, place: int) -> None:
    with log_of(path).open("r+b") as file:
        file.seek(place)
        file.write(b"\xee" * 64)


def test_a_log_that_a_crash_left_is_whole(crashed: Path) -> None:
    assert lost_commits(crashed) == 0
    assert roles(crashed) == WRITES


def test_the_commits_after_a_damaged_frame_are_lost(store: Store, tmp_path: Path) -> None:
    for number in range(WRITES):
        write(store, Create("roles", {"id": f"r{number}"}))
    whole = log_of(store.path).stat().st_size
    for number in range(WRITES, 2 * WRITES):
        write(store, Create("roles", {"id": f"r{number}"}))
    path = tmp_path / "crashed" / FILE
    shutil.copytree(store.directory, path.parent)
    harm(path, whole + 100)
    assert lost_commits(path) == WRITES
    assert roles(path) == WRITES


def test_a_damaged_head_loses_all(crashed: Path) -> None:
    harm(crashed, 24)
    assert lost_commits(crashed) > WRITES


@pytest.mark.parametrize("left", [0, 10, 32, -1_000])
def test_a_log_that_is_cut_or_empty_is_as_after_a_power_failure(crashed: Path, left: int) -> None:
    log = log_of(crashed)
    log.write_bytes(log.read_bytes()[:left])
    assert lost_commits(crashed) == 0


def test_the_last_commit_may_be_torn(crashed: Path) -> None:
    harm(crashed, log_of(crashed).stat().st_size - 2_000)
    assert lost_commits(crashed) == 0
    assert roles(crashed) == WRITES - 1


def test_frames_of_an_earlier_log_are_none(store: Store, tmp_path: Path) -> None:
    """After a checkpoint, SQLite writes the next log over the earlier one."""
    for number in range(WRITES):
        write(store, Create("roles", {"id": f"r{number}"}))
    with store._connections.reading() as db:
        db.execute("SELECT 1").fetchone()
    store.new_connection().execute("PRAGMA wal_checkpoint(RESTART)").fetchall()
    write(store, Create("roles", {"id": "last"}))
    shutil.copytree(store.directory, tmp_path / "crashed")
    assert lost_commits(tmp_path / "crashed" / FILE) == 0
    assert roles(tmp_path / "crashed" / FILE) == WRITES + 1


def test_there_is_no_log(tmp_path: Path) -> None:
    assert lost_commits(tmp_path / FILE) == 0
