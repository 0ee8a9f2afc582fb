"""`writ upgrade`, and the other commands on a store of an older format: none of them changes it."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from writ.api.store.database.formats.step import Step
from writ.api.store.database.newest_format import STORE_FORMAT
from writ.api.store.database.schema import MIGRATIONS
from writ.api.store.database.sqlite.opening import FILE
from writ.api.store.store import Store

from tests.support.command import writ
from tests.support.next_format import NEXT, add_colours
from tests.support.server import running
from tests.support.stored import put

NEWER = {
    "writ.api.store.database.sqlite.migrating.MIGRATIONS": (*MIGRATIONS, Step(add_colours)),
    "writ.api.cli.doctor.store_checks.STORE_FORMAT": NEXT,
    "writ.api.cli.stores.upgrade.STORE_FORMAT": NEXT,
    "writ.api.engines.live.data_directory.LOCK_SECONDS": 0.1,
}
"""The constants of a program with the next format."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A store of this program's format."""
    store = Store.open(tmp_path / "data")
    put(store, {"roles": [{"id": "r"}]})
    store.close()
    return tmp_path / "data"


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])


def newer(*words: str | Path) -> tuple[int, str]:
    """Runs a command of the newer program. Returns its exit code, and what it says on standard error."""
    done = writ(*words, constants=NEWER)
    assert b"Traceback" not in done.stderr
    return done.returncode, done.stderr.decode()


@pytest.mark.parametrize("words", [["export"], ["environments"], ["audit"], ["clients"], ["keys", "rotate"]])
def test_a_command_refuses_an_older_format(data: Path, words: list[str]) -> None:
    code, said = newer(*words, "--data", data)
    assert (code, f"upgrade it with `writ upgrade --data {data}`" in said, said.count("\n")) == (2, True, 1)
    assert version_of(data / FILE) == STORE_FORMAT


def test_a_backup_reads_an_older_format(data: Path, tmp_path: Path) -> None:
    code, said = newer("backup", tmp_path / "copy.db", "--data", data)
    assert (code, "bytes" in said) == (0, True)
    assert (version_of(data / FILE), version_of(tmp_path / "copy.db")) == (STORE_FORMAT, STORE_FORMAT)


def test_the_doctor_reports_an_older_format(data: Path) -> None:
    done = writ("doctor", "--data", data, "--format", "json", constants=NEWER)
    (store,) = (one for one in json.loads(done.stdout) if one["check"] == "store" and "sound" in one["message"])
    assert f"upgrades it from format {STORE_FORMAT}" in store["message"]
    assert version_of(data / FILE) == STORE_FORMAT


def test_it_upgrades_a_store_and_keeps_a_copy(data: Path) -> None:
    code, said = newer("upgrade", "--data", data)
    (copy,) = data.glob(f"{FILE}.format-*")
    assert (code, " ".join(said.split())) == (0, f"{data} has format {NEXT}; {copy} is a copy from before the upgrade")
    assert version_of(data / FILE) == NEXT
    assert newer("upgrade", "--data", data) == (0, f"{data} has format {NEXT}\n")
    assert writ("upgrade", "--data", data / "none").returncode == 2


@pytest.mark.service
def test_a_store_that_is_served_is_never_upgraded(tmp_path: Path) -> None:
    with running(tmp_path / "data"):
        code, said = newer("upgrade", "--data", tmp_path / "data")
        assert (code, "is served by another process; stop it" in said) == (2, True)
        assert version_of(tmp_path / "data" / FILE) == STORE_FORMAT
