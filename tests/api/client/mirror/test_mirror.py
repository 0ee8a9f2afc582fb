"""`writ.mirror`: a table has the grants of the revision in force, after deltas, other bundles and failures (F8, P4)."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import writ.mirror
from hypothesis import given
from hypothesis import strategies as st
from writ.mirror import TableMirror
from writ.runtime import Engine
from writ.runtime.state.held_grants import changed_grants
from writ.sqlalchemy import authorized, grants_table

from tests.support.authorized_rows import NOW, SUBJECT, model
from tests.support.bundling import bundle_file, compiled, engine_for
from tests.support.deltas import delta_between
from tests.support.strategies_pick import Pick
from tests.support.waiting import wait_until

METADATA = sa.MetaData()
GRANTS = grants_table(METADATA)
DOCUMENTS = sa.Table("document", METADATA, sa.Column("id", sa.String(20), primary_key=True))


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sa.Engine]:
    made = sa.create_engine(f"sqlite:///{tmp_path / 'app.db'}")
    METADATA.create_all(made)
    with made.begin() as connection:
        connection.execute(sa.insert(DOCUMENTS), [{"id": "d1"}, {"id": "d2"}])
    yield made
    made.dispose()


def granted(*ids: str, **terms: str) -> dict[str, Any]:
    """A model with grants to alice, and a type that no policy allows."""
    grants = [
        {"id": f"g{id}", "subject": SUBJECT, "resource": {"type": "document", "id": id}, "actions": ["read"], **terms}
        for id in ids
    ]
    return {"resource_types": [{"id": "document", "actions": ["read", "update"]}], "grants": grants}


def stored(database: sa.Engine) -> list[tuple[Any, ...]]:
    """The rows without the revision, in order."""
    names = [column for column in GRANTS.columns if column.name != "revision"]
    with database.connect() as connection:
        return sorted((tuple(row) for row in connection.execute(sa.select(*names))), key=repr)


def seen(database: sa.Engine, engine: Engine) -> list[str]:
    """The documents that an authorized query shows."""
    query = authorized(sa.select(DOCUMENTS.c.id), engine, SUBJECT, "read", mirror=GRANTS, now=NOW)
    with database.connect() as connection:
        return sorted(connection.scalars(query))


@given(data=st.data())
def test_deltas_and_bundles_lead_to_the_same_rows(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder, pick = tmp_path_factory.mktemp("mirror"), Pick.drawn(data.draw)
    first = model(pick)
    later = [first | {"grants": model(pick)["grants"]} for _ in range(2)]
    stepwise, at_once = (sa.create_engine(f"sqlite:///{folder / name}.db") for name in ("stepwise", "at_once"))
    for one in (stepwise, at_once):
        METADATA.create_all(one)
    engine, mirror = engine_for(first, folder / "first.bundle"), TableMirror(stepwise, GRANTS)
    assert mirror.refresh(engine)
    assert not mirror.refresh(engine)
    before = compiled(first)
    for revision, document in enumerate(later, start=engine.revision + 1):
        engine.apply_deltas([delta_between(before, compiled(document), revision)])
        assert mirror.refresh(engine)
        fresh = TableMirror(at_once, GRANTS)
        assert fresh.refresh(engine_for(document, folder / "later.bundle"))
        assert stored(stepwise) == stored(at_once)
        before = compiled(document)
    restarted = TableMirror(stepwise, GRANTS)
    restarted.refresh(engine)
    assert stored(stepwise) == stored(at_once)
    for one in (stepwise, at_once):
        one.dispose()


def test_a_delta_writes_only_what_it_changes(database: sa.Engine, tmp_path: Path) -> None:
    before, after = granted("d1", "x"), granted("d1", "d2")
    engine, mirror = engine_for(before, tmp_path / "first.bundle"), TableMirror(database, GRANTS)
    mirror.refresh(engine)
    assert seen(database, engine) == ["d1"]
    state = engine.state
    engine.apply_deltas([delta_between(compiled(before), compiled(after), engine.revision + 1)])
    changed = changed_grants(state, engine.state)
    assert changed is not None
    assert sorted(place.resource_id for place, _ in changed) == ["d2", "x"]
    mirror.refresh(engine)
    assert seen(database, engine) == ["d1", "d2"]
    assert [row[5] for row in stored(database)] == ["d1", "d2"]


def test_a_write_that_fails_changes_nothing_and_is_tried_again(database: sa.Engine, tmp_path: Path) -> None:
    engine, mirror = engine_for(granted("d1"), tmp_path / "first.bundle"), TableMirror(database, GRANTS)
    with database.begin() as connection:
        GRANTS.drop(connection)
    with pytest.raises(sa.exc.OperationalError):
        mirror.refresh(engine)
    METADATA.create_all(database)
    assert mirror.refresh(engine)
    assert seen(database, engine) == ["d1"]


def test_it_follows(database: sa.Engine, tmp_path: Path) -> None:
    """A thread writes what comes into force, and tries again if the database fails meanwhile."""
    path = bundle_file(granted("d1"), tmp_path / "app.bundle")
    options: dict[str, Any] = {"unsigned": True, "poll_seconds": 0.05}
    told: list[object] = []
    with writ.mirror.keep(path, database, GRANTS, retry_seconds=0.05, on_change=told.append, **options) as kept:
        following, mirror = kept
        assert seen(database, following.engine) == ["d1"]
        assert mirror.revision_token == following.engine.revision_token
        os.replace(bundle_file(granted("d2", expires_at="2040-01-01T00:00:00Z"), tmp_path / "next"), path)
        assert wait_until(lambda: seen(database, following.engine) == ["d2"])
        with database.begin() as connection:
            connection.exec_driver_sql(f"ALTER TABLE {GRANTS.name} RENAME TO away")
        os.replace(bundle_file(granted("d1", "d2"), tmp_path / "next"), path)
        assert wait_until(lambda: len(told) >= 2)
        with database.begin() as connection:
            connection.exec_driver_sql(f"ALTER TABLE away RENAME TO {GRANTS.name}")
        assert wait_until(lambda: seen(database, following.engine) == ["d1", "d2"])
