"""The counts of what needs attention: they are those of its lists, on both engines (issue 34, item 8)."""

from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from writ.api.store.actor import API_KEY_PREFIX, CLIENT_PREFIX
from writ.api.store.credentials.credential_states import CredentialState, InState
from writ.api.store.credentials.credentials import ApiKeySpec, ClientSpec
from writ.api.store.credentials.old_secrets import Overlap
from writ.api.store.elements.edits import Create, Patch
from writ.api.store.environments import EnvironmentChange
from writ.api.store.insight import attention
from writ.api.store.insight.attention import SourceChanges
from writ.api.store.promotions.promotion import Wanted
from writ.api.store.store import Store
from writ.bundles.conditions.instants import show_seconds

from tests.support.clock import Clock
from tests.support.store_engines import Engine
from tests.support.stored import ACTOR, ENV, put, write

NOW, DAY = 1_800_000_000, 86_400
CLIENT, KEY = ClientSpec("c", ["read"], 60), ApiKeySpec("k", ["read"])
MODEL: dict[str, Any] = {"resource_types": [{"id": "document", "actions": ["read"]}], "roles": [{"id": "reader"}]}
UNUSED, ENDING, EXPIRED = CredentialState


@pytest.fixture
def clock() -> Clock:
    return Clock(float(NOW))


@pytest.fixture
def store(engine: Engine, tmp_path: Path, clock: Clock):
    with closing(engine.open(tmp_path, clock=clock)) as opened:
        yield opened


def secret(number: int) -> bytes:
    return sha256(bytes([number])).digest()


def test_ends_are_counted_as_they_are_listed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, MODEL)
    ends = {"edge": 7 * DAY, "late": 7 * DAY + 0.001, "over": 0, "month": -30 * DAY + 0.001, "gone": -30 * DAY}
    for id, end in ends.items():
        grant = {
            "subject": {"type": "user", "id": "a"},
            "resource": {"type": "document", "id": id},
            "actions": ["read"],
        }
        write(store, Create("grants", {"id": id, "expires_at": show_seconds(NOW + end)} | grant))
    role = {"role": "reader", "group": "staff", "expires_at": show_seconds(NOW + DAY)}
    write(store, Create("groups", {"id": "staff"}), Create("assignments", {"id": "day"} | role))
    _, found, _ = store.insight.attention(ENV, NOW, False)
    assert (found.ending, found.ended) == (2, 2)
    listed = [store.expiring.page(ENV, *span, 10)[0] for span in ((NOW, NOW + 7 * DAY), (NOW - 30 * DAY, NOW))]
    assert [[one.id for one in some] for some in listed] == [["day", "edge"], ["month", "over"]]
    monkeypatch.setattr(attention, "MOST_COUNTED", 1)
    _, found, _ = store.insight.attention(ENV, NOW, False)
    assert (found.ending, found.ended) == (1, 1)


def test_a_promoted_model_is_compared_with_where_it_came_from(store: Store) -> None:
    store.create_environment(ACTOR, "prod")
    put(store, MODEL)
    assert store.insight.attention("prod", NOW, True)[1:] == (
        (0, 0, None, None),
        (0, {"unused": 0, "ending": 0}, {"unused": 0, "ending": 0, "expired": 0}),
    )
    store.promotions.promote("prod", ACTOR, Wanted(ENV))
    assert store.insight.attention("prod", NOW, False)[1] == (0, 0, 0, SourceChanges(ENV, 1, 0))
    write(store, Create("groups", {"id": "staff"}))  # this is no part of a policy model
    write(store, Create("roles", {"id": "writer"}))
    store.write("prod", ACTOR, [Patch("roles", ("reader",), {"name": "Reader"}, None)])
    store.change_environment(ACTOR, "prod", EnvironmentChange(approvals=1))
    store.promotions.promote("prod", ACTOR, Wanted(ENV, accept_drift=True))
    environment, found, administered = store.insight.attention("prod", NOW, True)
    assert found == (0, 0, 1, SourceChanges(ENV, 1, 1))
    assert administered is not None
    assert administered.waiting == 1
    assert store.promotions.drift("prod").changes[0].id == "reader"
    alone = frozenset({environment.uuid})
    assert store.insight.attention("prod", NOW, False, alone)[1].source is None, "the source is outside the bounds"
    assert store.insight.attention(ENV, NOW, True)[1:] == ((0, 0, None, None), (0, *administered[1:]))


def test_credentials_are_counted_as_their_lists_have_them(store: Store, clock: Clock) -> None:
    held = store.credentials
    clock.now = NOW - 30 * DAY - 0.5
    old, used, revoked = (held.add_client(ACTOR, CLIENT, secret(number)) for number in range(3))
    lazy, busy = (held.add_api_key(ACTOR, KEY, secret(number)) for number in (3, 4))
    spent = held.add_api_key(ACTOR, ApiKeySpec("k", ["read"], show_seconds(NOW)), secret(5))
    clock.now = float(NOW)
    held.add_client(ACTOR, CLIENT, secret(6))  # it is new
    soon = held.add_api_key(ACTOR, ApiKeySpec("k", ["read"], show_seconds(NOW + 14 * DAY)), secret(7))
    held.add_api_key(ACTOR, ApiKeySpec("k", ["read"], show_seconds(NOW + 14 * DAY + 0.5)), secret(8))
    uses = {f"{CLIENT_PREFIX}{used.id}": NOW - 60, f"{CLIENT_PREFIX}{old.id}": NOW - 31 * DAY}
    held.record_uses(uses | {f"{API_KEY_PREFIX}{busy.id}": NOW - 30 * DAY + 1}, NOW)
    held.revoke_client(ACTOR, revoked.id)
    held.renew_secret(ACTOR, used.id, secret(9), Overlap(DAY, NOW))
    held.rotate_api_key(ACTOR, busy.id, secret(11), Overlap(DAY, NOW))
    clients = {UNUSED: {old.id}, ENDING: {used.id}}
    keys = {UNUSED: {lazy.id}, ENDING: {soon.id, busy.id}, EXPIRED: {spent.id}}
    for rows, expected in ((held.clients, clients), (held.api_keys, keys)):
        for state, ids in expected.items():
            assert {one.id for one in rows(None, 10, None, InState(state, NOW))[0]} == ids, state
    *_, found = store.insight.attention(ENV, NOW, True)
    assert found is not None
    assert found.clients == {state.value: len(ids) for state, ids in clients.items()}
    assert found.api_keys == {state.value: len(ids) for state, ids in keys.items()}
    page, cursor = held.api_keys(None, 1, None, InState(ENDING, NOW))
    rest, _ = held.api_keys(None, 1, cursor, InState(ENDING, NOW))
    assert {one.id for one in (*page, *rest)} == {soon.id, busy.id}
    assert held.api_keys(frozenset({"x"}), 9, None, InState(ENDING, NOW))[0] == [], (
        "a caller sees what is in its bounds"
    )
