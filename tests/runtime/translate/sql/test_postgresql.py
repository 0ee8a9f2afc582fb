"""SQL text on PostgreSQL itself, held against the predicate: collations, citext, NaN, and jsonb's exact numbers."""

import json
from collections.abc import Iterator
from decimal import Decimal as Exact
from math import inf, nextafter

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from writ.runtime.translate import Attributes, Boolean, Decimal, Integer, Json, Real, Text, Untranslatable
from writ.runtime.translate.read_tree import read_tree
from writ.runtime.translate.sql import where

from tests.support.filter_trees import tree_holds
from tests.support.translated import INSIDE, TYPED, assert_agrees, field, rows

FIELDS = {
    "id": Text("rows.id"),
    "text": Text("text"),
    "whole": Integer("whole"),
    "real": Real("real"),
    "money": Decimal("mon%ey", digits=12),
    "flag": Boolean("flag"),
    "any": Json("any"),
    "deep": Json("doc", ("a", "b")),
    **dict.fromkeys(INSIDE, Attributes("doc")),
}
COLUMNS = ("id", "text", "whole", "real", "money", "flag", "any", "doc")
TABLE = """
CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE rows (id text COLLATE folded, text text COLLATE "en-US-x-icu", whole bigint, "real" double precision,
    "mon%ey" numeric(12, 4), flag boolean, "any" jsonb, doc jsonb)"""
HARD = ("NaN", "Infinity", "-Infinity")
NUMBERS = ("1e400", "-1e400", "1.50000000000000000000000000001", "9007199254740993.0", "1e-400", "1.0", "1e5", "0.1e1")
"""JSON numbers that only jsonb keeps as they are; they come back as it writes them."""


@pytest.fixture(scope="module")
def database(postgresql):
    with psycopg.connect(postgresql, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA translations")
        connection.execute("SET search_path = translations, public")
        connection.execute(TABLE)
        with connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO rows VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
                [tuple(written(row[name], name) for name in COLUMNS) for row in rows(seed=2, size=140)],
            )
            cursor.executemany('INSERT INTO rows (id, "real") VALUES (%s, %s)', [(name, float(name)) for name in HARD])
            cursor.executemany('INSERT INTO rows (id, "any") VALUES (%s, %s)', [(name, name) for name in NUMBERS])
        yield connection
        connection.execute("DROP SCHEMA translations CASCADE")


def written(value, name):
    """A value that PostgreSQL can hold: no U+0000."""
    if name not in ("any", "doc"):
        return value.replace("\0", "") if isinstance(value, str) else value
    return json.dumps(value).replace("\\u0000", "") if value is not None or len(name) % 2 else None


@pytest.fixture(scope="module")
def table(database):
    """The rows as PostgreSQL gives them back, JSON as its text."""
    found = database.execute(
        'SELECT id, text, whole, "real", "mon%ey", flag, "any"::text, doc::text FROM rows'
    ).fetchall()
    table = [dict(zip(COLUMNS, row, strict=True)) for row in found]
    for row in table:
        row["money"] = None if row["money"] is None else float(row["money"])
        row |= {name: None if row[name] is None else json.loads(row[name]) for name in ("any", "doc")}
    return table


def select(database, tree, fields=FIELDS):
    found = where(tree, fields, dialect="postgresql")
    return [id for (id,) in database.execute(f"SELECT id FROM rows WHERE {found.text}", found.parameters)]


def test_plain_columns_say_what_the_predicate_says(database, table):
    assert_agrees(lambda tree: select(database, tree), table, ("id", *TYPED))


def test_jsonb_says_what_the_predicate_says(database, table):
    assert_agrees(lambda tree: select(database, tree), table, ["any", "deep", *INSIDE], examples=150)


def test_a_condition_is_never_null(database):
    for op, value in (("eq", "a"), ("ne", 1), ("in", ["a", 1]), ("nin", [[1]]), ("gt", "a"), ("lt", 1), ("regex", "a")):
        for key in (*TYPED, "any", "a.b"):
            found = where(field(key, op, value), FIELDS, dialect="postgresql")
            asked = database.execute(f"SELECT DISTINCT ({found.text}) IS NULL FROM rows", found.parameters)
            assert asked.fetchall() == [(False,)]


def test_text_is_compared_exactly_whatever_its_type_and_collation(database):
    """citext and a collation that ignores case would let `DRAFT` pass for `draft`."""
    database.execute("CREATE EXTENSION citext SCHEMA translations")
    database.execute("CREATE TEMP TABLE papers (id text COLLATE folded, status citext)")
    database.execute("INSERT INTO papers VALUES ('DRAFT', 'DRAFT'), ('draft', 'draft')")
    for column in ("id", "status"):
        for op, value in (("eq", "draft"), ("in", ["draft", "x"]), ("gt", "a"), ("regex", "^dr"), ("regex", "aft$")):
            found = where(field("k", op, value), {"k": Text(column)}, dialect="postgresql")
            asked = database.execute(f"SELECT id FROM papers WHERE {found.text}", found.parameters)
            assert asked.fetchall() == [("draft",)], (column, op)


def test_an_index_serves_equality(database):
    """The column's own equality stands beside the exact one, since only that one finds an ordinary index."""
    database.execute("CREATE TEMP TABLE many (status text)")
    database.execute("INSERT INTO many SELECT n::text FROM generate_series(1, 10000) n")
    database.execute("CREATE INDEX ON many (status)")
    database.execute("ANALYZE many")
    for tree in (field("s", "eq", "5"), field("s", "in", ["5", "6"])):
        found = where(tree, {"s": Text("status")}, dialect="postgresql")
        shown = database.execute(f"EXPLAIN SELECT * FROM many WHERE {found.text}", found.parameters).fetchall()
        assert "Index" in str(shown)


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        (field("text", "regex", "a|b"), "regular expressions are not RE2"),
        (field("any", "regex", r"\d"), "regular expressions are not RE2"),
        (field("text", "gt", "a\0"), "holds U+0000"),
        (field("any", "in", ["a\0"]), "holds U+0000"),
        (field("any", "eq", {"a\0": 1}), "holds U+0000"),
    ],
)
def test_refusals(tree, reason):
    with pytest.raises(Untranslatable) as caught:
        where(tree, FIELDS, dialect="postgresql")
    assert reason in caught.value.reason


EDGES = (2**53, 2**54, 2**60, 2**63, 2**64, 10**15, 10**16, 10**17, 10**22, 10**23, 10**30, 10**308)


def around(edge: int) -> Iterator[int | float]:
    """Numbers about an edge: integers, doubles, and integers with the digits of doubles."""
    double = float(edge)
    near = (double, nextafter(double, inf), nextafter(double, 0))
    for number in (edge - 1, edge, edge + 1, edge + 3, *near, *(int(Exact(repr(one))) for one in near)):
        yield from (number, -number)


LARGE = [*(number for edge in EDGES for number in around(edge)), 0, 0.5, -0.5, 1, 1.0, 2.5, 0.1, 1e-300]


@pytest.fixture(scope="module")
def sent(postgresql):
    with psycopg.connect(postgresql, autocommit=True) as connection:
        connection.execute("CREATE TEMPORARY TABLE sent (id integer, value jsonb)")
        with connection.cursor() as cursor:
            rows = [(number, json.dumps(value)) for number, value in enumerate(LARGE)]
            cursor.executemany("INSERT INTO sent VALUES (%s, %s)", rows)
        yield connection


@settings(max_examples=240, deadline=None)
@given(
    st.sampled_from(LARGE) | st.integers(2**53, 10**24) | st.floats(2.0**53, 1e308) | st.floats(-2, 2),
    st.sampled_from(["eq", "ne", "in", "gt", "gte", "lt", "lte"]),
)
def test_large_numbers_in_jsonb_are_exact_or_refused(sent, constant, operator):
    """The decision gets the number that was written, the filter compares what jsonb made of it (issue 28)."""
    tree = field("value", operator, [constant] if operator == "in" else constant)
    try:
        found = where(tree, {"value": Json("value")}, dialect="postgresql")
    except Untranslatable:
        assert abs(constant) >= 2**53
        return
    selected = {id for (id,) in sent.execute(f"SELECT id FROM sent WHERE {found.text}", found.parameters)}
    read = read_tree(tree)
    assert selected == {number for number, value in enumerate(LARGE) if tree_holds(read, lambda _, sent=value: sent)}


@pytest.mark.parametrize("operator", ["eq", "ne", "gt", "lte"])
def test_most_large_integers_are_translated(operator):
    """Identifiers of 64 bits: only those near a double with other digits are refused."""
    refused = 0
    for constant in range(2**60 + 1, 2**60 + 4_001, 2):
        try:
            where(field("value", operator, constant), {"value": Json("value")}, dialect="postgresql")
        except Untranslatable:
            refused += 1
    assert refused <= (0 if operator in ("eq", "ne") else 1_000)
