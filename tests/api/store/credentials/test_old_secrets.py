"""Replaced secrets in the store: each works until its overlap ends, and what ends them leaves none."""

from dataclasses import replace
from hashlib import sha256

import pytest
from writ.api.store.actor import Actor
from writ.api.store.credentials.credentials import ApiKeySpec, ClientSpec
from writ.api.store.credentials.old_secrets import MOST_OLD_SECRETS, REMEMBERED_SECONDS, Overlap
from writ.api.store.elements.edits import Create
from writ.api.store.errors import Conflict, NotFound, OutOfBounds
from writ.api.store.store import Store

from tests.support.stored import ACTOR, ENV

NOON = 1_800_000_000
CLIENT, KEY = ClientSpec("c", ["read"], 60), ApiKeySpec("k", ["read"])
WEEK = 604_800


def secret(number: int) -> bytes:
    return sha256(bytes([number])).digest()


def test_old_keys_work_until_their_overlap_ends(store: Store) -> None:
    held = store.credentials
    key = held.add_api_key(ACTOR, KEY, secret(1))
    held.rotate_api_key(ACTOR, key.id, secret(2), Overlap(60, NOON))
    held.rotate_api_key(ACTOR, key.id, secret(3), Overlap(20, NOON + 0.9))
    found = [held.api_key_with(secret(number)) for number in (1, 2, 3)]
    assert [None if one is None else (one[0].id, one[1]) for one in found] == [
        (key.id, NOON + 60),
        (key.id, NOON + 20),
        (key.id, None),
    ]
    (shown,) = held.api_keys(None, 10)[0]
    assert [one.ends for one in shown.old_secrets] == [NOON + 20, NOON + 60]
    held.rotate_api_key(ACTOR, key.id, secret(4), Overlap(0, NOON + 1))
    assert [held.api_key_with(secret(number)) is None for number in (1, 2, 3, 4)] == [True, True, True, False]


def test_an_old_key_lives_no_longer_than_it_would_have_lived(store: Store) -> None:
    held = store.credentials
    soon = "2027-01-15T08:00:10Z"
    key = held.add_api_key(ACTOR, replace(KEY, expires_at=soon), secret(1))
    rotated = held.rotate_api_key(ACTOR, key.id, secret(2), Overlap(60, NOON), None)
    assert (rotated.expires_at, rotated.old_secrets[0].ends) == (None, NOON + 10)
    again = held.add_api_key(ACTOR, replace(KEY, expires_at=soon), secret(3))
    with pytest.raises(Conflict, match="expired"):
        held.rotate_api_key(ACTOR, again.id, secret(4), Overlap(0, NOON + 10))
    assert held.api_key_with(secret(4)) is None


def test_a_credential_has_few_old_secrets_and_forgets_those_that_ended_long_ago(store: Store) -> None:
    held = store.credentials
    client = held.add_client(ACTOR, CLIENT, secret(0))
    for number in range(MOST_OLD_SECRETS):
        held.renew_secret(ACTOR, client.id, secret(number + 1), Overlap(WEEK, NOON))
    generation = held.generation()
    with pytest.raises(Conflict, match="5 earlier secrets still work"):
        held.renew_secret(ACTOR, client.id, secret(9), Overlap(WEEK, NOON))
    assert (held.generation(), len(held.client(client.id).old_secrets)) == (generation, MOST_OLD_SECRETS)
    later = held.renew_secret(ACTOR, client.id, secret(9), Overlap(60, NOON + WEEK))
    assert len(later.old_secrets) == MOST_OLD_SECRETS + 1
    last = held.renew_secret(ACTOR, client.id, secret(10), Overlap(60, NOON + WEEK + REMEMBERED_SECONDS))
    assert [one.secret for one in last.old_secrets] == [secret(5), secret(9)]


def test_what_ends_a_credential_leaves_no_secret_and_no_use(store: Store) -> None:
    held = store.credentials
    client, key = held.add_client(ACTOR, CLIENT, secret(1)), held.add_api_key(ACTOR, KEY, secret(2))
    held.renew_secret(ACTOR, client.id, secret(3), Overlap(60, NOON))
    held.rotate_api_key(ACTOR, key.id, secret(4), Overlap(60, NOON))
    names = {f"client:{client.id} {secret(1).hex()}": NOON, f"api-key:{key.id} {secret(4).hex()}": NOON + 60}
    held.record_uses(names | {f"api-key:{key.id} {secret(9).hex()}": NOON}, NOON + 60)
    shown, other = held.client(client.id), held.api_key(key.id)
    assert (shown.last_used, shown.secret_used, shown.old_secrets[0].last_used) == (
        *("2027-01-15T08:00:00Z", None),
        "2027-01-15T08:00:00Z",
    )
    assert (other.last_used, other.secret_used, other.old_secrets[0].last_used) == (
        *("2027-01-15T08:01:00Z", "2027-01-15T08:01:00Z"),
        None,
    )
    held.end_old_secrets(ACTOR, client.id)
    assert held.client(client.id).old_secrets == ()
    held.delete_client(ACTOR, client.id)
    held.delete_api_key(ACTOR, key.id)
    with store._connections.reading() as db:
        for table in ("old_secrets", "secret_uses", "credential_uses"):
            assert db.execute(f"SELECT * FROM {table}").fetchall() == []


def test_an_end_is_refused_outside_the_bounds_and_for_what_is_not_there(store: Store) -> None:
    held = store.credentials
    client, key = held.add_client(ACTOR, CLIENT, secret(1)), held.add_api_key(ACTOR, KEY, secret(2))
    for bounds, refusal in ((frozenset({"no-such-uuid"}), OutOfBounds), (None, NotFound)):
        actor = Actor("a", bounds)
        for id in ("none",) if bounds is None else (client.id, key.id, "none"):
            with pytest.raises(refusal):
                held.end_old_secrets(actor, id)
            with pytest.raises(refusal):
                held.end_old_keys(actor, id)
            with pytest.raises(refusal):
                held.rotate_api_key(actor, id, secret(3), Overlap())


def test_no_change_is_stored_with_a_key_that_a_rotation_ended_meanwhile(store: Store) -> None:
    held = store.credentials
    key = held.add_api_key(ACTOR, ApiKeySpec("k", ["write"]), secret(1))
    old, present = (Actor("a", api_key=key.id, secret=secret(number)) for number in (1, 2))
    held.rotate_api_key(ACTOR, key.id, secret(2), Overlap(60, NOON))
    for number, actor in enumerate((old, present)):
        store.write(ENV, actor, [Create("roles", {"id": f"role-{number}"})])
    held.end_old_keys(ACTOR, key.id)
    with pytest.raises(OutOfBounds, match="revoked or restricted"):
        store.write(ENV, old, [Create("roles", {"id": "late"})])
    store.write(ENV, present, [Create("roles", {"id": "later"})])
