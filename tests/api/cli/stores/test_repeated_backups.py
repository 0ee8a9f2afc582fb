"""`writ backup --every`: verified backups, of which the newest good one always stays."""

import signal
import sqlite3
import subprocess
import threading
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from writ.api.cli.stores.repeated_backups import back_up_into, backups_in, recorded_backup, repeat
from writ.api.store.backups.backup import restore, verify_backup
from writ.api.store.backups.last_backup import last_backup, note_backup
from writ.api.store.elements.edits import Create
from writ.api.store.errors import StoreUnavailable
from writ.api.store.store import Store

from tests.support.closing import closed_later
from tests.support.command import WRIT, writ
from tests.support.server import environment, running
from tests.support.small_disk import small_disk
from tests.support.stored import put, stored, write
from tests.support.waiting import wait_until

HOUR = 3_600.0


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = closed_later(Store.open(tmp_path / "data"))
    put(store, {"roles": [{"id": "r"}]})
    return store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "backups").mkdir()
    return tmp_path / "backups"


def into(store: Store, folder: Path, keep: int, now: float) -> Path:
    return back_up_into(partial(recorded_backup, store), partial(note_backup, store.directory), folder, keep, now)


def test_the_newest_ones_stay_and_can_be_restored(store: Store, folder: Path, tmp_path: Path) -> None:
    (folder / "writ-mine.db").touch()
    made = []
    for hour in range(5):
        write(store, Create("roles", {"id": f"r{hour}"}))
        made.append(into(store, folder, 2, hour * HOUR))
    assert backups_in(folder) == [made[4], made[3]]
    assert sorted(one.name for one in folder.iterdir()) == [made[3].name, made[4].name, "writ-mine.db"]
    assert made[4].stat().st_mode & 0o777 == 0o600
    restore(made[4], tmp_path / "restored")
    restored = Store.open(tmp_path / "restored")
    assert [role["id"] for role in stored(restored)["roles"]] == ["r", *(f"r{hour}" for hour in range(5))]
    restored.close()
    store.close()


def test_a_backup_that_can_not_be_verified_removes_nothing(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy is damaged on its way, as by a bad disk."""
    good = [into(store, folder, 2, hour * HOUR) for hour in range(2)]
    sound = Store.backup

    def damaged(self: Store, file: Path) -> None:
        sound(self, file)
        content = bytearray(file.read_bytes())
        content[4096 * 2 : 4096 * 40] = b"\xee" * (4096 * 38)
        file.write_bytes(content)

    with monkeypatch.context() as patched:
        patched.setattr(Store, "backup", damaged)
        with pytest.raises(StoreUnavailable, match="could not be verified, and older ones stay: "):
            into(store, folder, 1, 9 * HOUR)
    assert backups_in(folder) == good[::-1]
    noted = last_backup(store.directory, 9 * HOUR)
    assert noted is not None
    assert (noted.file, noted.seconds) == (str(good[1]), 1 * HOUR)
    into(store, folder, 1, 10 * HOUR)
    assert len(backups_in(folder)) == 1
    store.close()


def test_beside_a_service_until_a_signal(tmp_path: Path, model_file: Path, folder: Path) -> None:
    """A folder that is away for a while is told, and fills again."""
    with running(tmp_path / "served", "--import", str(model_file)), (tmp_path / "said").open("wb") as said:
        line = [str(WRIT), "backup", "--every", "1s", "--keep", "2", str(folder), "--data", str(tmp_path / "served")]
        process = subprocess.Popen(line, stderr=said, env=environment())
        try:
            assert wait_until(lambda: len(backups_in(folder)) == 2)
            first = backups_in(folder)[1]
            assert wait_until(lambda: not first.exists())
            folder.rename(tmp_path / "away")
            assert wait_until(lambda: b"of the backups is gone; put it back" in (tmp_path / "said").read_bytes())
            (tmp_path / "away").rename(folder)
            before = backups_in(folder)
            assert wait_until(lambda: backups_in(folder) != before)
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == 0
        finally:
            process.kill()
            process.wait()
    with closing(sqlite3.connect(backups_in(folder)[0])) as db:
        assert db.execute("SELECT count(*) FROM subjects").fetchone()[0] > 0
    assert b"Traceback" not in (tmp_path / "said").read_bytes()
    assert not list(folder.glob("*unfinished"))


def test_a_full_disk_leaves_the_older_backups_and_no_half_one(tmp_path: Path, store: Store) -> None:
    store.close()
    with small_disk(tmp_path / "disk") as disk, (tmp_path / "said").open("wb") as said:
        line = [str(WRIT), "backup", "--every", "1s", "--keep", "2", str(disk.folder), "--data", str(tmp_path / "data")]
        process = subprocess.Popen(line, stderr=said, env=environment())
        try:
            assert wait_until(lambda: len(backups_in(disk.folder)) == 2)
            disk.leave(60_000)  # a copy begins, and then there is no room
            assert wait_until(lambda: b"WARNING" in (tmp_path / "said").read_bytes())
            before = backups_in(disk.folder)
            assert wait_until(lambda: (tmp_path / "said").read_bytes().count(b"WARNING") > 2)
            assert backups_in(disk.folder) == before
            for backup in before:
                verify_backup(backup)
            disk.clear()
            assert wait_until(lambda: len({*backups_in(disk.folder)} - {*before}) == 2)
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == 0
        finally:
            process.kill()
            process.wait()
        assert sorted(disk.folder.iterdir()) == sorted(backups_in(disk.folder))
    told = (tmp_path / "said").read_text()
    assert "disk is full" in told
    assert "Traceback" not in told


def test_a_full_target_is_named_and_not_the_store(tmp_path: Path, store: Store) -> None:
    store.close()
    with small_disk(tmp_path / "disk") as disk:
        disk.leave(60_000)
        done = writ("backup", disk.folder / "writ.db", "--data", tmp_path / "data")
        assert not (disk.folder / "writ.db").exists()
    said = done.stderr.decode()
    assert done.returncode == 2
    assert f"there is no room in `{tmp_path / 'disk'}`" in " ".join(said.split())
    assert str(tmp_path / "data") not in said, "the store has room"


def test_the_last_failure_is_the_exit_code(store: Store, folder: Path) -> None:
    stop = threading.Event()
    told: list[str] = []

    def tell(said: str) -> None:
        told.append(said)
        stop.set()

    calls = partial(recorded_backup, store), partial(note_backup, store.directory)
    assert repeat(*calls, folder, 60, 1, tell, stop) is True
    stop.clear()
    assert repeat(*calls, folder / "missing", 60, 1, tell, stop) is False
    assert [one.startswith("WARNING") for one in told] == [False, True]
    store.close()


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--every", "1x"], 2, "is not a time like `12h`"),
        (["--every", "0h"], 2, "is not a time like `12h`"),
        (["--every", "1h", "--keep", "0"], 2, "--keep"),
        (["--keep", "3"], 2, "`--keep` needs `--every`"),
        ([], 2, "is a folder; name a file in it, or give `--every`"),
    ],
)
def test_options_that_do_not_fit(
    store: Store, folder: Path, options: list[str], code: int, said: str, tmp_path: Path
) -> None:
    done = writ("backup", folder, *options, "--data", tmp_path / "data")
    assert (done.returncode, said in done.stderr.decode()) == (code, True)
    store.close()
