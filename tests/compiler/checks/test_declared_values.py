"""Constants are among the declared values of their attribute, and declarations list values of their type."""

import json
from typing import Any

import pytest
from writ.bundles.zones import zone_names
from writ.compiler.load import load
from writ.compiler.model.same_element import same_element
from writ.compiler.source import Source

from tests.support.diagnosing import compared, conditions, load_text, model_text

DECLARED = {
    "status": {"kind": "string", "one_of": ["draft", "final"]},
    "size": {"kind": "number", "one_of": [1, 2.5]},
    "tags": {"kind": "array", "one_of": ["a", 1]},
    "until": "instant",
    "free": {"kind": "string", "required": True},
}
TYPES = json.dumps([{"id": "document", "actions": ["read"], "attributes": DECLARED}])


def typed(op: str, value: str, key: str) -> str:
    return compared(op, value, key, "document", resource_types=TYPES)


def declaring(declaration: Any) -> str:
    declared = [{"id": "document", "actions": ["read"], "attributes": {"k": declaration}}]
    return model_text(resource_types=json.dumps(declared))


CONTEXT = json.dumps({"context": {"level": {"kind": "string", "one_of": ["low", "high"]}}})
SUBJECT = json.dumps(
    {"subject": {"user": {"level": {"kind": "string", "one_of": ["low"]}}, "bot": {"level": "string"}}}
)
LEVEL = [{"key": "level", "op": "eq", "value": "hgih"}]

CASES = {
    "listed": (typed("eq", '"draft"', "status"), []),
    "not listed": (typed("eq", '"drfat"', "status"), [("attribute-value", '"drfat"')]),
    "not listed, negated": (typed("ne", '"open"', "status"), [("attribute-value", '"open"')]),
    "one of several": (typed("nin", '["final", "open"]', "status"), [("attribute-value", '"open"')]),
    "a pattern": (typed("regex", '"^d"', "status"), []),
    "an order": (typed("gt", "0", "size"), []),
    "an equal number": (typed("eq", "1.0", "size"), []),
    "another number": (typed("in", "[1, 2]", "size"), [("attribute-value", "2")]),
    "another type is told once": (typed("eq", '"1"', "size"), [("attribute-type", '"1"')]),
    "elements": (typed("eq", '["a", 1, true]', "tags"), [("attribute-value", "true")]),
    "elements of arrays": (typed("in", '[["a"], ["b"]]', "tags"), [("attribute-value", '"b"')]),
    "an instant": (typed("eq", '"2027-01-31T09:00+01:00"', "until"), []),
    "the order of instants": (typed("lt", '"2027-01-31T09:00:00Z"', "until"), []),
    "a pattern of instants": (typed("regex", '"^2027"', "until"), []),
    "no instant": (typed("eq", '"2027-01-31"', "until"), [("attribute-type", '"2027-01-31"')]),
    "a number for an instant": (typed("eq", "0", "until"), [("attribute-type", "0")]),
    "required": (typed("eq", '"x"', "free"), []),
    "the context": (
        conditions(json.dumps({"context_attrs": LEVEL}), attributes=CONTEXT),
        [("attribute-value", '"hgih"')],
    ),
    "one subject type lists no values": (conditions(json.dumps({"subject_attrs": LEVEL}), attributes=SUBJECT), []),
    "no values": (declaring({"kind": "string", "one_of": []}), [("empty", "[")]),
    "null": (declaring({"kind": "string", "one_of": ["a", None]}), [("null-constant", "null")]),
    "a null inside": (
        declaring({"kind": "array", "one_of": [{"a": None}, {"a": 1}, 2, [None]]}),
        [("null-constant", "null"), ("null-constant", "null")],
    ),
    "values of another type": (declaring({"kind": "number", "one_of": [1, "2"]}), [("attribute-type", '"2"')]),
    "values that are no instants": (declaring({"kind": "instant", "one_of": ["now"]}), [("attribute-type", '"now"')]),
    "no list": (declaring({"kind": "string", "one_of": "a"}), [("wrong-type", '"a"')]),
    "no kind": (declaring({"one_of": ["a"]}), [("missing-member", "{")]),
    "another member": (declaring({"kind": "string", "oneOf": ["a"]}), [("unknown-member", '"oneOf"')]),
}


def test_faults_are_found_where_they_are(found, expected):
    assert found == expected


HELP = {
    "not listed": "did you mean `draft`?",
    "not listed, negated": "write `draft` or `final`",
    "another number": "write `1` or `2.5`",
    "the context": "did you mean `high`?",
    "no instant": "write an instant like `2027-01-31T09:00:00Z`: RFC 3339, with an offset",
}


def test_help_names_what_was_meant(found_help, expected):
    assert found_help == expected


def test_messages_name_what_declares_the_values():
    assert load_text(CASES["not listed"][0]).diagnostics[0].message == (
        "`status` of the resource type `document` has no declared value like the string `drfat`"
    )


def loaded(declaration: Any, name: str = "a.json") -> Any:
    model = {"model": 1, "attributes": {"action": {"k": declaration}}}
    return load([Source(name, json.dumps(model).encode())], zone_names())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("string", {"kind": "string"}),
        ("string", {"kind": "string", "required": False}),
        ({"kind": "number", "one_of": [1, 2]}, {"kind": "number", "one_of": [2.0, 1, 1]}),
    ],
)
def test_spellings_of_a_declaration_mean_the_same(one, other):
    (first,), (second,) = loaded(one).model.attributes, loaded(other).model.attributes
    assert same_element(first, second)


def source(number: int, *values: str) -> Source:
    declared = {"action": {"k": {"kind": "string", "one_of": values}}}
    return Source(f"{number}.json", json.dumps({"model": 1, "attributes": declared}).encode())


def test_two_documents_agree_on_the_values():
    sources = [source(0, "a", "b"), source(1, "b", "a")]
    assert load(sources, zone_names()).diagnostics == ()
    (found,) = load([*sources, source(2, "a", "c")], zone_names()).diagnostics
    assert found.code == "attribute-conflict"
    assert found.message == (
        '`k` is declared as string one of ["a","c"] here, and as string one of ["a","b"] in another document'
    )
