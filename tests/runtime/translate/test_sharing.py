"""The filters of the page about owners, tenants and teams use the indexes of PostgreSQL and SQLite (X3, X5)."""

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from writ import as_json
from writ.runtime import Engine
from writ.runtime.translate import DateTime, Text
from writ.runtime.translate.sql import where

from tests.support.pages import page
from tests.support.writ_texts import bundle_bytes, load_writ

NOW = datetime(2034, 6, 1, tzinfo=UTC)
EMBARGOES = (NOW - timedelta(days=1), NOW, NOW + timedelta(microseconds=1), None)
"""Two that have passed, one that is still to come, and a row without a date."""

TEXTS = ("tenant", "owner", "team", "region")
COLUMNS = (*TEXTS, "embargo_until")
FIELDS = {name: Text(name) for name in TEXTS} | {"embargo_until": DateTime("embargo_until")}
ROWS = [
    (f"t{n % 50}", f"u{n % 1_000}", f"team{n % 300}", f"r{n % 200}", EMBARGOES[n // 1_000 % 4]) for n in range(20_000)
]
TABLE = "CREATE TABLE documents (id integer, tenant text, owner text, team text, region text, embargo_until {})"
INDEXES = [f"CREATE INDEX documents_{name} ON documents (tenant, {name})" for name in ("owner", "team", "region")]
QUESTIONS = [
    ("u5", "edit", {"documents_owner"}),
    ("u5", "read", {"documents_owner", "documents_team"}),
    ("u7", "edit", {"documents_owner", "documents_region"}),
    ("u9", "read", {"documents_"}),
]
"""The subject, the action, and the indexes that the filter's plan has to use."""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    text = page("compiler/SHARING.md").marked("file: sharing.writ").replace("group design", "group team5")
    model = load_writ(text).model
    assert model is not None
    path = tmp_path_factory.mktemp("sharing") / "m.bundle"
    path.write_bytes(bundle_bytes(model))
    return Engine.open(path, clock=NOW.timestamp)


def asked(user: str, action: str, **resource: Any) -> dict[str, Any]:
    """A question of a subject of the tenant `t5`."""
    subject = {"type": "user", "id": user, "properties": {"tenant": "t5", "region": "r5"}}
    return {"subject": subject, "action": {"name": action}, "resource": {"type": "document", **resource}}


def filter_of(engine: Engine, id: str, action: str, gates: str = "decide") -> dict[str, Any]:
    found: dict[str, Any] = engine.filter(asked(id, action) | {"options": {"gates": gates}})["filter"]
    return found


def allowed(engine: Engine, id: str, action: str) -> set[int]:
    """The rows that an evaluation of each allows."""
    rows = [asked(id, action, id="d", properties=as_json(dict(zip(COLUMNS, row, strict=True)))) for row in ROWS]
    return {number for number, answer in enumerate(engine.decide_many(rows)) if answer["decision"]}


@pytest.fixture(scope="module")
def postgres(postgresql: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(postgresql) as database:
        database.execute(TABLE.format("timestamptz").replace("TABLE", "TEMP TABLE"))
        with database.cursor().copy(f"COPY documents (id, {', '.join(COLUMNS)}) FROM STDIN") as copy:
            for row in enumerate(ROWS):
                copy.write_row((row[0], *row[1]))
        for index in INDEXES:
            database.execute(index)
        database.execute("ANALYZE documents")
        yield database


@pytest.fixture(scope="module")
def sqlite() -> Iterator[sqlite3.Connection]:
    database = sqlite3.connect(":memory:")
    database.execute(TABLE.format("text"))
    for number, (*texts, embargo) in enumerate(ROWS):
        written = embargo and embargo.replace(tzinfo=None).isoformat(" ")
        database.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?)", (number, *texts, written))
    for index in INDEXES:
        database.execute(index)
    database.execute("ANALYZE")
    yield database
    database.close()


@pytest.mark.parametrize(("id", "action", "indexes"), QUESTIONS)
def test_postgresql(engine: Engine, postgres: Any, id: str, action: str, indexes: set[str]) -> None:
    found = where(filter_of(engine, id, action), FIELDS, dialect="postgresql")
    query = f"SELECT id FROM documents WHERE {found.text}"
    plan = str(postgres.execute(f"EXPLAIN {query}", found.parameters).fetchall())
    assert {name for name in indexes if name not in plan} == set(), plan
    assert "Seq Scan" not in plan
    assert ids(postgres, query, found.parameters) == allowed(engine, id, action) != set()


@pytest.mark.parametrize(("id", "action", "indexes"), QUESTIONS)
def test_sqlite(engine: Engine, sqlite: Any, id: str, action: str, indexes: set[str]) -> None:
    found = where(filter_of(engine, id, action), FIELDS, dialect="sqlite")
    query = f"SELECT id FROM documents WHERE {found.text}"
    plan = str(sqlite.execute(f"EXPLAIN QUERY PLAN {query}", found.parameters).fetchall())
    assert {name for name in indexes if name not in plan} == set(), plan
    assert "SCAN documents" not in plan
    assert ids(sqlite, query, found.parameters) == allowed(engine, id, action) != set()


def test_a_plain_filter_shows_rows_under_embargo(engine: Engine, sqlite: Any) -> None:
    """F2: without `gates: decide`, the comparison with now counts as true, for a row without a date too."""
    found = where(filter_of(engine, "u5", "read", gates="open"), FIELDS, dialect="sqlite")
    shown = ids(sqlite, f"SELECT id FROM documents WHERE {found.text}", found.parameters)
    hidden = shown - allowed(engine, "u5", "read")
    assert {ROWS[number][-1] for number in hidden} == set(EMBARGOES[2:])


def ids(database: Any, query: str, parameters: list[Any]) -> set[int]:
    """The rows of a query."""
    return {id for (id,) in database.execute(query, parameters)}
