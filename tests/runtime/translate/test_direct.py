"""The node of direct grants: each target puts the caller's condition in its place, or refuses (F8)."""

import contextlib
import sqlite3
from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pytest
import sqlalchemy as sa
from django.db.models import Q
from writ.bundles.conditions.trees.same_meaning import same_meaning
from writ.runtime.translate import (
    DirectGrants,
    Integer,
    Json,
    Text,
    Untranslatable,
    elasticsearch,
    mongo,
    pandas,
    polars,
    python,
    sqlalchemy,
)
from writ.runtime.translate.django import q
from writ.runtime.translate.read_tree import read_tree
from writ.runtime.translate.sql import where

from tests.support import django_settings
from tests.support.translated import field

django_settings.configure()

NODE = {
    "type": "direct",
    "resource_type": "document",
    "action": "read",
    "subject": {"type": "user", "id": "alice"},
    "groups": ["all", "team"],
}
GRANTS = DirectGrants("document", "read", ("user", "alice"), ("all", "team"))
TREE = {
    "type": "logical",
    "operator": "and",
    "conditions": [
        {"type": "logical", "operator": "not", "conditions": [field("size", "gt", 5)]},
        {"type": "logical", "operator": "or", "conditions": [field("status", "eq", "draft"), NODE]},
    ],
}
ROWS = [
    {"id": "d1", "status": "draft", "size": 1},
    {"id": "d2", "status": "final", "size": 1},
    {"id": "d3", "status": "final", "size": 9},
    {"id": "d4", "status": "final", "size": None},
    {"id": "d5", "status": None, "size": 2},
]
GRANTED, EXPECTED = ["d2", "d3", "d4"], ["d1", "d2", "d4"]
FIELDS = {"status": Text("status"), "size": Integer("size")}
DOCUMENTS = sa.table(
    "documents", sa.column("id", sa.String), sa.column("status", sa.String), sa.column("size", sa.Integer)
)
MIRROR = sa.table("mirror", sa.column("id", sa.String), sa.column("holder", sa.String))
HELD = "EXISTS (SELECT 1 FROM mirror m WHERE m.id = documents.id AND m.holder IN (?, ?, ?))"


def given(found: Any) -> Callable[[DirectGrants], Any]:
    """A `direct` that checks what it gets."""

    def direct(grants: DirectGrants) -> Any:
        assert grants == GRANTS
        return found

    return direct


@pytest.fixture(name="database")
def made_database():
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE documents (id TEXT, status TEXT, size INTEGER)")
        db.executemany("INSERT INTO documents VALUES (:id, :status, :size)", ROWS)
        db.execute("CREATE TABLE mirror (id TEXT, holder TEXT)")
        db.executemany("INSERT INTO mirror VALUES (?, ?)", zip(GRANTED, ("alice", "team", "all"), strict=True))
        db.commit()
        yield db


def test_sql_takes_text_and_values_in_their_places(database):
    found = where(TREE, FIELDS, "sqlite", direct=given((HELD, ["alice", "all", "team"])))
    assert [*found.parameters[-4:]] == ["draft", "alice", "all", "team"]
    rows = database.execute(f"SELECT id FROM documents WHERE {found.text} ORDER BY id", found.parameters)
    assert [id for (id,) in rows] == EXPECTED


def test_other_than_text_and_values_is_a_mistake_of_the_caller():
    with pytest.raises(TypeError, match="the list of its values"):
        where(TREE, FIELDS, "postgresql", direct=given("granted"))


def test_values_of_the_caller_count():
    with pytest.raises(Untranslatable, match="binds 70002 values"):
        where(TREE, FIELDS, "postgresql", direct=given(("id = ANY", ["x"] * 69_999)))


def test_sqlalchemy_takes_an_expression(database):
    held = sa.exists().where(MIRROR.c.id == DOCUMENTS.c.id, MIRROR.c.holder.in_(["alice", "all", "team"]))
    columns = {name: DOCUMENTS.c[name] for name in ("status", "size")}
    engine = sa.create_engine("sqlite://", creator=lambda: database, poolclass=sa.StaticPool)
    condition = sqlalchemy.expression(TREE, columns, "sqlite", direct=given(held))
    with engine.connect() as connection:
        found = connection.execute(sa.select(DOCUMENTS.c.id).where(condition).order_by(DOCUMENTS.c.id))
        assert [*found.scalars()] == EXPECTED


def test_python_takes_a_test_of_the_id():
    fits = python.predicate(TREE, direct=given(GRANTED.__contains__))
    assert [row["id"] for row in ROWS if fits(row, id=row["id"])] == EXPECTED


def test_frames_take_expressions_and_booleans():
    frame = pl.DataFrame(ROWS)
    held = pl.col("id").is_in(GRANTED)
    assert frame.filter(polars.expression(TREE, FIELDS, direct=given(held)))["id"].to_list() == EXPECTED
    table = pd.DataFrame(ROWS)
    mask = pandas.mask(TREE, table, FIELDS, direct=given(table["id"].isin(GRANTED)))
    assert table[mask]["id"].to_list() == EXPECTED


def test_queries_take_queries():
    lookup = {"terms": {"id": {"index": "mirror", "id": "alice", "path": "ids"}}}
    found = elasticsearch.query(TREE, FIELDS, direct=given(lookup))
    assert found["bool"]["filter"][1]["bool"]["should"][1] == lookup
    held = {"$in": ["$_id", GRANTED]}
    fields = {"status": Json("status"), "size": Json("size")}
    assert mongo.query(TREE, fields, direct=given(held))["$expr"]["$and"][1]["$or"][1] == held


def frame_mask(tree: Any, fields: Any) -> Any:
    return pandas.mask(tree, pd.DataFrame(ROWS), fields)


REFUSED = {
    **{name: lambda tree, fields, name=name: where(tree, fields, name) for name in ("postgresql", "mysql", "sqlite")},
    "duckdb": lambda tree, fields: where(tree, fields, "duckdb"),
    "django": lambda tree, fields: q(tree, fields, "sqlite"),
    "sqlalchemy": lambda tree, _: sqlalchemy.expression(
        tree, {name: DOCUMENTS.c[name] for name in ("status", "size")}, "sqlite"
    ),
    "python": lambda tree, _: python.predicate(tree),
    "polars": polars.expression,
    "pandas": frame_mask,
    "elasticsearch": elasticsearch.query,
    "mongo": lambda tree, _: mongo.query(tree, {"status": Json("status"), "size": Json("size")}),
}


@pytest.mark.parametrize("target", REFUSED)
def test_without_a_condition_it_is_refused(target):
    with pytest.raises(Untranslatable, match="give `direct`") as refused:
        REFUSED[target](TREE, FIELDS)
    assert refused.value.path == "$.conditions[1].conditions[1]"


def test_django_takes_an_expression():
    made = q(TREE, FIELDS, "sqlite", direct=given(Q(id__in=GRANTED)))
    assert isinstance(made, Q)


def test_meanings_are_compared_with_the_node():
    assert same_meaning(read_tree(TREE), read_tree(TREE | {"conditions": TREE["conditions"][::-1]}))
    assert not same_meaning(read_tree(NODE), read_tree(NODE | {"groups": []}))
    assert not same_meaning(read_tree(NODE), read_tree({"type": "const", "value": True}))
