"""SQL text on DuckDB itself, held against the predicate: its own RE2, NaN, decimals, collations."""

from decimal import Decimal as Exact

import duckdb
import pytest
from writ.runtime.translate import Boolean, Decimal, Integer, Json, Real, Text, Untranslatable
from writ.runtime.translate.sql import where

from tests.support.strategies_values import PATTERNS
from tests.support.translated import LITERALS, assert_agrees, field, rows

FIELDS = {
    "id": Text("rows.id"),
    "text": Text("part.text"),
    "whole": Integer("whole"),
    "real": Real("real"),
    "money": Decimal("money", digits=12),
    "flag": Boolean("flag"),
}
TABLE = """CREATE TABLE rows (id VARCHAR COLLATE NOCASE, part STRUCT(text VARCHAR), whole BIGINT, real DOUBLE,
    money DECIMAL(12, 4), flag BOOLEAN)"""
HARD = ("nan", "inf", "-inf")
ROWS = rows(seed=3, size=120) + [{"id": name, "real": float(name)} for name in HARD]


@pytest.fixture(scope="module")
def database():
    connection = duckdb.connect()
    connection.execute(TABLE)
    for row in ROWS:
        money = None if row.get("money") is None else Exact(str(row["money"]))
        values = [row["id"], {"text": row.get("text")}, row.get("whole"), row.get("real"), money, row.get("flag")]
        connection.execute("INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?)", values)
    yield connection
    connection.close()


def select(database, tree):
    found = where(tree, FIELDS, dialect="duckdb")
    return [id for (id,) in database.execute(f"SELECT id FROM rows WHERE {found.text}", found.parameters).fetchall()]


def test_plain_columns_say_what_the_predicate_says(database):
    assert_agrees(lambda tree: select(database, tree), ROWS, list(FIELDS), (*LITERALS, *PATTERNS), least=0.9)


def test_a_json_column_is_refused():
    with pytest.raises(Untranslatable, match="map a column, or a member of a STRUCT"):
        where(field("j", "eq", 1), {"j": Json("j")}, dialect="duckdb")
