"""The audit log in the store: it only grows, lists its entries, removes old ones, and detects every change."""

import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from writ.api.identity.keys.ring import KeyRing, KeySealer
from writ.api.identity.keys.signing_keys import UnusableSigningKey, new_key
from writ.api.identity.keys.sources import SuppliedKeys
from writ.api.store.actor import Actor
from writ.api.store.audit import refused_attempts as refusals
from writ.api.store.audit.anchor import FILE as ANCHOR
from writ.api.store.audit.audit_log import DAY_SECONDS, SEAL_SECONDS
from writ.api.store.audit.entries import _CONDITIONS, AuditEntry, EntryFilter, _query
from writ.api.store.audit.events import Event
from writ.api.store.audit.log_check import VerifiedLog
from writ.api.store.audit.refused_attempts import Attempt
from writ.api.store.audit.tampering import Tampered
from writ.api.store.database.schema import AUDIT
from writ.api.store.database.sqlite.opening import FILE
from writ.api.store.environments import EnvironmentChange
from writ.api.store.errors import BadQuery, OutOfBounds
from writ.api.store.store import Store

from tests.support.clock import Clock
from tests.support.managed import LOG
from tests.support.store_engines import Engine, empty_schema

START = 1_700_000_000.0
ALICE = Actor("client:alice", client="alice")
ADMIN = Actor("admin-key", address="192.0.2.7", request_id="r-1")
ALL = EntryFilter()
KEY = new_key("EdDSA")[1]
OTHER_KEY = new_key("ES256")[1]


def sealer_of(*pems: bytes) -> KeySealer:
    return KeySealer(KeyRing(SuppliedKeys(b"\n".join(pems).decode()), LOG))


SEALER = sealer_of(KEY)


@pytest.fixture
def clock() -> Clock:
    return Clock(START)


@pytest.fixture
def store(engine: Engine, tmp_path: Path, clock: Clock) -> Iterator[Store]:
    opened = engine.open(tmp_path, clock=clock)
    yield opened
    opened.close()


def tell(store: Store, clock: Clock, count: int, event: Event = Event.STORE_BACKED_UP) -> None:
    """Add so many entries, a second apart."""
    for _ in range(count):
        clock.now += 1
        store.audit.record(ALICE, event, {"at": clock.now})


def numbers(store: Store, wanted: EntryFilter = ALL, within: frozenset[str] | None = None) -> list[int]:
    """Returns the numbers of the matching entries, page by page."""
    found, cursor = store.audit.page(wanted, within, 2)
    seen = [one.number for one in found]
    while cursor is not None:
        found, cursor = store.audit.page(wanted, within, 2, cursor)
        seen += [one.number for one in found]
    return seen


def sealed(store: Store, clock: Clock) -> VerifiedLog:
    """Returns the result of a check after a seal."""
    store.audit.seal(clock.now, SEALER)
    return store.audit.check(SEALER, {})


@pytest.mark.of_file
def test_what_is_not_sealed_is_told_and_a_log_that_was_cut_never_looks_sealed(
    store: Store, clock: Clock, tmp_path: Path
) -> None:
    tell(store, clock, 2)
    assert store.audit.unsealed() == (2, 0.0, START + 1)
    store.audit.seal(clock.now, SEALER)
    assert store.audit.unsealed() == (0, START + 2, None)
    tell(store, clock, 3)
    assert store.audit.unsealed() == (3, START + 2, START + 3)
    store.audit.seal(clock.now, SEALER)
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.executescript("DROP TRIGGER audit_kept; DELETE FROM audit WHERE number > 1;")
    assert store.audit.unsealed() == (4, 0.0, None)
    (tmp_path / ANCHOR).write_bytes(b"{}")
    assert store.audit.unsealed() == (1, 0.0, START + 1)


def test_an_entry_says_who_did_what_where_from_and_when(store: Store, clock: Clock) -> None:
    clock.now = START + 0.1239
    made = store.create_environment(ADMIN, "staging")
    ((found,), cursor) = store.audit.page(ALL, None, 1)
    assert found.entry == AuditEntry(
        "2023-11-14T22:13:20.123Z",
        Event.ENVIRONMENT_CREATED,
        "admin-key",
        None,
        "staging",
        "192.0.2.7",
        "r-1",
        {"protected": False},
        (made.uuid,),
        None,
    )
    assert (found.number, cursor) == (1, None)


@pytest.mark.of_file
def test_it_only_grows(store: Store, clock: Clock, tmp_path: Path) -> None:
    tell(store, clock, 2)
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        for change in ("UPDATE audit SET body = '{}'", "DELETE FROM audit WHERE number = 1"):
            with pytest.raises(sqlite3.IntegrityError, match="only grows"):
                db.execute(change)


def test_entries_are_found_by_client_event_and_time_the_newest_first(store: Store, clock: Clock) -> None:
    tell(store, clock, 3)
    store.audit.record(Actor("admin-key"), Event.SERVICE_STARTED)
    store.audit.add([AuditEntry.of("2020-01-01T00:00:00Z", ALICE, Event.CLIENT_REVOKED, client_id="bob")])
    assert numbers(store) == [4, 3, 2, 1, 5], "by time: this clock was put back"
    assert numbers(store, EntryFilter(event=Event.SERVICE_STARTED)) == [4]
    assert numbers(store, EntryFilter(client_id="alice")) == [3, 2, 1, 5], "what it did"
    assert numbers(store, EntryFilter(client_id="bob")) == [5], "what was done to it"
    assert numbers(store, EntryFilter(client_id="alice", event=Event.CLIENT_REVOKED)) == [5]
    assert numbers(store, EntryFilter(since="2023-11-14T22:13:22.000Z")) == [4, 3, 2]
    assert numbers(store, EntryFilter(until="2023-11-14T22:13:22.000Z")) == [1, 5]
    for limit, cursor in ((0, None), (1_001, None), (1, "x"), (1, "WyJhdWRpdCIsIngiLCJ5Il0")):
        with pytest.raises(BadQuery):
            store.audit.page(ALL, None, limit, cursor)


@pytest.mark.of_file
def test_entries_of_an_actor_are_found_by_an_index_in_their_order(store: Store, clock: Clock) -> None:
    for actor in (ALICE, ADMIN, ALICE, ADMIN, ALICE):
        clock.now += 1
        store.audit.record(actor, Event.STORE_BACKED_UP)
    assert numbers(store, EntryFilter(actor="client:alice")) == [5, 3, 1]
    assert numbers(store, EntryFilter(actor="client:alice", since="2023-11-14T22:13:23.000Z")) == [5, 3]
    assert numbers(store, EntryFilter(actor="alice")) == []
    with store._connections.reading() as db:
        query = f"EXPLAIN QUERY PLAN {_query([_CONDITIONS['actor']], False)}"
        (step,) = db.execute(query, {"actor": "client:alice", "limit": 1}).fetchall()
    assert "USING INDEX audit_of_actor" in step[3]


def test_whoever_is_bound_sees_what_belongs_to_its_environments_alone(store: Store) -> None:
    one, two = (store.create_environment(ADMIN, id).uuid for id in ("one", "two"))
    store.audit.record(ALICE, Event.SERVICE_STARTED)
    both = AuditEntry.of("2023-11-14T23:00:00Z", ALICE, Event.CLIENT_CREATED, within=frozenset({one, two}))
    store.audit.add([both])
    assert numbers(store, within=frozenset({one})) == [1]
    assert numbers(store, within=frozenset({one, two})) == [4, 2, 1]
    assert numbers(store, within=frozenset()) == []
    with pytest.raises(OutOfBounds):
        store.delete_environment(Actor("a", frozenset({one})), "two")
    assert numbers(store) == [4, 3, 2, 1]


def test_refused_attempts_of_a_minute_are_one_entry(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, key = Attempt(Event.TOKEN_REFUSED, "alice", "::1"), Attempt(Event.CREDENTIAL_REFUSED, None, "::1")
    clock.now = START // 60 * 60
    store.audit.count_refusals({token: 2, key: 1}, clock.now)
    store.audit.count_refusals({token: 3}, clock.now + 59)
    assert store.audit.maintain(clock.now + 59.9, 400, SEALER) == ()
    assert numbers(store) == []
    store.audit.maintain(clock.now + 60, 400, SEALER)
    found, _ = store.audit.page(ALL, None, 10)
    shown = [(one.entry.event, one.entry.client_id, one.entry.address, one.entry.details["count"]) for one in found]
    assert shown == [("token.refused", "alice", "::1", 5), ("credential.refused", None, "::1", 1)]
    monkeypatch.setattr(refusals, "MOST_A_MINUTE", 3)
    many = {Attempt(Event.CREDENTIAL_REFUSED, None, f"192.0.2.{number}"): 1 for number in range(100)}
    store.audit.count_refusals(many, clock.now + 100)
    store.audit.end(clock.now + 101)
    assert len(numbers(store, EntryFilter(event=Event.CREDENTIAL_REFUSED))) == 1 + 3 + 1
    ((last,), _) = store.audit.page(ALL, None, 1)
    assert last.entry.event == Event.SERVICE_STOPPED


def test_the_head_is_sealed_each_hour_in_which_something_was_added(store: Store, clock: Clock) -> None:
    assert store.audit.maintain(clock.now, 400, SEALER) == (), "nothing to seal"
    tell(store, clock, 3)
    (first,) = store.audit.maintain(clock.now, 400, SEALER)
    assert first.number == 3
    tell(store, clock, 1)
    assert store.audit.maintain(clock.now, 400, SEALER) == (), "the hour is not over"
    clock.now += SEAL_SECONDS
    assert len(store.audit.maintain(clock.now, 400, SEALER)) == 1
    clock.now += SEAL_SECONDS
    assert store.audit.maintain(clock.now, 400, SEALER) == (), "nothing was added"
    tell(store, clock, 1)
    verdict = store.audit.check(SEALER, {first.number: first.digest})
    assert (verdict.entries, verdict.first, verdict.last, verdict.sealed) == (5, 1, 5, 4)


def test_old_entries_go_and_leave_a_signed_checkpoint(store: Store, clock: Clock) -> None:
    tell(store, clock, 5)
    clock.now += 8 * DAY_SECONDS
    tell(store, clock, 2)
    with pytest.raises(UnusableSigningKey):
        store.audit.maintain(clock.now, 7, sealer_of())
    assert len(numbers(store)) == 7, "nothing goes without a checkpoint"
    store.audit.maintain(clock.now, 7, SEALER)
    assert numbers(store) == [8, 7, 6]
    ((last,), _) = store.audit.page(EntryFilter(event=Event.LOG_CUT), None, 1)
    assert (last.number, last.entry.details["entries"], last.entry.details["up_to"]) == (8, 5, "5")
    verdict = sealed(store, clock)
    assert (verdict.entries, verdict.first, verdict.last) == (3, 6, 8)
    store.audit.maintain(clock.now + 60, 7, SEALER)
    assert numbers(store) == [8, 7, 6], "a day at a time"
    clock.now += 30 * DAY_SECONDS
    store.audit.maintain(clock.now, 7, SEALER)
    assert numbers(store) == [9, 8], "the newest stays"
    assert sealed(store, clock).first == 8


class Overtaken(KeySealer):
    """Another process acts while this one verifies a seal: other writers need not wait meanwhile."""

    def __init__(self, happens: Callable[[], object]) -> None:
        super().__init__(KeyRing(SuppliedKeys(KEY.decode()), LOG))
        self._happens: list[Callable[[], object]] = [happens]

    def verify(self, key: str, text: bytes, signature: bytes) -> bool | None:
        if self._happens:
            self._happens.pop()()
        return super().verify(key, text, signature)


def test_of_two_processes_one_seals_and_one_cuts(engine: Engine, store: Store, clock: Clock, tmp_path: Path) -> None:
    other = engine.open(tmp_path, clock=clock)
    tell(store, clock, 2)
    store.audit.seal(clock.now, SEALER)
    tell(store, clock, 2)
    assert store.audit.seal(clock.now, Overtaken(lambda: other.audit.seal(clock.now, SEALER))) is None
    clock.now += 8 * DAY_SECONDS
    tell(store, clock, 1)
    store.audit.seal(clock.now, SEALER)
    overtaken = Overtaken(lambda: other.audit.maintain(clock.now, 7, SEALER))
    assert store.audit.maintain(clock.now, 7, overtaken) == ()
    assert numbers(store) == [6, 5]
    assert sealed(store, clock).first == 5
    other.close()


_UNLOCKED = "".join(f"DROP TRIGGER {name};" for name in ("audit_unchanged", "audit_kept", "audit_grows"))
_LOCKED = "\n".join(re.findall(r"CREATE TRIGGER.*?END;", AUDIT, re.DOTALL))
_CHANGES = {
    "an entry": "UPDATE audit SET body = replace(body, 'alice', 'bobby') WHERE number = 3",
    "an entry's hash": "UPDATE audit SET digest = zeroblob(32) WHERE number = 3",
    "one is gone": "DELETE FROM audit WHERE number = 3",
    "the first is gone": "DELETE FROM audit WHERE number = 1",
    "the last is gone": "DELETE FROM audit WHERE number = 6",
    "all are gone": "DELETE FROM audit",
    "two changed places": "UPDATE audit SET number = -number WHERE number IN (3, 4);"
    "UPDATE audit SET number = 7 + number WHERE number < 0",
    "written otherwise": "UPDATE audit SET body = body || ' ' WHERE number = 3",
    "no UTF-8": "UPDATE audit SET body = replace(body, 'alice', CAST(x'ff' AS TEXT)) WHERE number = 3",
    "a trigger": "SELECT 1",
    "an index": "DROP INDEX audit_in_time; CREATE INDEX audit_in_time ON audit (time) WHERE number <> 3",
    "the index by actor": "DROP INDEX audit_of_actor",
    "a view": "ALTER TABLE audit RENAME TO kept; CREATE VIEW audit AS SELECT * FROM kept",
    "no tables": "DROP TABLE audit",
    "an unknown purpose": "UPDATE audit_seals SET purpose = 'x'",
    "a key that is no text": "UPDATE audit_seals SET key = CAST(x'ff' AS TEXT)",
    "a seal": "UPDATE audit_seals SET signature = zeroblob(64)",
    "a seal's time": "UPDATE audit_seals SET time = '2020-01-01T00:00:00Z'",
    "a seal for another purpose": "UPDATE audit_seals SET purpose = 'checkpoint'; DELETE FROM audit WHERE number < 6",
    "a seal by nobody's key": "UPDATE audit_seals SET key = 'x'",
}


@pytest.mark.of_file
@pytest.mark.parametrize("change", _CHANGES.values(), ids=_CHANGES)
def test_every_change_is_noticed(store: Store, clock: Clock, tmp_path: Path, change: str) -> None:
    tell(store, clock, 6)
    assert sealed(store, clock).sealed == 6
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        tables_stay = " audit SET" in change or "FROM audit" in change
        db.executescript(f"{_UNLOCKED}{change};{_LOCKED if tables_stay else ''}")
    with pytest.raises(Tampered):
        store.audit.check(SEALER, {})


_ON_POSTGRESQL = {
    "an entry": "UPDATE audit SET body = replace(body, 'alice', 'bobby') WHERE number = 3",
    "an entry's hash": "UPDATE audit SET digest = sha256('x') WHERE number = 3",
    "one is gone": "DELETE FROM audit WHERE number = 3",
    "the first is gone": "DELETE FROM audit WHERE number = 1",
    "the last is gone": "DELETE FROM audit WHERE number = 6",
    "all are gone": "DELETE FROM audit",
    "written otherwise": "UPDATE audit SET body = body || ' ' WHERE number = 3",
    "no triggers": "DROP TRIGGER audit_unchanged ON audit",
    "a trigger that is off": "ALTER TABLE audit DISABLE TRIGGER audit_grows",
    "an unknown purpose": "UPDATE audit_seals SET purpose = 'x'",
    "a seal": "UPDATE audit_seals SET signature = decode(repeat('00', 64), 'hex')",
    "a seal's time": "UPDATE audit_seals SET time = '2020-01-01T00:00:00Z'",
    "a seal for another purpose": "UPDATE audit_seals SET purpose = 'checkpoint'; DELETE FROM audit WHERE number < 6",
    "a seal by nobody's key": "UPDATE audit_seals SET key = 'x'",
}


@pytest.mark.postgresql
@pytest.mark.parametrize("change", _ON_POSTGRESQL.values(), ids=_ON_POSTGRESQL)
def test_every_change_of_a_database_is_noticed(postgresql: str, clock: Clock, tmp_path: Path, change: str) -> None:
    with empty_schema(postgresql) as engine, closing(engine.open(tmp_path, clock=clock)) as store:
        assert engine.url is not None
        tell(store, clock, 6)
        assert sealed(store, clock).sealed == 6
        with psycopg.connect(engine.url) as db:
            db.execute("SET session_replication_role = replica")  # the triggers are silent
            db.execute(change.encode())
        with pytest.raises(Tampered):
            store.audit.check(SEALER, {})


@pytest.mark.of_file
def test_a_chain_that_somebody_made_anew_is_betrayed_by_its_seals(store: Store, clock: Clock, tmp_path: Path) -> None:
    tell(store, clock, 3)
    seal = store.audit.seal(clock.now, SEALER)
    assert seal is not None
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.executescript(_UNLOCKED + "DELETE FROM audit WHERE number > 1")
    tell(store, clock, 4, Event.SERVICE_STARTED)
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.executescript(_LOCKED)
    for loosened in ("SELECT 1", "DELETE FROM audit_seals"):
        with closing(sqlite3.connect(tmp_path / FILE)) as db:
            db.executescript(loosened)
        with pytest.raises(Tampered, match="entry 3 is not the one that was sealed"):
            store.audit.check(SEALER, {})
        clock.now += SEAL_SECONDS
        with pytest.raises(Tampered, match="entry 3 is not the one that was sealed"):
            store.audit.maintain(clock.now, 400, SEALER)
    (tmp_path / ANCHOR).unlink()
    assert store.audit.check(SEALER, {}).sealed == 0
    with pytest.raises(Tampered, match="entry 3 is not the one that was noted"):
        store.audit.check(SEALER, {seal.number: seal.digest})


@pytest.mark.of_file
def test_what_was_taken_away_is_not_sealed_again(store: Store, clock: Clock, tmp_path: Path) -> None:
    tell(store, clock, 3)
    store.audit.seal(clock.now, SEALER)
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.executescript(_UNLOCKED + "DELETE FROM audit; DELETE FROM audit_seals;" + _LOCKED)
    tell(store, clock, 1)
    with pytest.raises(Tampered, match="up to 3, which were sealed, are missing"):
        store.audit.seal(clock.now, SEALER)
    with pytest.raises(Tampered):
        store.audit.check(SEALER, {})


@pytest.mark.of_file
def test_nothing_goes_that_is_not_what_was_sealed(store: Store, clock: Clock, tmp_path: Path) -> None:
    tell(store, clock, 4)
    store.audit.seal(clock.now, SEALER)
    for change in (
        "UPDATE audit SET body = json_set(body, '$.time', '2001-01-01T00:00:00.000Z') WHERE number < 3",
        "UPDATE audit_seals SET signature = zeroblob(64)",
    ):
        shutil.copytree(tmp_path, tmp_path.with_name(f"{tmp_path.name}-copy"), dirs_exist_ok=True)
        copy = Store.open(tmp_path.with_name(f"{tmp_path.name}-copy"), clock=clock)
        with closing(sqlite3.connect(copy.path)) as db:
            db.executescript(_UNLOCKED + change + ";" + _LOCKED)
        with pytest.raises(Tampered):
            copy.audit.maintain(clock.now + 2 * DAY_SECONDS, 1, SEALER)
        assert len(numbers(copy)) == 4
        copy.close()


def test_a_head_that_was_noted_is_compared_whatever_the_seals_say(store: Store, clock: Clock) -> None:
    tell(store, clock, 3)
    verdict = sealed(store, clock)
    assert store.audit.check(SEALER, {3: verdict.head}).unverifiable == ()
    for number in (1, 3):
        with pytest.raises(Tampered, match="noted"):
            store.audit.check(SEALER, {number: bytes(32)})
    clock.now += 9 * DAY_SECONDS
    tell(store, clock, 2)
    store.audit.maintain(clock.now, 7, SEALER)
    assert store.audit.check(SEALER, {1: bytes(32), 3: verdict.head}).unverifiable == (1,)
    with pytest.raises(Tampered, match="entry 3 is not the one that was noted"):
        store.audit.check(SEALER, {3: bytes(32)})


def test_a_store_that_was_put_back_is_betrayed_by_a_head_that_was_noted(store: Store, clock: Clock) -> None:
    tell(store, clock, 3)
    verdict = sealed(store, clock)
    with pytest.raises(Tampered, match="the entries from 4 to 5 are missing"):
        store.audit.check(SEALER, {5: verdict.head})


def test_seals_of_a_replaced_key_are_proven_by_its_public_half(store: Store, clock: Clock) -> None:
    tell(store, clock, 1)
    store.audit.seal(clock.now, SEALER)
    tell(store, clock, 1)
    both = sealer_of(OTHER_KEY, KEY)
    store.audit.seal(clock.now, both)
    assert store.audit.check(both, {}).sealed == 2
    with pytest.raises(Tampered, match="not known here"):
        store.audit.check(SEALER, {})


def test_each_change_of_the_store_leaves_its_entry(store: Store) -> None:
    changes: list[tuple[Event, Callable[[], object]]] = [
        (Event.ENVIRONMENT_CREATED, lambda: store.create_environment(ADMIN, "one")),
        (Event.ENVIRONMENT_CHANGED, lambda: store.change_environment(ADMIN, "one", EnvironmentChange(protected=True))),
        (Event.ENVIRONMENT_CHANGED, lambda: store.change_environment(ADMIN, "one", EnvironmentChange(protected=False))),
        (Event.ENVIRONMENT_DELETED, lambda: store.delete_environment(ADMIN, "one")),
        (Event.SIGNING_KEY_ROTATED, lambda: store.credentials.rotate_keys(ADMIN, lambda: "kid")),
        (
            Event.BUNDLE_KEY_ROTATED,
            lambda: store.credentials.rotate_keys(ADMIN, lambda: "kid", event=Event.BUNDLE_KEY_ROTATED),
        ),
        (Event.TOKEN_REVOKED, lambda: store.credentials.revoke_token(ADMIN, "jti", 0, 0.0)),
    ]
    for event, change in changes:
        before = numbers(store)
        change()
        ((found, *_), _) = store.audit.page(ALL, None, 1)
        assert (found.entry.event, found.entry.actor, len(numbers(store))) == (event, ADMIN.name, len(before) + 1)
