"""SQL text on SQLite itself, held against the predicate, NULL, affinities, collations and JSON included."""

import json
import sqlite3

import pytest
from writ.runtime.translate import Attributes, Boolean, Integer, Json, Real, Text, Untranslatable
from writ.runtime.translate.python import predicate
from writ.runtime.translate.sql import where

from tests.support.translated import INSIDE, TYPED, assert_agrees, field, rows

FIELDS = {
    "id": Text("rows.id"),
    "text": Text("text"),
    "whole": Integer("whole"),
    "real": Real("real"),
    "flag": Boolean("flag"),
    "any": Json("any"),
    "deep": Json("doc", ("a", "b")),
    **dict.fromkeys(INSIDE, Attributes("doc")),
}
TABLE = """CREATE TABLE rows (id TEXT COLLATE NOCASE, text TEXT COLLATE RTRIM, whole INTEGER, real REAL, flag BOOLEAN,
    "any" TEXT, doc TEXT, type TEXT DEFAULT 'text', value TEXT DEFAULT 'a', raw TEXT DEFAULT '{}')"""
ROWS = rows(seed=1, size=120)


@pytest.fixture(scope="module")
def database():
    connection = sqlite3.connect(":memory:")
    connection.execute(TABLE)
    for row in ROWS:
        written = {name: row[name] for name in ("id", "text", "whole", "real", "flag")}
        # Half the documents escape what is beyond ASCII, names too, half do not.
        written |= {name: json.dumps(row[name], ensure_ascii=len(row["id"]) % 2 == 0) for name in ("any", "doc")}
        connection.execute(
            'INSERT INTO rows (id, text, whole, real, flag, "any", doc) '
            "VALUES (:id, :text, :whole, :real, :flag, :any, :doc)",
            written,
        )
    yield connection
    connection.close()


def select(database, tree, fields=FIELDS):
    found = where(tree, fields, dialect="sqlite")
    return [id for (id,) in database.execute(f"SELECT id FROM rows WHERE {found.text}", found.parameters)]


def test_plain_columns_say_what_the_predicate_says(database):
    keys = [name for name in ("id", *TYPED) if name != "money"]
    assert_agrees(lambda tree: select(database, tree), ROWS, keys)


def test_an_empty_text_does_not_end_with_another(database):
    """SQLite 3.40 has NULL for the end of an empty blob, and its negation dropped the row."""
    tree = {"type": "field", "field": "text", "operator": "regex", "value": "b$"}
    empty = {row["id"] for row in ROWS if row["text"] == ""}
    assert empty
    assert empty <= set(select(database, {"type": "logical", "operator": "not", "conditions": [tree]}))


def test_a_name_that_no_column_has_is_an_error(database):
    """SQLite takes an unknown name between double quotes for a string, which differs from most constants."""
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        select(database, field("k", "ne", "x"), {"k": Text("statos")})


def test_a_name_may_hold_what_quotes_it():
    connection = sqlite3.connect(":memory:")
    connection.execute('CREATE TABLE rows (id TEXT, "a`b""c" TEXT)')
    connection.execute("INSERT INTO rows VALUES ('1', 'x')")
    assert select(connection, field("k", "eq", "x"), {"k": Text('rows.a`b"c')}) == ["1"]
    connection.close()


def test_json_columns_say_what_the_predicate_says(database):
    assert_agrees(lambda tree: select(database, tree), ROWS, ["any", "deep", *INSIDE], examples=150, least=0.4)


def test_a_condition_is_never_null(database):
    for op, value in (("eq", "a"), ("ne", "a"), ("in", ["a", "b"]), ("nin", ["a"]), ("gt", "a"), ("regex", "a")):
        for key in ("text", "any"):
            if (key, op) != ("any", "regex"):
                found = where(field(key, op, value), FIELDS, dialect="sqlite")
                asked = database.execute(f"SELECT DISTINCT ({found.text}) IS NULL FROM rows", found.parameters)
                assert asked.fetchall() == [(0,)]


@pytest.mark.parametrize("held", ["5", "abc", b"abc", 5, 1.5, 7])
def test_what_an_affinity_let_in_is_of_no_type_but_its_own(held):
    """A column's type is a promise that SQLite does not keep; what breaks it is absent (C7)."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE rows (id TEXT, c)")
    connection.execute("INSERT INTO rows VALUES ('a', ?)", [held])
    for kind, type in ((Text, str), (Integer, int), (Boolean, bool)):
        for op, value in (("ne", "x"), ("ne", 3), ("ne", True), ("gt", 3), ("gte", "5"), ("eq", 5), ("eq", "5")):
            selected = select(connection, field("c", op, value), {"c": kind("c")})
            right = isinstance(held, type)
            fits = right and (op == "ne" or (isinstance(held, str) is isinstance(value, str)))
            if fits and op != "ne":
                fits = {"gt": held > value, "gte": held >= value, "eq": held == value}[op]
            assert bool(selected) is bool(fits), (kind, op, value)
    connection.close()


@pytest.mark.parametrize(
    "text", ["garbage", "", b"\x00", '{"a": 1, "a": 2}', '{"a": 1e400}', "null", '{"a": 12345678901234567890}']
)
def test_a_document_that_is_none_holds_no_attributes(text):
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE rows (id TEXT, doc)")
    connection.execute("INSERT INTO rows VALUES ('a', ?)", [text])
    try:
        value = json.loads(text)["a"]
    except (ValueError, TypeError):
        value = None
    fields = {"a": Attributes("doc")}
    assert bool(select(connection, field("a", "nin", []), fields)) is (value is not None)
    assert bool(select(connection, field("a", "gt", 1), fields)) is (value is not None and value > 1)
    assert not select(connection, field("a", "in", [1, 12345678901234567]), fields)
    connection.close()


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        (field("text", "regex", "a|b"), "regular expressions are not RE2"),
        (field("any", "regex", "^a"), "only a part of a JSON string with U+0000"),
        (field("any", "gt", 2**63), "exact below 2^63"),
        (field("any", "eq", "a\0"), "only up to U+0000"),
        (field("text", "in", [str(number) for number in range(32_767)]), "binds 32767 values"),
    ],
)
def test_refusals(tree, reason):
    with pytest.raises(Untranslatable) as caught:
        where({"type": "logical", "operator": "not", "conditions": [tree]}, FIELDS, dialect="sqlite")
    assert caught.value.path == ("$" if "binds" in reason else "$.conditions[0]")
    assert reason in caught.value.reason


DOCUMENTS = [
    r'{"n\u0000x": 1, "n": [[2, "x"]]}',
    r'{"a\u0000": null, "a": 5}',
    r'{"a\u0000": [1]}',
    r'{"n": {"a\u0000": 1}}',
    r'{"n": {"a\u0000": 1, "a": 1}}',
    r'{"n": {"a": 1}}',
    r'{"n": {"a": 2, "\u0061": [1]}}',
    r'{"\u0061": [7], "a": [8]}',
    r'{"a/b": 1, "a\/b": [2]}',
    r'{"a\"b": [1]}',
    r'{"a\\b": [1]}',
    r'{"x\\u0000": [1]}',
    r'{"n": 1, "n": ["x"]}',
    r'{"n": ["x"], "n": "x"}',
    r'{"n": "x"}',
    r'{"n": "x\u0000y"}',
    r'{"n": "x\u0001"}',
    r'{"n": "x\u0001\u0002"}',
    r'{"n": "x\\u0000"}',
    r'{"n": "x\\\u0000"}',
    r'{"n": ["x\u0000"]}',
    r'{"n": [["x\u0000"]]}',
    r'{"n": []}',
]
"""Names and strings that versions of SQLite read in several ways: U+0000, and names that are equal when unescaped."""
COMPARED = {
    "eq": [
        "x",
        "x\1",
        "x\1\2",
        "x\\u0000",
        1,
        5,
        [],
        ["x"],
        [1],
        [2],
        [7],
        [8],
        [["x"]],
        [[2, "x"]],
        {"a": 1},
        {"a": [1]},
    ],
    "has": ["x", 1, [2, "x"], ["x"]],
    "gt": ["w", "x", "x\1"],
    "lte": ["x", "x\1", "x\1\1", "x\1\2"],
    "nin": [[], ["x"]],
}


@pytest.mark.parametrize("library", ["sqlite3", "apsw"])
def test_each_version_reads_documents_as_parsers_of_json_do(library):
    """SQLite 3.45 began to keep U+0000 in texts and names, and to find the first of names that are equal unescaped.

    The package apsw has the newest version.
    """
    connect = sqlite3.connect if library == "sqlite3" else pytest.importorskip("apsw").Connection
    connection = connect(":memory:")
    connection.execute("CREATE TABLE rows (id TEXT, doc TEXT)")
    for document in DOCUMENTS:
        connection.execute("INSERT INTO rows VALUES (?, ?)", (document, document))
    for key in ("n", "a", "n\0x", "a\0", "a/b", 'a"b', "a\\b", "x\\u0000"):
        for tree in (field(key, op, value) for op, values in COMPARED.items() for value in values):
            for asked in (tree, {"type": "logical", "operator": "not", "conditions": [tree]}):
                allows = predicate(asked)
                expected = {document for document in DOCUMENTS if allows(json.loads(document))}
                assert set(select(connection, asked, {key: Attributes("doc")})) == expected, asked
    connection.close()
