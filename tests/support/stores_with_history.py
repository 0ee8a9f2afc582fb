"""A store that has rows in every table, numbers that are not used any more, and a log whose first entries expired."""

import random
from collections import Counter
from typing import Any, Final

from writ.api.identity.keys.ring import KeyRing, KeySealer
from writ.api.identity.keys.signing_keys import new_key
from writ.api.identity.keys.sources import SuppliedKeys
from writ.api.store.audit.events import Event
from writ.api.store.audit.exports import Export
from writ.api.store.audit.refused_attempts import Attempt
from writ.api.store.copying.places import Place
from writ.api.store.copying.rows import LEFT_OUT
from writ.api.store.credentials.credentials import ApiKeySpec, ClientSpec
from writ.api.store.credentials.old_secrets import Overlap
from writ.api.store.database.sqlite.table_list import all_tables
from writ.api.store.elements.edits import Create, Put
from writ.api.store.environments import EnvironmentChange
from writ.api.store.policy_tests import NewSet
from writ.api.store.promotions.promotion import Wanted
from writ.api.store.sign_ins.newest_sign_in import SignIn
from writ.api.store.sign_ins.session_rows import Person
from writ.api.store.sign_ins.sign_ins import Rights
from writ.api.store.store import Store

from tests.support.clock import Clock
from tests.support.managed import LOG
from tests.support.stored import ACTOR, ENV, put, random_edits, stored, try_write
from tests.support.strategies import document
from tests.support.strategies_pick import Pick

START: Final = 1_700_000_000.0
DAY: Final = 86_400.0
SEALER: Final = KeySealer(KeyRing(SuppliedKeys(new_key("EdDSA")[1].decode()), LOG))
STRANGE: Final = ("a\0b", "a\1b", "a\1\1", "\0", "a\2", "\U0001f600", "\ud7ff\ue000")
"""Ids that PostgreSQL writes in another way, or might order in another way."""

ROUTE: Final = {"methods": ["GET"], "path": "/{id}", "resource_type": "document", "action": "read"}
USER: Final = {"type": "user", "id": "alice"}
WHOLE: Final[dict[str, Any]] = {
    "extensions": ["references"],
    "requests": "strict",
    "resource_types": [{"id": "document", "actions": ["read", "update"], "attributes": {"status": "string"}}],
    "roles": [{"id": "editor"}],
    "groups": [{"id": "eng", "members": [USER, {"group": "backend"}]}, {"id": "backend"}],
    "subjects": [USER | {"external_id": "idp|1"}],
    "resources": [{"type": "document", "id": "d1", "name": "Plan", "attributes": {"status": "draft"}}],
    "assignments": [{"id": "a", "role": "editor", "group": "eng"}],
    "grants": [{"id": "g", "subject": USER, "resource": {"type": "document", "id": "d1"}, "actions": ["read"]}],
    "policies": [
        {
            "id": "p",
            "effect": "ALLOW",
            "roles": ["editor"],
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
            "conditions": {"resource_attrs": [{"key": "status", "op": "regex", "value": "^dr.*t$"}]},
        }
    ],
    "routes": [{"id": "one"} | ROUTE],
    "attributes": {"context": {"mfa": "boolean"}},
    "lints": [{"code": "unused-action", "on": ["document"], "reason": "none asks"}],
}
"""A model with a row in each table of elements."""

EXPIRY: Final = "2100-01-01T00:00:00.123456Z"
"""An expiry that is no whole number of seconds, and no exact binary number."""


def fill(store: Store, clock: Clock, seed: int) -> None:
    """Give a new store, whose clock is `clock`, a history."""
    pick = Pick.seeded(seed)
    put(store, document(pick))
    for _ in range(8):
        clock.now += 1
        try_write(store, random_edits(pick, stored(store), document(pick)))
    for id in STRANGE:
        store.write(ENV, ACTOR, [Put("roles", (id,), {"name": id})])
        subject = {"type": "user", "id": id}
        store.write(ENV, ACTOR, [Put("assignments", (id,), {"role": id, "subject": subject, "expires_at": EXPIRY})])
    _add_environments(store, pick)
    _add_credentials(store, clock)
    _end_log(store, clock)


def _add_environments(store: Store, pick: Pick) -> None:
    for id in ("staging", "prod", "gone"):
        store.create_environment(ACTOR, id)
    store.create_environment(ACTOR, "whole")
    put(store, WHOLE, "whole")
    store.write("whole", ACTOR, [Create("routes", {"id": "first"} | ROUTE, before="one")])
    put(store, document(pick), "staging")
    store.promotions.promote("prod", ACTOR, Wanted("staging"))
    store.change_environment(ACTOR, "prod", EnvironmentChange(approvals=1))
    store.write("staging", ACTOR, [Put("roles", ("promoted",), {})])
    assert store.promotions.promote("prod", ACTOR, Wanted("staging", "release")).status == "pending"
    store.promotions.promote("gone", ACTOR, Wanted("staging"))
    for env in (ENV, "gone"):
        store.policy_tests.create(env, ACTOR, NewSet("set", {"id": "set", "tests": []}, 0))
    store.delete_environment(ACTOR, "gone")


def _add_credentials(store: Store, clock: Clock) -> None:
    generator = random.Random(1)
    client = store.credentials.add_client(ACTOR, ClientSpec("bob\0", ["read"], 900, "text"), generator.randbytes(32))
    spec, old, new = ApiKeySpec("key", ["write"], None, [ENV]), generator.randbytes(32), generator.randbytes(32)
    key = store.credentials.add_api_key(ACTOR, spec, old)
    store.credentials.rotate_api_key(ACTOR, key.id, new, Overlap(900, clock.now))
    store.credentials.revoke_token(ACTOR, "token", int(clock.now) + 900, clock.now)
    person, now = Person("https://idp.example", "1", "Ann\0"), int(clock.now)
    sign_in = SignIn(generator.randbytes(32), now + 600, now)
    store.sign_ins.begin(ACTOR, person, Rights(("read",), (ENV,)), generator.randbytes(32), sign_in, clock.now)
    uses = {f"client:{client.id}": int(clock.now), f"api-key:{key.id} {old.hex()}": int(clock.now)}
    store.credentials.record_uses(uses, clock.now)


def _end_log(store: Store, clock: Clock) -> None:
    """Let the first entries of the audit log expire, and add counts that wait for their entries."""
    store.audit.maintain(clock.now, 10, SEALER)
    clock.now += 20 * DAY
    store.audit.record(ACTOR, Event.SERVICE_STARTED)
    store.audit.maintain(clock.now, 10, SEALER)
    store.audit.seal(clock.now, SEALER)
    store.audit.count_refusals({Attempt(Event.TOKEN_REFUSED, None, "192.0.2.7"): 3}, clock.now)
    export = Export("client:x", "x", "192.0.2.7", ENV, store.environment(ENV).uuid, "bundle")
    store.audit.count_exports(Counter({(int(clock.now // 3_600), export): 2}))


def contents(place: Place, besides: frozenset[str] = LEFT_OUT) -> dict[str, list[Any]]:
    """Returns the rows of every table, and the last numbers of those with numbers of their own."""
    found: dict[str, list[Any]] = {}
    with place.opened() as connections, connections.reading() as db:
        for table in all_tables():
            if table.name not in besides:
                rows = db.execute(f"SELECT {', '.join(table.columns)} FROM {table.name}").fetchall()
                found[table.name] = sorted((tuple(row) for row in rows), key=repr)
            if table.numbered:
                found[f"last of {table.name}"] = [db.last_number(table.name)]
    return found
