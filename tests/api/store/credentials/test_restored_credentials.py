"""Restoring a backup keeps revoked tokens revoked, and lists every credential that works again."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from writ.api.store.actor import command_actor
from writ.api.store.audit.entries import EntryFilter
from writ.api.store.audit.events import Event
from writ.api.store.backups.backup import Restored, restore
from writ.api.store.credentials.credentials import ApiKeySpec, ClientSpec
from writ.api.store.credentials.restored_credentials import RestoredCredential, UndoneChange
from writ.api.store.store import Store

from tests.support.closing import closed_later
from tests.support.stored import ACTOR

pytestmark = pytest.mark.of_file

CLIENT = ClientSpec("importer", ("read", "write"), 3_600)
SECRET, OTHER = bytes(32), bytes(31) + b"x"


def restored_over(store: Store, backup: Path) -> tuple[Restored, Store]:
    store.close()
    done = restore(backup, store.path.parent, lambda: 7.0)
    return done, Store.open(store.path.parent)


def test_what_was_ended_since_the_backup_is_told(store: Store, tmp_path: Path) -> None:
    """Each way to revoke a credential. One that was revoked before the backup and an unchanged one are not listed."""
    held = store.credentials
    names = ("kept", "deleted", "revoked", "renewed", "changed", "revoked before")
    made = {name: held.add_client(ACTOR, replace(CLIENT, name=name), SECRET) for name in names}
    held.revoke_client(ACTOR, made["revoked before"].id)
    keys = [held.add_api_key(ACTOR, ApiKeySpec(f"key {number}", ("read",)), bytes([number])) for number in (1, 2)]
    store.backup(tmp_path / "backup")
    held.delete_client(ACTOR, made["deleted"].id)
    held.revoke_client(ACTOR, made["revoked"].id)
    held.renew_secret(ACTOR, made["renewed"].id, OTHER)
    held.change_client(ACTOR, made["changed"].id, lambda _: replace(CLIENT, name="other", scopes=("read",)))
    held.delete_client(ACTOR, made["revoked before"].id)
    held.add_client(ACTOR, CLIENT, SECRET)
    held.delete_api_key(ACTOR, keys[1].id)
    done, after = restored_over(store, tmp_path / "backup")
    assert done.credentials is not None
    assert sorted(done.credentials, key=lambda one: one.name) == [
        RestoredCredential(True, made["changed"].id, "changed", UndoneChange.CHANGED),
        RestoredCredential(True, made["deleted"].id, "deleted", UndoneChange.DELETED),
        RestoredCredential(False, keys[1].id, "key 2", UndoneChange.DELETED),
        RestoredCredential(True, made["renewed"].id, "renewed", UndoneChange.RENEWED),
        RestoredCredential(True, made["revoked"].id, "revoked", UndoneChange.REVOKED),
    ]
    again, _ = restored_over(after, tmp_path / "backup")
    assert again.credentials == ()


def test_a_revoked_token_stays_so_and_the_generation_rises(store: Store, tmp_path: Path) -> None:
    held = store.credentials
    held.revoke_token(ACTOR, "before", 2_000_000_000, 0.0)
    store.backup(tmp_path / "backup")
    held.revoke_token(ACTOR, "since", 2_000_000_000, 0.0)
    generation = held.generation()
    _, after = restored_over(store, tmp_path / "backup")
    assert [after.credentials.is_revoked(id) for id in ("before", "since", "never")] == [True, True, False]
    assert after.credentials.generation() > generation


@pytest.mark.parametrize("trouble", ["absent", "damaged", "empty", "without credentials"])
def test_where_no_store_tells_nothing_is_said_to_be_well(store: Store, tmp_path: Path, trouble: str) -> None:
    store.backup(tmp_path / "without")
    store.credentials.add_client(ACTOR, CLIENT, SECRET)
    generation = store.credentials.generation()
    store.backup(tmp_path / "backup")
    store.close()
    path = store.path
    if trouble == "absent":
        path.unlink()
    elif trouble == "without credentials":
        db = sqlite3.connect(path)
        db.execute("DROP TABLE clients")
        db.close()
    else:
        path.write_bytes(b"x" * 10_000 if trouble == "damaged" else b"")
    done = restore(tmp_path / "backup", path.parent)
    assert done.credentials is None
    assert closed_later(Store.open(path.parent)).credentials.generation() > generation
    assert restore(tmp_path / "without", tmp_path / "new").credentials == (), "nobody is good again"


def test_the_audit_log_of_the_restored_store_has_it(store: Store, tmp_path: Path) -> None:
    store.backup(tmp_path / "backup")
    _, after = restored_over(store, tmp_path / "backup")
    ((entry,), _) = after.audit.page(EntryFilter(event=Event.STORE_RESTORED), None, 10)
    assert (entry.entry.actor, entry.entry.time) == (command_actor().name, "1970-01-01T00:00:07.000Z")
    assert entry.entry.details == {"file": str(tmp_path / "backup")}
