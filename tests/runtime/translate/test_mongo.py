"""MongoDB queries, held against the predicate by the expressions of MongoDB's manual: no server runs here."""

from datetime import UTC, datetime, timedelta

import pytest
from writ.runtime.translate import Attributes, DateTime, Json, Text, Untranslatable
from writ.runtime.translate.mongo import query
from writ.runtime.translate.python import predicate

from tests.support.mongo_expressions import matches
from tests.support.translated import INSIDE, assert_agrees, field, rows

FIELDS = {
    "id": Json("_id"),
    **{name: Json(name) for name in ("text", "whole", "real", "flag", "any")},
    "deep": Json("doc", ("a", "b")),
    **dict.fromkeys(INSIDE, Attributes("doc")),
}


def bson(value):
    """What BSON can hold: no integers above 64 bits, no U+0000 in names."""
    if isinstance(value, dict):
        return {name: bson(member) for name, member in value.items() if "\0" not in name}
    if isinstance(value, list):
        return [bson(item) for item in value]
    return float(value) if isinstance(value, int) and not -(2**63) <= value < 2**63 else value


ROWS = [bson({name: value for name, value in row.items() if value is not None or name == "any"}) for row in rows(9, 70)]


def select(tree):
    found = query(tree, FIELDS)
    return [row["id"] for row in ROWS if matches(found, {"_id": row["id"], **row})]


def test_it_says_what_the_predicate_says():
    assert_agrees(select, ROWS, list(FIELDS), examples=100)


def test_the_mappings_of_the_page():
    """Fields of the document, and a document of attributes."""
    trees = [field("id", "eq", "d1"), field("status", "in", ["draft", "final"]), field("owner.team", "eq", "sales")]
    tree = {"type": "logical", "operator": "and", "conditions": trees}
    stored = {"status": "draft", "owner": {"team": "sales"}}
    flat = {"id": Json("_id"), "status": Json("status"), "owner.team": Json("owner", ("team",))}
    inside = {"id": Json("_id"), **dict.fromkeys(("status", "owner.team"), Attributes("attributes"))}
    assert matches(query(tree, flat), {"_id": "d1", **stored})
    assert matches(query(tree, inside), {"_id": "d1", "attributes": stored})
    assert not matches(query(tree, inside), {"_id": "d1", **stored})


@pytest.mark.parametrize("value", [["draft"], [["draft"]], [{"b": "draft"}], {"0": "draft"}, {"b": ["draft"]}])
def test_nothing_looks_into_an_array(value):
    """`{a: "draft"}` and `{"a.b": "draft"}` in MongoDB's own query language take these."""
    for key in ("a", "a.b", "a.0"):
        tree = field(key, "eq", "draft")
        taken = matches(query(tree, {key: Attributes("doc")}), {"doc": {"a": value}})
        assert taken is predicate(tree)({"a": value})


def test_a_value_that_looks_like_an_expression_is_a_value():
    for value in ("$$ROOT", "$id", {"$gt": 1}):
        found = query(field("k", "eq", value), {"k": Json("k")})
        assert matches(found, {"k": value})
        assert not matches(found, {"k": "other", "id": "other"})


def test_nan_is_less_than_nothing():
    for op in ("lt", "lte", "gt", "gte", "eq"):
        assert not matches(query(field("k", op, 5), {"k": Json("k")}), {"k": float("nan")})


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        (field("text", "regex", r"\d"), "not RE2"),
        (field("any", "eq", {"a\0": 1}), "holds U+0000"),
        (field("typed", "eq", "a"), "any type in any field"),
    ],
)
def test_refusals(tree, reason):
    with pytest.raises(Untranslatable) as caught:
        query(tree, {**FIELDS, "typed": Text("typed")})
    assert reason in caught.value.reason


@pytest.mark.parametrize(
    ("op", "text", "held"),
    [
        ("gte", "2034-06-01T00:00:00.0015Z", {"$gt": 1}),
        ("lt", "2034-06-01T00:00:00.000000001Z", {"$lte": 0}),
        ("gt", "2034-06-01T00:00:00.001999Z", {"$gt": 1}),
        ("lte", "2034-06-01T02:00:00.002+02:00", {"$lte": 2}),
    ],
)
def test_an_instant_between_two_dates_takes_the_right_side(op, text, held):
    """A Date has whole milliseconds (X5)."""
    tree = field("until", op, text) | {"value_type": "instant"}
    asked = query(tree, {"until": DateTime("until")})
    ((wanted, milliseconds),) = held.items()
    second = datetime(2034, 6, 1, tzinfo=UTC)
    compared = {wanted: ["$$writ", {"$literal": second + timedelta(milliseconds=milliseconds)}]}
    assert asked["$expr"]["$let"]["in"]["$and"][-1] == compared
    fits = predicate(tree)
    for number in range(-1, 4):
        date = second + timedelta(milliseconds=number)
        assert matches(asked, {"until": date}) is fits({"until": date.isoformat()})
