"""Credentials in the store: room for them in an older database, every change noticed, bounds heeded."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from api.store.credentials import ApiKeyWanted, ClientWanted, Credentials
from api.store.opening import APPLICATION_ID, FILE
from api.store.refusals import NotFound, OutOfBounds
from api.store.schema import MIGRATIONS
from api.store.store import Store

NOBODYS = frozenset({"no-such-uuid"})
SECRET = bytes(32)
CLIENT, KEY = ClientWanted("c", ["read"], 60), ApiKeyWanted("k", ["read"])


def test_a_database_from_before_gets_room_for_credentials(tmp_path: Path) -> None:
    Store.open(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        for table in ("clients", "api_keys", "revoked_tokens", "credential_generation"):
            db.execute(f"DROP TABLE {table}")
        db.execute("PRAGMA user_version = 2")
    store = Store.open(tmp_path)
    assert store.credentials.add_client(CLIENT, SECRET, None).scopes == ("read",)
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
        assert db.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    store.close()


def test_every_change_raises_the_generation(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    held = store.credentials
    client, key = held.add_client(CLIENT, SECRET, None), held.add_api_key(KEY, SECRET, None)
    changes: list[Callable[[], object]] = [
        lambda: held.add_client(CLIENT, SECRET, None),
        lambda: held.change_client(client.id, lambda _: CLIENT, None),
        lambda: held.renew_secret(client.id, SECRET, None),
        lambda: held.revoke_client(client.id, None),
        lambda: held.delete_client(client.id, None),
        lambda: held.delete_api_key(key.id, None),
        lambda: held.revoke_token("t", 100, 0.0),
        held.touch,
    ]
    seen = [held.generation()]
    for change in changes:
        change()
        seen.append(held.generation())
    assert seen == sorted(set(seen))
    store.create_environment("other")
    assert held.generation() == seen[-1], "no credential has changed"
    store.close()


def test_what_lies_outside_the_bounds_of_who_asks_is_neither_seen_nor_changed(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    held: Credentials = store.credentials
    client, key = held.add_client(CLIENT, SECRET, None), held.add_api_key(KEY, bytes(31) + b"x", None)
    generation = held.generation()
    for id, call in [
        (client.id, lambda id, within: held.client(id, within)),
        (client.id, lambda id, within: held.change_client(id, lambda _: CLIENT, within)),
        (client.id, lambda id, within: held.renew_secret(id, SECRET, within)),
        (client.id, lambda id, within: held.revoke_client(id, within)),
        (client.id, lambda id, within: held.delete_client(id, within)),
        (key.id, lambda id, within: held.api_key(id, within)),
        (key.id, lambda id, within: held.delete_api_key(id, within)),
    ]:
        for asked in (id, "none"):
            with pytest.raises(OutOfBounds):
                call(asked, NOBODYS)
        with pytest.raises(NotFound):
            call("none", None)
    for make in (lambda: held.add_client(CLIENT, SECRET, NOBODYS), lambda: held.add_api_key(KEY, SECRET, NOBODYS)):
        with pytest.raises(OutOfBounds):
            make()
    assert held.clients(NOBODYS, 10) == held.api_keys(NOBODYS, 10) == ([], None)
    assert (held.generation(), held.client(client.id), held.api_key(key.id)) == (generation, client, key)
    store.close()


def test_a_revoked_token_is_remembered_until_it_would_have_expired(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    held = store.credentials
    held.revoke_token("a", 100, 0.0)
    held.revoke_token("b", 200, 99.0)
    assert [held.is_revoked(id) for id in ("a", "b", "c")] == [True, True, False]
    held.revoke_token("c", 300, 100.0)
    assert [held.is_revoked(id) for id in ("a", "b", "c")] == [False, True, True]
    store.close()
