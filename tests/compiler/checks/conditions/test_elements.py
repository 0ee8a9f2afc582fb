"""The operators on the elements of arrays need the extension `arrays`, and an attribute that is an array (X6)."""

import json
from typing import Any

import pytest

from tests.support.diagnosing import load_text
from tests.support.linting import told


def found(condition: dict[str, Any], extensions: list[str] | None, **attributes: Any) -> list[tuple[str, str, str]]:
    """The codes, ends of places and messages of the findings of a model with one condition."""
    policy = {
        "id": "p",
        "effect": "ALLOW",
        "roles": ["r"],
        "resource_types": [{"resource_type_id": "doc", "actions": ["read"]}],
        "conditions": {"resource_attrs": [condition]},
    }
    types: dict[str, Any] = {"id": "doc", "actions": ["read"]}
    if attributes:
        types["attributes"] = attributes
    document = {"model": 1, "resource_types": [types], "roles": [{"id": "r"}], "policies": [policy]}
    if extensions is not None:
        document["extensions"] = extensions
    errors = [one for one in load_text(json.dumps(document)).diagnostics if one.severity == "error"]
    return [(one.code, one.path.rpartition(".")[2], one.message) for one in errors]


@pytest.mark.parametrize(("op", "value"), [("has", "a"), ("has_any", ["a"]), ("has_none", [])])
@pytest.mark.parametrize("extensions", [None, [], ["references"]])
def test_each_operator_names_the_extension_that_it_needs(op, value, extensions):
    """X7: without it, the model is refused."""
    condition = {"key": "labels", "op": op, "value": value}
    message = f"the operator `{op}` needs the extension `arrays`, which the model does not list"
    assert found(condition, extensions) == [("missing-extension", "op", message)]
    assert found(condition, ["arrays"]) == []


@pytest.mark.parametrize("op", ["has_any", "has_none"])
def test_a_constant_of_several_elements_is_an_array(op):
    ((code, place, message),) = found({"key": "labels", "op": op, "value": "a"}, ["arrays"])
    assert (code, place, message) == ("wrong-constant", "value", f"`{op}` compares with an array, found the string `a`")


def test_the_attribute_is_declared_as_an_array():
    condition = {"key": "labels", "op": "has", "value": 5}
    assert found(condition, ["arrays"], labels="array") == []
    ((code, place, message),) = found(condition, ["arrays"], labels="string")
    assert (code, place) == ("attribute-type", "op")
    assert message == "`labels` of the resource type `doc` is declared as string, and `has` reads arrays only"


@pytest.mark.parametrize(("op", "value"), [("has", "c"), ("has_any", ["a", "c"]), ("has_none", ["c"])])
def test_elements_are_declared_values(op, value):
    """E8: `one_of` of an array holds for each element."""
    declared = {"kind": "array", "one_of": ["a", "b"]}
    ((code, _, message),) = found({"key": "labels", "op": op, "value": value}, ["arrays"], labels=declared)
    assert (code, message) == (
        "attribute-value",
        "`labels` of the resource type `doc` has no declared value like the string `c`",
    )
    assert found({"key": "labels", "op": "has", "value": "a"}, ["arrays"], labels=declared) == []


def test_a_reference_of_several_elements_is_declared_as_an_array():
    condition = {"key": "labels", "op": "has_any", "value_of": "subject.groups"}
    assert found(condition, ["arrays", "references"], labels="array") == []
    assert [code for code, _, _ in found(condition, ["references"])] == ["missing-extension"]


def test_an_extension_that_is_used_is_no_warning():
    scope = {"resource_type_id": "doc", "actions": ["read"]}
    document: dict[str, Any] = {
        "model": 1,
        "extensions": ["arrays"],
        "resource_types": [{"id": "doc", "actions": ["read"]}],
        "policies": [{"id": "p", "effect": "ALLOW", "resource_types": [scope]}],
    }
    assert told("unused-extension", json.dumps(document)) == ["no policy uses the extension `arrays`"]
    condition = {"key": "k", "op": "has", "value": "a"}
    document["policies"] = [
        {"id": "p", "effect": "ALLOW", "resource_types": [scope], "conditions": {"resource_attrs": [condition]}}
    ]
    assert told("unused-extension", json.dumps(document)) == []
