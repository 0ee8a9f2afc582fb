"""Assignments and grants by expiry: what expires soon is listed, and what expired long ago is swept (P4)."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from writ.api.store.audit.entries import EntryFilter
from writ.api.store.database.sqlite.opening import FILE
from writ.api.store.elements.edits import Create, Patch
from writ.api.store.errors import BadQuery, NotFound, OutOfBounds
from writ.api.store.expiring import EXPIRING_KINDS
from writ.api.store.store import Store
from writ.bundles.conditions.instants import SECOND, show_instant

from tests.support.clock import Clock
from tests.support.store_engines import Engine
from tests.support.stored import ACTOR, ENV, put, stored, write

NOW = 1_800_000_000
DAY = 86_400
ALICE = {"type": "user", "id": "alice"}
BASE: dict[str, Any] = {
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "roles": [{"id": "reader"}],
}


@pytest.fixture
def clock() -> Clock:
    return Clock(float(NOW))


@pytest.fixture
def store(engine: Engine, tmp_path: Path, clock: Clock):
    with closing(engine.open(tmp_path, clock=clock)) as opened:
        put(opened, BASE)
        yield opened


def at(seconds: float) -> str:
    return show_instant(round(seconds * SECOND))


def grant(id: str, expires: float | None = None, **more: Any) -> Create:
    expiry = {} if expires is None else {"expires_at": at(expires)}
    resource = {"type": "document", "id": id}
    return Create("grants", {"id": id, "subject": ALICE, "resource": resource, "actions": ["read"]} | expiry | more)


def assignment(id: str, expires: float, **more: Any) -> Create:
    return Create("assignments", {"id": id, "role": "reader", "subject": ALICE, "expires_at": at(expires)} | more)


def listed(store: Store, within: float, limit: int = 1_000, now: float = NOW) -> list[tuple[str, str]]:
    """What expires within seconds, page by page."""
    found, cursor = [], None
    while True:
        items, cursor = store.expiring.page(ENV, now, now + within, limit, cursor)
        assert len(items) <= limit
        found += [(str(one.kind), one.id) for one in items]
        if cursor is None:
            return found


def ids(store: Store) -> set[str]:
    document = stored(store)
    return {row["id"] for name in EXPIRING_KINDS for row in document.get(name, [])}


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_what_expires_is_listed_soonest_first_in_pages(store, limit):
    write(
        store,
        grant("forever"),
        grant("gone", NOW - 1),
        grant("now", NOW),
        grant("b", NOW + 5),
        assignment("z", NOW + 5),
        assignment("y", NOW + 5, starts_at=at(NOW - 5)),
        grant("a", NOW + 5),
        grant("later", NOW + 9, starts_at=at(NOW + 8)),
        assignment("soon", NOW + 0.001),
        grant("edge", NOW + 10),
        grant("beyond", NOW + 10.001),
    )
    assert listed(store, 10, limit) == [
        ("assignments", "soon"),
        ("assignments", "y"),
        ("assignments", "z"),
        ("grants", "a"),
        ("grants", "b"),
        ("grants", "later"),
        ("grants", "edge"),
    ]


def test_a_change_of_an_expiry_moves_the_element(store):
    write(store, grant("g", NOW + 5))
    for expires, within in ((at(NOW + 20), []), (None, []), (at(NOW + 3), [("grants", "g")])):
        write(store, Patch("grants", ("g",), {"expires_at": expires}))
        assert listed(store, 10) == within
    put(store, BASE | {"grants": [grant("g", NOW + 9).body]})
    assert listed(store, 8) == []
    assert listed(store, 9) == [("grants", "g")]


@pytest.mark.parametrize("cursor", ["x", "WyJncmFudHMiLCJhIl0", "WyJleHBpcmluZyIsIm5hbiIsImdyYW50cyIsImEiXQ"])
def test_a_cursor_of_something_else_is_refused(store, cursor):
    with pytest.raises(BadQuery, match="the cursor is not of this list"):
        store.expiring.page(ENV, NOW, NOW + 1, 10, cursor)


def test_the_bounds_of_the_caller_count(store):
    with pytest.raises(OutOfBounds):
        store.expiring.page(ENV, NOW, NOW + 1, 10, bounds=frozenset({"another"}))
    with pytest.raises(NotFound):
        store.expiring.page("ghost", NOW, NOW + 1, 10)


@pytest.mark.of_file
@pytest.mark.parametrize("kind", EXPIRING_KINDS)
def test_an_index_answers(store, tmp_path, kind):
    """Also for a page in the middle of many that expire at once. No row is read that is not on the page."""
    queries = (
        f"""SELECT expires, id, body FROM {kind} WHERE environment = ? AND expires IS NOT NULL
            AND (expires, id) > (?, ?) AND expires <= ? ORDER BY expires, id LIMIT 9""",
        f"""SELECT id, place, version, body FROM {kind}
            WHERE environment = ? AND expires IS NOT NULL AND expires <= ? ORDER BY expires, id LIMIT 9""",
    )
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        for query in queries:
            values = (1,) * query.count("?")
            (plan,) = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {query}", values)]
            assert f"USING INDEX {kind}_by_expiry (environment=? AND " in plan


def test_a_sweep_removes_what_expired_long_ago_and_nothing_else(store, clock):
    write(
        store,
        grant("forever"),
        grant("old", NOW - 2 * DAY),
        grant("edge", NOW - DAY),
        grant("fresh", NOW - DAY + 0.001),
        grant("coming", NOW + 2 * DAY, starts_at=at(NOW + DAY)),
        grant("open", starts_at=at(NOW - 9 * DAY)),
        assignment("was", NOW - 2 * DAY, starts_at=at(NOW - 3 * DAY)),
        assignment("runs", NOW + 1),
    )
    before = store.revision_of(ENV)
    swept = store.expiring.swept(NOW - DAY, NOW, 100)
    assert swept is not None
    assert swept.revision == before + 1
    assert ids(store) == {"forever", "fresh", "coming", "open", "runs"}
    assert store.expiring.swept(NOW - DAY, NOW, 100) is None
    assert store.revision_of(ENV) == before + 1


def test_a_sweep_is_an_ordinary_revision_of_an_actor_of_its_own(store):
    write(store, grant("g", NOW - DAY), assignment("a", NOW - DAY))
    store.expiring.swept(NOW - DAY, NOW, 100)
    (revision, *_), _ = store.revisions(ENV)
    assert (revision.by, revision.time) == ("expiry sweep", at(NOW))
    removed = {"added": 0, "changed": 0, "removed": 1}
    assert revision.changes == {"assignments": removed, "grants": removed}
    _, entries = store.revision(ENV, revision.revision)
    assert [(one.kind, one.key, one.after) for one in entries] == [
        ("assignments", ("a",), None),
        ("grants", ("g",), None),
    ]
    (entry, *_), _ = store.audit.page(EntryFilter(), None, 1)
    assert (entry.entry.actor, entry.entry.event, entry.entry.environment) == ("expiry sweep", "model.changed", ENV)


def test_a_sweep_goes_in_batches_the_oldest_first_and_through_all_environments(store):
    write(store, *(grant(f"g{number}", NOW - 9 * DAY + number) for number in range(5)))
    store.create_environment(ACTOR, "other")
    put(store, BASE | {"assignments": [assignment("a", NOW - 9 * DAY).body]}, "other")
    assert store.expiring.swept(NOW - DAY, NOW, 2).id == ENV
    assert ids(store) == {"g2", "g3", "g4"}
    found = [store.expiring.swept(NOW - DAY, NOW, 2) for _ in range(4)]
    assert [one and one.id for one in found] == [ENV, ENV, "other", None]
    assert stored(store, "other")["assignments"] == []


def test_a_clock_that_was_set_back_removes_nothing(store, clock):
    """The newest revision is later than the clock: it can't be trusted. Once it has caught up, the sweep goes on."""
    write(store, grant("g", NOW - 9 * DAY))
    clock.now -= DAY
    assert store.expiring.swept(clock.now - DAY, clock.now, 100) is None
    assert ids(store) == {"g"}
    clock.now += DAY
    assert store.expiring.swept(clock.now - DAY, clock.now, 100) is not None


def test_stores_that_sweep_at_once_do_it_once(engine, store, tmp_path, clock):
    write(store, *(grant(f"g{number}", NOW - 9 * DAY) for number in range(40)))
    before, swept, failed = store.revision_of(ENV), [], []

    def sweep() -> None:
        try:
            with closing(engine.open(tmp_path, clock=clock)) as other:
                while (found := other.expiring.swept(NOW - DAY, NOW, 3)) is not None:
                    swept.append(found.revision)
        except Exception as ex:
            failed.append(ex)

    threads = [threading.Thread(target=sweep) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert sorted(swept) == list(range(before + 1, before + 15))
    assert ids(store) == set()


def test_what_is_prolonged_meanwhile_stays(store, monkeypatch):
    """Whatever was due is looked for again under the write lock."""
    write(store, grant("g", NOW - 9 * DAY))
    writing = store.expiring._connections.writing

    def prolonging(*arguments: Any, **named: Any) -> Any:
        monkeypatch.undo()
        write(store, Patch("grants", ("g",), {"expires_at": at(NOW + DAY)}))
        return writing(*arguments, **named)

    monkeypatch.setattr(store.expiring._connections, "writing", prolonging)
    assert store.expiring.swept(NOW - DAY, NOW, 100) is None
    assert ids(store) == {"g"}
