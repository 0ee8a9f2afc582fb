"""Upgrades of a store, from each version that a program has written, and the way back."""

import resource
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from writ.api.store.backup import restore
from writ.api.store.database import migrating, upgrade_copies
from writ.api.store.database.newest_format import STORE_FORMAT
from writ.api.store.database.opening import FILE
from writ.api.store.database.schema import MIGRATIONS
from writ.api.store.elements.edits import Create
from writ.api.store.errors import StoreUnavailable
from writ.api.store.store import Store

from tests.support.older_stores import KEPT, put_kept_store
from tests.support.stored import stored, write

NEWEST = len(MIGRATIONS)


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        (found,) = db.execute("PRAGMA quick_check").fetchone()
        assert found == "ok"
        return int(db.execute("PRAGMA user_version").fetchone()[0])


def copies(directory: Path) -> list[Path]:
    return sorted(directory.glob(f"{FILE}.format-*"))


def shape(path: Path) -> dict[tuple[str, str], object]:
    """The tables with their columns, and the indexes and triggers, of a database."""
    with closing(sqlite3.connect(path)) as db:
        made = db.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
        return {
            (kind, name): sorted(row[1:6] for row in db.execute(f"PRAGMA table_xinfo({name})"))
            if kind == "table"
            else " ".join((sql or "").split())
            for kind, name, sql in made
            if not name.startswith("sqlite_stat")
        }


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    """Lets no file grow above a size, as a quota does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def older_program(monkeypatch: pytest.MonkeyPatch, version: int) -> Iterator[None]:
    """Lets this process read formats up to `version` only."""
    with monkeypatch.context() as patched:
        patched.setattr(migrating, "MIGRATIONS", MIGRATIONS[:version])
        yield


def test_a_store_of_each_version_is_kept() -> None:
    kept = {int(path.name.partition(".")[0]) for path in KEPT.glob("*.db.gz")}
    assert kept == set(range(1, NEWEST + 1)), "run `python -m tests.support.older_stores` and commit its file"


@pytest.mark.parametrize("version", range(1, NEWEST + 1))
def test_a_store_of_each_version_opens_and_keeps_its_model(version: int, tmp_path: Path) -> None:
    """The model, the shape of the tables, and writing are as in a store that the newest program made."""
    data = tmp_path / "data"
    put_kept_store(version, data)
    before = (data / FILE).read_bytes()
    store = Store.open(data)
    put_kept_store(NEWEST, tmp_path / "newest")
    newest = Store.open(tmp_path / "newest")
    assert stored(store) == stored(newest)
    write(store, Create("roles", {"id": "more"}))
    store.close()
    newest.close()
    Store.open(tmp_path / "new").close()
    assert shape(data / FILE) == shape(tmp_path / "new" / FILE)
    if version == NEWEST:
        assert (copies(data), store.upgraded_from) == ([], None)
        return
    (copy,) = copies(data)
    assert copy == store.upgraded_from
    assert copy.name.startswith(f"{FILE}.format-{version}.2")
    assert (version_of(copy), version_of(data / FILE)) == (version, NEWEST)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert len(copy.read_bytes()) == len(before)


def test_an_upgrade_without_room_for_the_copy_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    data = tmp_path / "data"
    put_kept_store(NEWEST - 1, data)
    with closing(sqlite3.connect(data / FILE)) as db:
        db.execute("PRAGMA journal_mode = wal")
    before = (data / FILE).read_bytes()
    with files_up_to(64 * 1024), pytest.raises(StoreUnavailable) as raised:
        Store.open(data)
    assert f"is not upgraded from format {NEWEST - 1} to {NEWEST}" in str(raised.value)
    assert str(raised.value).endswith(f"make room for a copy in `{data}`")
    assert "\n" not in str(raised.value)
    assert str(data) not in raised.value.public
    assert (data / FILE).read_bytes() == before
    assert version_of(data / FILE) == NEWEST - 1
    assert not [path.name for path in data.iterdir() if "format" in path.name or "unfinished" in path.name]
    Store.open(data).close()
    assert version_of(data / FILE) == NEWEST


def test_a_failed_upgrade_leaves_the_store_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All steps are one transaction: a later one that fails takes the earlier ones back."""
    put_kept_store(1, tmp_path / "data")

    def fail(_db: object) -> None:
        raise sqlite3.OperationalError("no such table: x")

    with monkeypatch.context() as patched:
        patched.setattr(migrating, "MIGRATIONS", (*MIGRATIONS[:-1], fail))
        with pytest.raises((StoreUnavailable, sqlite3.OperationalError)):
            Store.open(tmp_path / "data")
    assert version_of(tmp_path / "data" / FILE) == 1
    Store.open(tmp_path / "data").close()
    assert version_of(tmp_path / "data" / FILE) == NEWEST


def test_only_the_last_copies_stay(tmp_path: Path) -> None:
    """The time decides, not the format: `10` sorts before `9` as text."""
    data = tmp_path / "data"
    put_kept_store(NEWEST - 1, data)
    older = [f"{FILE}.format-{version}.20{version:02}0101T000000Z" for version in range(1, 6)]
    for name in older:
        (data / name).touch()
    (data / f"{FILE}.format-mine").touch()
    store = Store.open(data)
    store.close()
    names = [path.name for path in copies(data)]
    assert store.upgraded_from is not None
    expected = {*older[-(upgrade_copies.MOST_COPIES - 1) :], store.upgraded_from.name, f"{FILE}.format-mine"}
    assert set(names) == expected


def test_an_older_program_refuses_and_tells_the_way_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data"
    put_kept_store(NEWEST - 1, data)
    store = Store.open(data)
    write(store, Create("roles", {"id": "lost"}))
    store.close()
    copy = store.upgraded_from
    assert copy is not None
    with older_program(monkeypatch, NEWEST - 1):
        with pytest.raises(StoreUnavailable) as raised:
            Store.open(data)
        assert str(raised.value) == (
            f"the store `{data / FILE}` has format {NEWEST}, and this version of Writ reads up to {NEWEST - 1}; use a"
            f" newer version, or go back to the state before the upgrade: `writ restore {copy} --data {data}`"
        )
        assert str(data) not in raised.value.public
        restored = restore(copy, data)
        assert version_of(data / FILE) == NEWEST - 1
    assert restored.kept is not None
    assert version_of(restored.kept) == NEWEST
    assert [environment.revision for environment, _ in restored.environments] == [1]
    assert copies(data) == [copy]


def test_without_a_copy_the_refusal_names_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store.open(tmp_path / "data").close()
    with older_program(monkeypatch, NEWEST - 1), pytest.raises(StoreUnavailable, match=r"use a newer version$"):
        Store.open(tmp_path / "data")


def test_the_newest_format_is_the_number_of_migrations():
    """It is written down apart, because agents tell it without the store."""
    assert len(MIGRATIONS) == STORE_FORMAT
