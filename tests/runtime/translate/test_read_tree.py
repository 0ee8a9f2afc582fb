"""Trees that come over the network: what is no filter is one clear error with its place, and limits hold."""

import re

import pytest
from writ.bundles.conditions.operators import Operator
from writ.bundles.conditions.trees.instant_comparisons import InstantComparison
from writ.runtime.translate import Attributes, BadFilter, Json, Text, TreeLimits, Untranslatable
from writ.runtime.translate.python import predicate
from writ.runtime.translate.read_tree import read_tree
from writ.runtime.translate.translation_plan import plan

from tests.support.translated import field

NOT_ONE = "`operator` of a field node is one of eq, ne, gt, gte, lt, lte, in, nin, regex, has, has_any, has_none"


DIRECT = {
    "type": "direct",
    "resource_type": "d",
    "action": "read",
    "subject": {"type": "user", "id": "alice"},
    "groups": ["eng"],
}


def logical(op, *conditions):
    return {"type": "logical", "operator": op, "conditions": list(conditions)}


def nested(tree, op="and"):
    return logical(op, tree)


def deep(levels):
    tree = {"type": "const", "value": True}
    for _ in range(levels):
        tree = nested(tree, "not")
    return tree


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (None, "$: a node is an object"),
        ([], "$: a node is an object"),
        ({}, "$.type: `type` is const, direct, field or logical"),
        ({"type": ["const"]}, "$.type: `type` is const, direct, field or logical"),
        ({"type": "const"}, "$: a const node has exactly the members type, value"),
        ({"type": "const", "value": True, "x": 1}, "$: a const node has exactly the members type, value"),
        ({"type": "const", "value": 1}, "$.value: `value` of a const is true or false"),
        (nested({"type": "const", "value": True}, "xor"), "$.operator: `operator` of a logical node is and, or or not"),
        (logical("and"), "$.conditions: `conditions` of and is a list of one node or more"),
        (logical("not", 1, 2), "$.conditions: `conditions` of not is a list of one node"),
        (nested(nested(7)), "$.conditions[0].conditions[0]: a node is an object"),
        (field("", "eq", 1), "$.field: `field` is a string that is not empty"),
        (field(3, "eq", 1), "$.field: `field` is a string that is not empty"),
        (nested(field("a", "like", 1)), f"$.conditions[0].operator: {NOT_ONE}"),
        (field("a", ["eq"], 1), f"$.operator: {NOT_ONE}"),
        (field("a", "eq", None), "$.value: a constant holds no null (C2)"),
        (field("a", "in", [1, {"b": [None]}]), "$.value[1].b[0]: a constant holds no null (C2)"),
        (field("a", "in", "abc"), "$.value: `in` compares with a list"),
        (field("a", "gt", True), "$.value: `gt` compares with a number or a string"),
        (field("a", "lt", float("nan")), "$.value: a number is finite"),
        (field("a", "regex", 5), "$.value: `regex` compares with a pattern"),
        (field("a", "regex", "("), "$.value: RE2 rejects the pattern: missing ): ("),
        (field("a", "eq", object()), "$.value: a constant is a JSON value"),
        (field("a", "eq", {1: 2}), "$.value: names of members are strings"),
        ({"type": "direct"}, "$: a direct node has exactly the members action, groups, resource_type, subject, type"),
        (DIRECT | {"subject": "alice"}, "$.subject: `subject` of a direct node has exactly the members id, type"),
        (DIRECT | {"groups": "eng"}, "$.groups: `groups` of a direct node is a list"),
        (DIRECT | {"groups": [1]}, "$: the members of a direct node are strings"),
    ],
)  # fmt: skip
def test_what_is_no_filter_is_named_with_its_place(tree, message):
    with pytest.raises(BadFilter, match=f"^{re.escape(message)}$"):
        read_tree(tree)


@pytest.mark.parametrize(
    ("tree", "limits", "message"),
    [
        (nested(deep(3)), TreeLimits(nodes=4), "more than 4 nodes"),
        (field("a", "in", [1, 2, 3]), TreeLimits(values=3), "more than 3 values"),
        (field("a", "eq", [[[1]]]), TreeLimits(constant_depth=3), "nested more than 3 deep"),
    ],
)
def test_limits(tree, limits, message):
    with pytest.raises(BadFilter, match=message):
        read_tree(tree, limits)


@pytest.mark.parametrize("levels", [101, 100_000])
def test_the_limit_of_depth(levels):
    with pytest.raises(BadFilter, match="nested more than 100 deep"):
        read_tree(deep(levels), TreeLimits())


def test_own_keys_are_the_row_s_and_never_attributes():
    """E6: an attribute of the name `id` or `type` is not read."""
    for key in ("id", "type"):
        fits = predicate(field(key, "eq", "d1"))
        assert fits({}, **{key: "d1"})
        assert not fits({key: "d1"})


def test_the_path_is_tried_after_the_whole_key_and_not_is_plain():
    """C1, C2, F5."""
    fits = predicate({"type": "logical", "operator": "not", "conditions": [field("a.b", "ne", 1)]})
    assert [fits(row) for row in ({"a.b": 1, "a": {"b": 2}}, {"a.b": None, "a": {"b": 2}}, {}, {"a": [1]})] == [
        True,
        False,
        True,
        True,
    ]


INSTANT = {"type": "field", "field": "t", "operator": "lte", "value": "2024-01-01T00:00:00Z", "value_type": "instant"}


def test_a_comparison_of_instants_is_read():
    """X5."""
    assert read_tree(INSTANT) == InstantComparison("t", Operator.LTE, 1_704_067_200 * 10**9)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"value_type": "date"}, "$.value_type"),
        ({"value_type": None}, "$.value_type"),
        ({"operator": "eq"}, "$.operator"),
        ({"value": "2024-01-01"}, "$.value"),
        ({"value": 5}, "$.value"),
    ],
)
def test_an_odd_comparison_of_instants_is_refused(change, path):
    with pytest.raises(BadFilter) as refused:
        read_tree(INSTANT | change)
    assert refused.value.path == path


@pytest.mark.parametrize("field", [Text("t"), Json("t"), Attributes("t")])
def test_a_column_of_texts_is_refused(field):
    with pytest.raises(Untranslatable) as refused:
        plan(INSTANT, {"t": field}, "postgresql")
    assert "DateTime" in str(refused.value)
