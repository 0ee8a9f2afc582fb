"""Keys and constants that probably mean something else: each lint on the smallest models."""

import json
from typing import Any

import pytest

from tests.support.diagnosing import model_text
from tests.support.linting import allow, model, on, places, told, when


@pytest.mark.parametrize(
    "constant",
    [
        "${subject.id}",
        "prefix-${id}",
        "#{user}",
        "{{ward}}",
        "{{ subject.id }}",
        "$user",
        "subject.ward",
        "resource.a.b",
    ],
)
def test_a_constant_that_looks_like_a_reference(constant):
    assert places("looks-like-reference", model(allow(**when("ward", "eq", constant)))) == [
        "$.policies[0].conditions.resource_attrs[0].value"
    ]
    assert places("looks-like-reference", model(allow(**when("ward", "in", ["a", constant])))) == [
        "$.policies[0].conditions.resource_attrs[0].value[1]"
    ]


@pytest.mark.parametrize(
    "constant", ["$", "$5", "5 $", "{a}", "user.created", "the subject.", "subject", "subject.1", 5, True]
)
def test_a_constant_that_is_just_a_value(constant):
    assert places("looks-like-reference", model(allow(**when("ward", "eq", constant)))) == []


def test_a_pattern_is_no_reference():
    assert places("looks-like-reference", model(allow(**when("ward", "regex", "^a{{2}}$")))) == []


def test_a_reference_is_told_with_what_is_compared():
    text = model(allow(**when("ward", "eq", "subject.ward", "subject_attrs")))
    assert told("looks-like-reference", text) == ["`ward` is compared with the text `subject.ward` itself"]


def conditions(*constants: Any, section: str = "resource_attrs") -> str:
    return model(*(allow(id=f"a{at}", **when("k", "eq", one, section)) for at, one in enumerate(constants)))


ODD = {
    "a text among flags": ((True, False, "true"), 2, "the string `true`", "`true` or `false`"),
    "yes beside one flag": ((True, "yes"), 1, "the string `yes`", "`true` or `false`"),
    "a number as text": (("5", 5), 0, "the string `5`", "a number"),
    "a number among texts": (("a", 5, "b"), 1, "the number `5`", "a string"),
    "an array among texts": (("a", ["b"], "c"), 1, "an array", "a string"),
}


@pytest.mark.parametrize(("constants", "odd", "here", "elsewhere"), ODD.values(), ids=ODD)
@pytest.mark.parametrize("section", ["resource_attrs", "context_attrs"])
def test_a_constant_unlike_all_others(constants, odd, here, elsewhere, section):
    text = conditions(*constants, section=section)
    assert told("odd-constant", text) == [f"`k` is compared with {here} here, and with {elsewhere} elsewhere"]
    assert places("odd-constant", text) == [f"$.policies[{odd}].conditions.{section}[0].value"]


@pytest.mark.parametrize(
    "constants", [("a", 5), (True, "maybe"), (1, 2.5, 3), (1, 2, "a", "b"), (1, 2, "a", True), ("5", "6"), ("true",)]
)
def test_constants_without_an_odd_one(constants):
    assert places("odd-constant", conditions(*constants)) == []


def test_an_element_of_a_list_may_be_odd():
    text = model(allow(**when("k", "in", [1, "2", 3])), allow(id="b", **when("k", "eq", 4)))
    assert places("odd-constant", text) == ["$.policies[0].conditions.resource_attrs[0].value[1]"]


def test_keys_of_other_types_and_sections_are_other_keys():
    text = model(
        allow(**when("k", "eq", True)),
        allow(id="b", **when("k", "eq", "yes"), **on("folder", "read")),
        allow(id="c", **when("k", "eq", "yes", "context_attrs")),
    )
    assert places("odd-constant", text) == []


def registered(*attributes: Any, key: str = "status", **lists: str) -> str:
    rows = [{"type": "document", "id": f"d{at}", "attributes": one} for at, one in enumerate(attributes)]
    return model(allow(**when(key, "eq", 1)), **({"resources": json.dumps(rows)} | lists))


def test_an_attribute_that_no_resource_has():
    text = registered({"state": 1}, {"size": 3})
    assert told("absent-attribute", text) == ["no registered resource of `document` has an attribute `status`"]
    assert places("absent-attribute", text) == ["$.policies[0].conditions.resource_attrs[0].key"]
    assert places("absent-attribute", registered({"status": None})) != []


PRESENT = {
    "one has it": registered({"size": 3}, {"status": 1}),
    "no resources": registered(),
    "a path": registered({"owner": {"team": 1}}, key="owner.team"),
    "a dotted name": registered({"owner.team": 1}, key="owner.team"),
    "its own id": registered({"size": 1}, key="id"),
    "declared": registered(
        {"size": 1},
        resource_types='[{"id": "document", "actions": ["read", "update"], "attributes": {"status": "number"}}]',
    ),
    "another type without resources": model_text(
        policies=json.dumps([allow(**when("status", "eq", 1), **on("*", "read"))]),
        resources='[{"type": "document", "id": "d", "attributes": {"size": 1}}]',
    ),
}


@pytest.mark.parametrize("text", PRESENT.values(), ids=PRESENT)
def test_an_attribute_that_may_be_there(text):
    assert places("absent-attribute", text) == []


def test_a_path_through_no_object_is_absent():
    assert places("absent-attribute", registered({"owner": "x"}, key="owner.team")) != []
