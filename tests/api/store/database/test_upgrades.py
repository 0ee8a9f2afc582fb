"""Upgrades of a store to the next format, which the tests make, and the way back."""

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database
from writ.api.store.backups.backup import back_up_older, restore
from writ.api.store.database.newest_format import STORE_FORMAT
from writ.api.store.database.schema import MIGRATIONS
from writ.api.store.database.sqlite import upgrade_copies
from writ.api.store.database.sqlite.opening import FILE
from writ.api.store.elements.edits import Create
from writ.api.store.errors import OlderFormat, StoreUnavailable
from writ.api.store.store import Store
from writ.compiler.model.elements import ElementKind

from tests.support.next_format import NEXT, newer_program
from tests.support.next_steps import add_colours
from tests.support.small_disk import files_up_to
from tests.support.stored import put, stored, write

MODEL = {"resource_types": [{"id": "document", "actions": ["read"]}], "roles": [{"id": "editor"}, {"id": "reader"}]}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A directory with a store of this program's format."""
    directory = tmp_path / "data"
    store = Store.open(directory)
    put(store, MODEL)
    store.close()
    return directory


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        (found,) = db.execute("PRAGMA quick_check").fetchone()
        assert found == "ok"
        return int(db.execute("PRAGMA user_version").fetchone()[0])


def colours(path: Path) -> list[str | None]:
    with closing(sqlite3.connect(path)) as db:
        return [row[0] for row in db.execute("SELECT colour FROM roles ORDER BY id")]


def columns(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return [row[1] for row in db.execute("PRAGMA table_info(roles)")]


def copies(directory: Path) -> list[Path]:
    return sorted(directory.glob(f"{FILE}.format-*"))


def test_the_newest_format_is_the_number_of_migrations() -> None:
    """It is written down apart, because agents have no store."""
    assert len(MIGRATIONS) == STORE_FORMAT


SECOND = """
DROP INDEX roles_by_name; DROP INDEX groups_by_name; DROP INDEX policies_by_name;
DROP INDEX subjects_by_name; DROP INDEX resources_by_name;
ALTER TABLE roles DROP COLUMN called; ALTER TABLE groups DROP COLUMN called; ALTER TABLE policies DROP COLUMN called;
ALTER TABLE subjects DROP COLUMN called; ALTER TABLE resources DROP COLUMN called;
PRAGMA user_version = 2;
"""
"""Makes a store of the second format of one of the third."""

FIRST = """
DROP TABLE entry_blocks; DROP TABLE old_secrets; DROP TABLE secret_uses;
DROP TABLE sessions; DROP TABLE people; DROP TABLE used_sign_ins; DROP TABLE bundles;
CREATE TABLE bundles (
    environment INTEGER NOT NULL REFERENCES environments (number) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    file TEXT NOT NULL,
    PRIMARY KEY (environment, revision)
) STRICT, WITHOUT ROWID;
PRAGMA user_version = 1;
"""
"""Makes a store of the first format of one of the second."""


def test_a_store_of_the_first_format_is_upgraded(data: Path) -> None:
    """It gets the tables of people, folders of bundles, and the texts by which elements are found and sorted."""
    with closing(sqlite3.connect(data / FILE)) as db:
        db.executescript(SECOND)
        db.executescript(FIRST)
    store = Store.open(data, upgrade=True)
    assert (stored(store), store.sign_ins.people(10), store.sign_ins.sessions(None, 10)) == (
        MODEL,
        ([], None),
        ([], None),
    )
    assert [one.body["id"] for one in store.finder.page("default", ElementKind.ROLES, "DER", {}, 10, None).items] == [
        "reader"
    ]
    sorted_ = store.finder.page("default", ElementKind.ROLES, "", sort="-name")
    assert [one.body["id"] for one in sorted_.items] == ["reader", "editor"]
    store.close()
    assert (version_of(data / FILE), len(copies(data))) == (STORE_FORMAT, 1)


def test_a_store_of_the_second_format_gets_the_orders_of_its_lists(data: Path) -> None:
    """A name that is only among the attributes counts too."""
    with closing(sqlite3.connect(data / FILE)) as db:
        db.executescript(SECOND)
    with closing(Store.open(data, upgrade=True)) as store:
        roles = store.finder.page("default", ElementKind.ROLES, "", sort="-name")
        assert [one.body["id"] for one in roles.items] == ["reader", "editor"]
        assert stored(store) == MODEL
    with closing(sqlite3.connect(data / FILE)) as db:
        for table in ("roles", "groups", "subjects", "resources", "policies"):
            assert db.execute(f"SELECT count(*) FROM {table} WHERE called IS NULL").fetchall() == [(0,)], table


def test_a_store_of_the_newest_format_is_left_alone(data: Path) -> None:
    store = Store.open(data)
    assert (store.upgraded_from, copies(data), version_of(data / FILE)) == (None, [], STORE_FORMAT)
    store.close()


def test_an_upgrade_keeps_the_model_and_a_copy(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with newer_program(monkeypatch):
        store = Store.open(data, upgrade=True)
        assert stored(store) == MODEL
        write(store, Create("roles", {"id": "writer"}))
        store.close()
        again = Store.open(data, upgrade=True)
        assert again.upgraded_from is None
        again.close()
    assert colours(data / FILE) == ["grey of editor", "grey of reader", None]
    (copy,) = copies(data)
    assert copy == store.upgraded_from
    assert copy.name.startswith(f"{FILE}.format-{STORE_FORMAT}.2")
    assert (version_of(copy), version_of(data / FILE)) == (STORE_FORMAT, NEXT)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert "colour" not in columns(copy)


def test_a_new_store_runs_every_migration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with newer_program(monkeypatch):
        store = Store.open(tmp_path, upgrade=True)
        store.close()
    assert (store.upgraded_from, copies(tmp_path), version_of(tmp_path / FILE)) == (None, [], NEXT)
    assert "colour" in columns(tmp_path / FILE)


def test_an_upgrade_without_room_for_the_copy_leaves_the_store_as_it_was(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (data / FILE).read_bytes()
    with newer_program(monkeypatch):
        with files_up_to(64 * 1024), pytest.raises(StoreUnavailable) as raised:
            Store.open(data, upgrade=True)
        assert f"is not upgraded from format {STORE_FORMAT} to {NEXT}" in str(raised.value)
        assert str(raised.value).endswith(f"make room for a copy in `{data}`")
        assert "\n" not in str(raised.value)
        assert str(data) not in raised.value.public
        assert (data / FILE).read_bytes() == before
        assert version_of(data / FILE) == STORE_FORMAT
        assert not [path.name for path in data.iterdir() if "format" in path.name or "unfinished" in path.name]
        Store.open(data, upgrade=True).close()
    assert version_of(data / FILE) == NEXT


def test_a_failed_upgrade_leaves_the_store_as_it_was(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All steps are one transaction: a later one that fails takes the earlier ones back."""

    def fail(db: Database) -> None:
        db.execute("DELETE FROM lost")

    for _ in range(3):
        with newer_program(monkeypatch, add_colours, fail), pytest.raises(StoreUnavailable) as raised:
            Store.open(data, upgrade=True)
        assert str(raised.value) == (
            f"the store `{data / FILE}` is not upgraded from format {STORE_FORMAT} to {NEXT + 1}, because a step failed"
            " (no such table: lost); it is as it was, and the older version of Writ can go on with it"
        )
        assert len(copies(data)) == 1, "each start makes the same copy"
        monkeypatch.setattr(upgrade_copies, "show_seconds", lambda _: "2100-01-01T00:00:00Z")  # a later second
    assert version_of(data / FILE) == STORE_FORMAT
    assert "colour" not in columns(data / FILE)
    with newer_program(monkeypatch):
        Store.open(data, upgrade=True).close()
    assert version_of(data / FILE) == NEXT


def test_a_step_with_a_mistake_is_told_in_one_sentence(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with newer_program(monkeypatch, lambda _: [][1]), pytest.raises(StoreUnavailable, match=r"failed [(]list index"):
        Store.open(data, upgrade=True)
    assert version_of(data / FILE) == STORE_FORMAT


def test_only_who_asks_for_it_changes_a_format(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (data / FILE).read_bytes()
    with newer_program(monkeypatch):
        with pytest.raises(OlderFormat) as raised:
            Store.open(data)
        assert str(raised.value) == (
            f"the store `{data / FILE}` has format {STORE_FORMAT}, and this version of Writ needs {NEXT}; stop the"
            f" service, and upgrade it with `writ upgrade --data {data}`"
        )
        assert str(data) not in raised.value.public
        back_up_older(data, data / "copy.db")
    assert (data / FILE).read_bytes() == before
    assert (version_of(data / "copy.db"), copies(data)) == (STORE_FORMAT, [])


def test_only_the_last_copies_stay(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time decides, not the format: `10` sorts before `9` as text."""
    older = [f"{FILE}.format-{version}.20{version:02}0101T000000Z" for version in range(1, 6)]
    for name in older:
        (data / name).touch()
    (data / f"{FILE}.format-mine").touch()
    with newer_program(monkeypatch):
        store = Store.open(data, upgrade=True)
        store.close()
    names = [path.name for path in copies(data)]
    assert store.upgraded_from is not None
    expected = {*older[-(upgrade_copies.MOST_COPIES - 1) :], store.upgraded_from.name, f"{FILE}.format-mine"}
    assert set(names) == expected


def test_an_older_program_refuses_and_tells_the_way_back(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with newer_program(monkeypatch):
        store = Store.open(data, upgrade=True)
        write(store, Create("roles", {"id": "lost"}))
        store.close()
    copy = store.upgraded_from
    assert copy is not None
    with pytest.raises(StoreUnavailable) as raised:
        Store.open(data)
    assert str(raised.value) == (
        f"the store `{data / FILE}` has format {NEXT}, and this version of Writ reads up to {STORE_FORMAT}; use a"
        f" newer version, or go back to the state before the upgrade: `writ restore {copy} --data {data}`"
    )
    assert str(data) not in raised.value.public
    restored = restore(copy, data)
    assert version_of(data / FILE) == STORE_FORMAT
    assert restored.kept is not None
    assert version_of(restored.kept) == NEXT
    assert [environment.revision for environment, _ in restored.environments] == [1]
    assert copies(data) == [copy]


def test_without_a_copy_the_refusal_names_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with newer_program(monkeypatch):
        Store.open(tmp_path / "data").close()
    with pytest.raises(StoreUnavailable, match=r"use a newer version$"):
        Store.open(tmp_path / "data")


@pytest.mark.parametrize("version", [STORE_FORMAT, 13])
def test_a_store_from_before_the_first_release_is_refused(data: Path, version: int) -> None:
    """It counted its formats apart, so its number says nothing. It stays as it was."""
    with closing(sqlite3.connect(data / FILE)) as db:
        db.execute(f"PRAGMA application_id = {0x57726974}")
        db.execute(f"PRAGMA user_version = {version}")
    before = (data / FILE).read_bytes()
    for refused in (lambda: Store.open(data), lambda: restore(data / FILE, data.parent / "restored")):
        with pytest.raises(StoreUnavailable, match=r"^the store .* is from before Writ 0\.1\.0; export its models"):
            refused()
    assert (data / FILE).read_bytes() == before
    assert copies(data) == []
    assert not (data.parent / "restored" / FILE).exists()
