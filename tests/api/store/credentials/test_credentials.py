"""Credentials in the store: every change is recorded, and bounds hold."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from msgspec import UNSET
from writ.api.store.actor import Actor
from writ.api.store.audit.entries import EntryFilter
from writ.api.store.audit.events import Event
from writ.api.store.credentials.credentials import REVOCATION_SECONDS, ApiKeySpec, ClientSpec, Credentials
from writ.api.store.errors import NotFound, OutOfBounds
from writ.api.store.store import Store

from tests.support.stored import ACTOR

NOBODYS = frozenset({"no-such-uuid"})
SECRET = bytes(32)
CLIENT, KEY = ClientSpec("c", ["read"], 60), ApiKeySpec("k", ["read"])


def test_every_change_raises_the_generation(store: Store) -> None:
    held = store.credentials
    client, key = held.add_client(ACTOR, CLIENT, SECRET), held.add_api_key(ACTOR, KEY, SECRET)
    changes: list[Callable[[], object]] = [
        lambda: held.add_client(ACTOR, CLIENT, SECRET),
        lambda: held.change_client(ACTOR, client.id, lambda _: CLIENT),
        lambda: held.renew_secret(ACTOR, client.id, SECRET),
        lambda: held.revoke_client(ACTOR, client.id),
        lambda: held.delete_client(ACTOR, client.id),
        lambda: held.delete_api_key(ACTOR, key.id),
        lambda: held.revoke_token(ACTOR, "t", 100, 0.0),
        lambda: held.rotate_keys(ACTOR, lambda: "kid"),
    ]
    seen = [held.generation()]
    for change in changes:
        change()
        seen.append(held.generation())
    assert seen == sorted(set(seen))
    store.create_environment(ACTOR, "other")
    assert held.generation() == seen[-1], "no credential has changed"


def test_what_lies_outside_the_bounds_of_who_asks_is_neither_seen_nor_changed(store: Store) -> None:
    held: Credentials = store.credentials
    client, key = held.add_client(ACTOR, CLIENT, SECRET), held.add_api_key(ACTOR, KEY, bytes(31) + b"x")
    generation = held.generation()
    for id, call in [
        (client.id, lambda id, within: held.client(id, within)),
        (client.id, lambda id, within: held.change_client(Actor("a", within), id, lambda _: CLIENT)),
        (client.id, lambda id, within: held.renew_secret(Actor("a", within), id, SECRET)),
        (client.id, lambda id, within: held.revoke_client(Actor("a", within), id)),
        (client.id, lambda id, within: held.delete_client(Actor("a", within), id)),
        (key.id, lambda id, within: held.api_key(id, within)),
        (key.id, lambda id, within: held.delete_api_key(Actor("a", within), id)),
    ]:
        for asked in (id, "none"):
            with pytest.raises(OutOfBounds):
                call(asked, NOBODYS)
        with pytest.raises(NotFound):
            call("none", None)
    bound = Actor("a", NOBODYS)
    for make in (lambda: held.add_client(bound, CLIENT, SECRET), lambda: held.add_api_key(bound, KEY, SECRET)):
        with pytest.raises(OutOfBounds):
            make()
    assert held.clients(NOBODYS, 10) == held.api_keys(NOBODYS, 10) == ([], None)
    assert (held.generation(), held.client(client.id), held.api_key(key.id)) == (generation, client, key)


def test_a_client_whose_environments_were_deleted_becomes_nobody_else_s(store: Store) -> None:
    """A change of its name alone keeps its bounds. A client without any environment is within no bounds."""
    held = store.credentials
    one, other = (store.create_environment(ACTOR, id).uuid for id in ("one", "other"))
    client = held.add_client(ACTOR, replace(CLIENT, environments=["one"]), SECRET)
    store.delete_environment(ACTOR, "one")
    renamed = held.change_client(ACTOR, client.id, lambda _: replace(CLIENT, name="renamed", environments=UNSET))
    assert (renamed.name, renamed.bounds, renamed.environments) == ("renamed", frozenset({one}), ())
    empty = held.add_client(ACTOR, replace(CLIENT, environments=[]), SECRET)
    for id in (client.id, empty.id):
        for within in (frozenset({other}), frozenset()):
            with pytest.raises(OutOfBounds):
                held.client(id, within)
            with pytest.raises(OutOfBounds):
                held.renew_secret(Actor("a", within), id, SECRET)
    assert held.clients(frozenset({other}), 10) == ([], None)
    assert store.audit.page(EntryFilter(event=Event.CLIENT_CREATED), frozenset({other}), 10) == ([], None)
    with pytest.raises(OutOfBounds):
        held.add_client(Actor("a", frozenset({other})), replace(CLIENT, environments=UNSET), SECRET)


def test_a_client_is_revoked_once(store: Store) -> None:
    held = store.credentials
    client = held.add_client(ACTOR, CLIENT, SECRET)
    held.revoke_client(ACTOR, client.id)
    revoked, generation = held.client(client.id), held.generation()
    held.revoke_client(ACTOR, client.id)
    assert (held.client(client.id), held.generation()) == (revoked, generation)
    assert len(store.audit.page(EntryFilter(event=Event.CLIENT_REVOKED), None, 10)[0]) == 1


def test_a_revoked_token_is_remembered_until_it_has_long_expired(store: Store) -> None:
    held = store.credentials
    held.revoke_token(ACTOR, "a", 100, 0.0)
    held.revoke_token(ACTOR, "b", 200, 99.0 + REVOCATION_SECONDS)
    assert [held.is_revoked(id) for id in ("a", "b", "c")] == [True, True, False]
    held.revoke_token(ACTOR, "c", 300, 100.0 + REVOCATION_SECONDS)
    assert [held.is_revoked(id) for id in ("a", "b", "c")] == [False, True, True]
