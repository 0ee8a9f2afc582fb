"""SQL text for MySQL, held against the predicate on MariaDB, which keeps JSON as text but reads this SQL alike.

No MySQL server runs here. Where the two differ (JSON kept as binary, subqueries made joins), the page of translations
says which MySQL was tried by hand.
"""

import json
from decimal import Decimal as Exact

import pytest
from writ.runtime.translate import Attributes, Boolean, Decimal, Integer, Json, Real, Text, Untranslatable
from writ.runtime.translate.sql import where

from tests.support.mariadb import stored_json
from tests.support.translated import INSIDE, TYPED, assert_agrees, field, rows

FIELDS = {
    "id": Text("rows.id"),
    "text": Text("text"),
    "whole": Integer("whole"),
    "real": Real("real"),
    "money": Decimal("mon%`ey", digits=12),
    "flag": Boolean("flag"),
    "any": Json("any"),
    "deep": Json("doc", ("a", "b")),
    **dict.fromkeys(INSIDE, Attributes("doc")),
}
TABLE = """CREATE TABLE `rows` (id VARCHAR(50) COLLATE utf8mb4_general_ci, text VARCHAR(50) COLLATE utf8mb4_bin,
    whole BIGINT, `real` DOUBLE, `mon%%``ey` DECIMAL(12, 4), flag BOOLEAN, `any` JSON, doc JSON)"""
ROWS = [stored_json(row) for row in rows(seed=4, size=120)]


@pytest.fixture(scope="module")
def database(mariadb):
    with mariadb.cursor() as cursor:
        cursor.execute("CREATE DATABASE translations")
        cursor.execute("USE translations")
        cursor.execute(TABLE, ())
        for row in ROWS:
            values = [row[name] for name in ("id", "text", "whole", "real")]
            values.append(None if row["money"] is None else Exact(str(row["money"])))
            values.append(row["flag"])
            values += [written(row[name]) for name in ("any", "doc")]
            cursor.execute("INSERT INTO `rows` VALUES (%s, %s, %s, %s, %s, %s, %s, %s)", values)
        yield cursor
        cursor.execute("DROP DATABASE translations")


def written(value):
    """JSON as Python writes it. MariaDB takes `1e-5` for an integer, and MySQL for a double."""
    return json.dumps(value, ensure_ascii=False)


def select(database, tree, fields=FIELDS):
    found = where(tree, fields, dialect="mysql")
    database.execute(f"SELECT id FROM `rows` WHERE {found.text}", found.parameters)
    return [id for (id,) in database.fetchall()]


def test_plain_columns_say_what_the_predicate_says(database):
    assert_agrees(lambda tree: select(database, tree), ROWS, ("id", *TYPED))


def test_json_says_what_the_predicate_says(database):
    assert_agrees(lambda tree: select(database, tree), ROWS, ["any", "deep", *INSIDE], examples=150)


def test_a_condition_is_never_null(database):
    for op, value in (("eq", "a"), ("ne", 1), ("in", ["a", 1]), ("nin", [[1]]), ("gt", "a"), ("lt", 1), ("regex", "a")):
        for key in (*TYPED, "any", "a.b"):
            found = where(field(key, op, value), FIELDS, dialect="mysql")
            database.execute(f"SELECT DISTINCT ({found.text}) IS NULL FROM `rows`", found.parameters)
            assert database.fetchall() == ((0,),)


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        (field("text", "regex", "a|b"), "regular expressions are not RE2"),
        (field("any", "gt", 10**64), "exact below 10"),
    ],
)
def test_refusals(tree, reason):
    with pytest.raises(Untranslatable) as caught:
        where(tree, FIELDS, dialect="mysql")
    assert reason in caught.value.reason


def test_no_exists_reads_the_elements_of_a_list():
    """MySQL 9.7 makes a join of it, reads the elements of one row, and answers the same for all rows."""
    for op, value in (("has", 1), ("has_any", [1, "x"]), ("has_none", [[2, "x"]])):
        found = where(field("any", op, value), FIELDS, dialect="mysql").text
        assert "JSON_TABLE" in found
        assert "EXISTS" not in found
