"""Elasticsearch queries, held against the predicate on an index as its manual has it: no server runs here."""

import pytest
from writ.bundles.conditions.comparisons import predicate
from writ.runtime.translate import Attributes, Boolean, DateTime, Decimal, Integer, Real, Text, Untranslatable
from writ.runtime.translate.elasticsearch import query

from tests.support.lucene_index import matches
from tests.support.translated import TYPED, assert_agrees, field, rows

FIELDS = {
    "id": Text("id"),
    "text": Text("text"),
    "whole": Integer("whole"),
    "real": Real("real"),
    "flag": Boolean("flag"),
}
ROWS = rows(seed=10, size=120)
PUNCTUATED = ("^a\\*b$", "\\*", "\\?b", "\\[", "\\\\$", "\\]", "!a")


def test_it_says_what_the_predicate_says():
    def select(tree):
        found = query(tree, FIELDS)
        return [row["id"] for row in ROWS if matches(found, row)]

    assert_agrees(select, ROWS, ["id", *(name for name in TYPED if name != "money")])


@pytest.mark.parametrize("pattern", PUNCTUATED)
def test_wildcards_in_a_constant_are_characters(pattern):
    for text in ("a*b", "aXb", "*", "?b", "xb", "[", "\\", "x\\", "]", "!a", "b", ""):
        found = query(field("text", "regex", pattern), FIELDS)
        assert matches(found, {"text": text}) is predicate("regex", pattern)(text), text


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        (field("text", "regex", r"\d"), "not RE2"),
        (field("text", "eq", "é" * 20_000), "32766 bytes"),
        (field("whole", "in", list(range(70_000))), "an index takes 65536"),
        (field("real", "in", [float(number) for number in range(65_536)]), "with 65537 values"),
        (field("moment", "in", [f"{year}-01-01T00:00:00.000000Z" for year in range(1000, 2025)]), "takes 1024"),
        (field("doc", "eq", 1), "flattens"),
        (field("money", "eq", 1), "integers or doubles"),
    ],
)
def test_refusals(tree, reason):
    with pytest.raises(Untranslatable) as caught:
        query(tree, {**FIELDS, "doc": Attributes("doc"), "money": Decimal("money", 9), "moment": DateTime("moment")})
    assert reason in caught.value.reason


def test_a_query_may_be_nested_as_deep_as_an_index_takes():
    """Elasticsearch refuses the 31st query in each other. A `ne` has two, and the caller's are around it."""
    tree = field("text", "ne", "a")
    for number in range(27):
        assert query(tree, FIELDS)
        tree = {
            "type": "logical",
            "operator": ("and", "or")[number % 2],
            "conditions": [tree, field("flag", "eq", True)],
        }
    with pytest.raises(Untranslatable, match="nested 27 deep, an index takes 26"):
        query(tree, FIELDS)
