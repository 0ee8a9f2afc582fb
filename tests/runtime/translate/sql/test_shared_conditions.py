"""A condition that all branches of an OR share stands outside of it, with the same rows, where an index serves it."""

import sqlite3
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from writ.runtime.translate import Boolean, Integer, Real, Text
from writ.runtime.translate.read_tree import read_tree
from writ.runtime.translate.sql import where

from tests.support.filter_trees import tree_holds
from tests.support.strategies_pick import Pick
from tests.support.translated import Row, field

CONSTANTS: dict[str, tuple[Any, ...]] = {
    "tenant": ("t5", "T5", "t5 ", "", "5", 5, True),
    "size": (5, 5.0, 6, "5", True),
    "real": (5, 0.5, "5"),
    "flag": (True, False, 1),
    "owner": ("alice", "bob"),
}
HELD: tuple[Any, ...] = (None, "t5", "T5", "t5 ", "", "5", 5, 6, 0.5, b"t5", b"", 1, 0, "alice", -1)
FIELDS = {"size": Integer("size"), "real": Real("real"), "flag": Boolean("flag"), "owner": Text("owner")}
TENANTS = {"nocase": Text("tenant"), "last": Text("last"), "any": Text("any")}
"""The columns of a tenant: under a collation of SQLite, under one that puts texts before "", untyped."""


def logical(op: str, *conditions: Row) -> Row:
    """A node of several."""
    return {"type": "logical", "operator": op, "conditions": [*conditions]}


def shared_tree(pick: Pick, depth: int = 0) -> Row:
    """An OR of conjunctions, mostly with comparisons of the same few keys, plain or negated."""

    def literal() -> Row:
        key = pick.one(("tenant", "tenant", "tenant", *CONSTANTS))
        op = pick.one(("eq", "ne", "ne", "in", "nin"))
        value = [*pick.some(CONSTANTS[key], 1, 3)] if op in ("in", "nin") else pick.one(CONSTANTS[key])
        found = field(key, op, value)
        return logical("not", found) if pick.chance(1, 2) else found

    def branch() -> Row:
        parts = [literal() for _ in range(pick.number(1, 3))]
        if depth < 1 and pick.chance(1, 4):
            parts.append(shared_tree(pick, depth + 1))
        return logical("and", *parts)

    found = logical("or", *(branch() for _ in range(pick.number(1, 3))))
    if pick.chance(1, 4):
        found = logical("and", found, logical("not", logical("or", literal(), literal())))
    return logical("not", found) if pick.chance(1, 5) else found


@pytest.fixture(scope="module")
def database() -> Any:
    connection = sqlite3.connect(":memory:")
    connection.create_collation("LAST", lambda one, other: (one < other) - (one > other))
    connection.execute(
        "CREATE TABLE rows (tenant TEXT COLLATE NOCASE, last TEXT COLLATE LAST, any, size INTEGER, real REAL,"
        " flag BOOLEAN, owner TEXT)"
    )
    pick = Pick.seeded(7)
    values = [[held, held, held, *(pick.one(HELD) for _ in range(4))] for held in HELD * 6]
    connection.executemany("INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?)", values)
    yield connection
    connection.close()


def attribute(name: str, held: Any) -> Any:
    """What a column says as an attribute, None for a value of another type."""
    kinds: dict[str, Any] = {"size": int, "real": (int, float), "flag": int}
    if not isinstance(held, kinds.get(name, str)) or (name == "flag" and held not in (0, 1)):
        return None
    return bool(held) if name == "flag" else held


@pytest.mark.parametrize("column", TENANTS)
def test_the_rows_are_those_of_the_filter(database: sqlite3.Connection, column: str) -> None:
    tenant = TENANTS[column].column
    names = (tenant, *FIELDS)
    rows = database.execute(f'SELECT rowid, "{tenant}", size, real, flag, owner FROM rows').fetchall()
    table = [
        (id, {key: attribute(key, held) for key, held in zip(("tenant", *FIELDS), values, strict=True)})
        for id, *values in rows
    ]
    assert len(names) == len(rows[0]) - 1

    @settings(max_examples=150)
    @given(st.data())
    def agrees(data: st.DataObject) -> None:
        tree = shared_tree(Pick.drawn(data.draw))
        found = where(tree, {**FIELDS, "tenant": TENANTS[column]}, dialect="sqlite")
        selected = database.execute(f"SELECT rowid, ({found.text}) FROM rows", found.parameters).fetchall()
        assert None not in {one for _, one in selected}, tree
        assert {id for id, one in selected if one} == {
            id for id, row in table if tree_holds(read_tree(tree), row.get)
        }, tree

    agrees()


OF_TENANT = logical("not", field("tenant", "ne", "t5"))
BRANCHES = (
    logical("and", field("owner", "eq", "alice"), field("tenant", "eq", "t5")),
    logical("and", field("tenant", "in", ["t5"]), field("flag", "eq", True)),
    logical("and", OF_TENANT, field("size", "eq", 5)),
)
ABSENT = {
    "postgresql": '("tenant" IS NULL OR (',
    "mysql": "(`tenant` IS NULL OR (",
    "sqlite": "(`tenant` IS NULL OR (`tenant` < '' AND typeof(`tenant`) <> 'text') OR `tenant` >= x'' OR (",
    "duckdb": '("tenant" IS NULL OR (',
}


@pytest.mark.parametrize("dialect", ABSENT)
@pytest.mark.parametrize(
    "tree",
    [
        logical("or", *BRANCHES),
        logical("and", logical("or", *BRANCHES), field("size", "gt", 1)),
        logical("and", OF_TENANT, logical("or", field("size", "eq", 5), field("owner", "eq", "alice"))),
        logical("not", logical("or", field("tenant", "ne", "t5"), field("flag", "eq", True))),
    ],
)
def test_a_shared_condition_stands_outside(tree: Row, dialect: str) -> None:
    fields = {**FIELDS, "tenant": Text("tenant")}
    text = where(tree, fields, dialect=dialect).text
    assert text.startswith(f"({ABSENT[dialect]}"), text
    assert text.count(ABSENT[dialect]) == 1


def test_what_one_branch_lacks_stays_inside() -> None:
    for other in (field("size", "eq", 5), field("tenant", "eq", "t6"), field("tenant", "ne", "t5")):
        text = where(logical("or", *BRANCHES, other), {**FIELDS, "tenant": Text("tenant")}, dialect="postgresql").text
        assert not text.startswith(f"({ABSENT['postgresql']}"), other
