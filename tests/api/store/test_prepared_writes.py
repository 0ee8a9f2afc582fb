"""A write is prepared without the write lock, and does what a write inside it does."""

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from writ.api.store.database.element_rows import OWNERS, PARTS
from writ.api.store.database.time_limit import TimeLimit
from writ.api.store.elements.edits import Create, Put
from writ.api.store.elements.kinds import KINDS
from writ.api.store.errors import BadQuery, Refusal, StoreUnavailable, WriteTakesLong
from writ.api.store.history import delta_states
from writ.api.store.store import Store
from writ.api.store.writing import MOST_PREPARATIONS, Write

from tests.support.stored import ACTOR, ENV, deltas, put, random_edits, stored, write
from tests.support.strategies import document
from tests.support.strategies_pick import Pick

NOW = 1_767_607_200.0


def role(id: str) -> Write:
    return Write(ENV, ACTOR, [Create("roles", {"id": id})])


def attempt(call: Any, *arguments: Any) -> Any:
    """Returns the results of a write, or the refusal in its words."""
    try:
        done = call(*arguments)
    except (Refusal, BadQuery) as ex:
        return type(ex), str(ex)
    return [one and one.body for one in done.results], done.added, done.warnings, done.environment.revision


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**40))
def test_a_prepared_write_does_what_a_write_inside_the_lock_does(seed: int) -> None:
    """For edits of all lists: the same refusal, or the same rows, deltas and change log."""
    pick = Pick.seeded(seed)
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        stores = [Store.open(Path(one), "NORMAL") for one in (first, second)]
        model = document(pick)
        for store in stores:
            put(store, model)
        for _ in range(4):
            edits = random_edits(pick, stored(stores[0]), document(pick))
            done = attempt(stores[0].write, ENV, ACTOR, edits, NOW)
            assert done == attempt(stores[1].writes.write_locked, Write(ENV, ACTOR, edits, NOW))
            assert rows(stores[0]) == rows(stores[1])
            assert deltas(stores[0], 1) == deltas(stores[1], 1)
        for store in stores:
            store.close()


def rows(store: Store) -> dict[str, list[Any]]:
    """Returns all rows of elements, of their references, and of the change log but its times."""
    tables = dict.fromkeys((*OWNERS, *PARTS, "change_entries", "route_orders"), "*")
    with closing(sqlite3.connect(store.path)) as db:
        return {name: sorted(db.execute(f"SELECT {columns} FROM {name}")) for name, columns in tables.items()}


def test_the_overlay_has_the_tables_of_all_elements() -> None:
    assert set(OWNERS) == {str(name) for name in KINDS}
    assert {name: owner for name, (owner, _) in PARTS.items()} == {
        part.table: str(kind.name) for kind in KINDS.values() for part in kind.parts
    }


@pytest.mark.of_file
def test_the_connection_of_preparations_writes_nothing_to_the_file(store: Store) -> None:
    write(store, Create("roles", {"id": "r"}))
    with (
        pytest.raises(StoreUnavailable, match="read-only"),
        store._connections.trying(TimeLimit(60.0)) as db,
    ):
        db.execute("DELETE FROM main.roles")
    with store._connections.trying(TimeLimit(60.0)) as db:
        db.execute("DELETE FROM roles")
        assert not db.execute("SELECT * FROM roles").fetchall()
    assert [one["id"] for one in stored(store)["roles"]] == ["r"]


def test_a_preparation_waits_for_no_other_write(store: Store) -> None:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        prepared = store.writes.prepare(role("r"))
    assert store.writes.commit(prepared) is not None
    assert [one["id"] for one in stored(store)["roles"]] == ["r"]


def test_a_prepared_write_is_stored_only_on_the_state_that_it_saw(store: Store) -> None:
    store.create_environment(ACTOR, "other")
    prepared = store.writes.prepare(role("r"))
    store.write("other", ACTOR, [Create("roles", {"id": "r"})])
    assert store.writes.commit(prepared) is not None, "other environments do not count"
    prepared = store.writes.prepare(role("s"))
    write(store, Create("roles", {"id": "t"}))
    assert store.writes.commit(prepared) is None
    assert [one["id"] for one in stored(store)["roles"]] == ["r", "t"]


def test_a_write_of_an_environment_that_always_changes_is_stored(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []
    monkeypatch.setattr(store.writes, "commit", lambda prepared: tried.append(prepared))
    write(store, Create("roles", {"id": "r"}))
    assert len(tried) == MOST_PREPARATIONS
    assert [one["id"] for one in stored(store)["roles"]] == ["r"]


def test_a_write_that_would_hold_the_lock_for_long_is_refused(tmp_path: Path) -> None:
    store = Store.open(tmp_path, "NORMAL", locked_milliseconds=0)
    with pytest.raises(WriteTakesLong) as caught:
        write(store, Create("roles", {"id": "r"}))
    (fault,) = caught.value.faults
    assert (fault.code, fault.message) == ("takes-long", "the write takes longer than 0 s")
    with pytest.raises(WriteTakesLong):
        store.writes.write_locked(role("r"))
    assert stored(store) == {}
    store.close()


def test_a_query_ends_with_its_time(store: Store) -> None:
    limit = TimeLimit(60.0)
    limit.begin()
    limit.leave()
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with pytest.raises(WriteTakesLong), store._connections.trying(limit) as db:
        db.execute(endless).fetchall()
    assert store.writes.prepare(role("r")).found is not None, "the connection is as good as new"


def test_groups_with_very_many_ancestors_need_a_new_bundle(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, {"groups": [{"id": "a"}, {"id": "b", "members": [{"group": "a"}]}]})
    monkeypatch.setattr(delta_states, "MAX_ANCESTORS", 2)
    write(store, Put("groups", ("c",), {"members": [{"type": "user", "id": "x"}]}))
    assert deltas(store, 1) is not None
    write(store, Put("groups", ("c",), {"members": [{"group": "b"}]}))
    assert deltas(store, 1) is None
