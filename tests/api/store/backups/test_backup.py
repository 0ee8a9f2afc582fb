"""Backups: one instant of a store in use, and the properties of a store made from one."""

import threading

import pytest
from writ.api.store.backups.backup import REPLACED, restore
from writ.api.store.elements.edits import Create
from writ.api.store.errors import StoreUnavailable
from writ.api.store.store import Store

from tests.support.stored import ACTOR, ENV, put, stored, write

pytestmark = pytest.mark.of_file

MODEL = {"roles": [{"id": f"r{number}"} for number in range(3_000)]}


def test_a_backup_is_one_instant_of_a_store_in_use(store, tmp_path):
    put(store, MODEL)
    stop = threading.Event()

    def go_on_writing() -> None:
        while not stop.is_set():
            write(store, Create("roles", {"name": "x"}), Create("roles", {"name": "y"}))

    writer = threading.Thread(target=go_on_writing)
    writer.start()
    try:
        for number in range(5):
            store.backup(tmp_path / f"{number}.backup")
    finally:
        stop.set()
        writer.join()
    restore(tmp_path / "4.backup", tmp_path / "new")
    other = Store.open(tmp_path / "new")
    roles = stored(other)["roles"]
    assert len(roles) == 3_000 + 2 * (other.revision_of(ENV) - 1)
    assert (tmp_path / "new" / "writ.db").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "0.backup").stat().st_mode & 0o777 == 0o600
    other.close()


def test_restoring_raises_the_epoch_and_forgets_the_bundles(store, tmp_path):
    """Above the epochs of the replaced store, so that no epoch has two histories. That store is kept."""
    put(store, {"roles": [{"id": "r"}]})
    store.create_environment(ACTOR, "other")
    env = store.environment(ENV)
    store.record_bundle(env, 1, "file")
    tag = store.get(ENV, "roles", ("r",)).etag
    store.backup(tmp_path / "backup")
    write(store, Create("roles", {"id": "lost"}))
    store.close()
    for epoch in (2, 3):
        restore(tmp_path / "backup", store.path.parent)
        restored = Store.open(store.path.parent)
        assert [env.epoch for env in restored.environments()] == [epoch, epoch]
        assert restored.environment(ENV).uuid == env.uuid
        assert stored(restored) == {"roles": [{"id": "r"}]}
        assert restored.updates(ENV).bundle is None
        assert restored.get(ENV, "roles", ("r",)).etag != tag
        write(restored, Create("roles", {}))
        restored.close()
    names = sorted(path.name for path in store.path.parent.iterdir())
    assert names == ["writ.db", "writ.db-commits", REPLACED, f"{REPLACED}.2"]


def test_what_is_no_sound_backup_is_refused_and_changes_nothing(store, tmp_path):
    put(store, MODEL)
    store.backup(tmp_path / "backup")
    data = bytearray((tmp_path / "backup").read_bytes())
    (tmp_path / "text").write_text("x" * 10_000)
    (tmp_path / "cut").write_bytes(data[: len(data) // 2])
    data[8_192:] = bytes(len(data) - 8_192)
    (tmp_path / "damaged").write_bytes(data)
    (tmp_path / "empty").touch()
    for name in ("text", "cut", "damaged", "empty", "absent"):
        with pytest.raises(StoreUnavailable):
            restore(tmp_path / name, store.path.parent)
    assert stored(store) == MODEL
    with pytest.raises(StoreUnavailable, match="exists already"):
        store.backup(tmp_path / "backup")
    with pytest.raises(StoreUnavailable, match="failed"):
        store.backup(tmp_path / "text" / "file")
