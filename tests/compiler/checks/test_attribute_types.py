"""Conditions fit the attributes that their types declare."""

from tests.support.diagnosing import compared, conditions, model_text, policy, seen

TYPED = (
    '[{"id": "document", "actions": ["read"], "attributes": {"status": "string", "size": "number", "held": "boolean",'
    '"tags": "array", "meta": "object", "a.b": "number"}}, {"id": "open", "actions": ["read"]}]'
)


def typed(op: str, value: str, key: str, on: str = "document") -> str:
    return compared(op, value, key, on, resource_types=TYPED)


CASES = {
    "undeclared": (typed("eq", "1", "siez"), [("unknown-attribute", '"siez"')]),
    "undeclared on a type without declarations": (typed("eq", "1", "siez", on="open"), []),
    "string": (typed("eq", '"draft"', "status"), []),
    "number for string": (typed("ne", "1", "status"), [("attribute-type", "1")]),
    "string for number": (typed("gt", '"1"', "size"), [("attribute-type", '"1"')]),
    "flag for number": (typed("eq", "true", "size"), [("attribute-type", "true")]),
    "real for number": (typed("lt", "1.5", "size"), []),
    "flag": (typed("eq", "false", "held"), []),
    "elements": (typed("in", '["a", 1, "b", true]', "status"), [("attribute-type", "1"), ("attribute-type", "true")]),
    "array as a whole": (typed("eq", '["a"]', "tags"), []),
    "arrays in a list": (typed("in", '[["a"], ["b"]]', "tags"), []),
    "string for array": (typed("eq", '"a"', "tags"), [("attribute-type", '"a"')]),
    "object": (typed("eq", '{"a": 1}', "meta"), []),
    "order of an array": (typed("gt", "1", "tags"), [("attribute-type", '"gt"')]),
    "pattern on a number": (typed("regex", '"1"', "size"), [("attribute-type", '"regex"')]),
    "pattern on a string": (typed("regex", '"1"', "status"), []),
    "path into an object": (typed("eq", "1", "meta.x.y"), []),
    "path into a string": (typed("eq", "1", "status.x"), [("attribute-type", '"status.x"')]),
    "path into nothing": (typed("eq", "1", "mata.x"), [("unknown-attribute", '"mata.x"')]),
    "dotted name": (typed("eq", '"x"', "a.b"), [("attribute-type", '"x"')]),
    "own keys": (typed("eq", "1", "id"), []),
    "own type": (typed("eq", '"document"', "type"), []),
    "every type, one has it": (typed("eq", "1", "size", on="*"), []),
    "every type, one is open": (typed("eq", "1", "other", on="*"), []),
    "every type, none has it": (
        compared("eq", "1", "other", "*", resource_types=TYPED.replace(', {"id": "open", "actions": ["read"]}', "")),
        [("unknown-attribute", '"other"')],
    ),
    "a null is reported once": (typed("eq", "null", "size"), [("null-constant", "null")]),
    "other sections are free": (
        conditions('{"subject_attrs": [{"key": "x", "op": "eq", "value": 1}]}', resource_types=TYPED),
        [],
    ),
}


def test_faults_are_found_where_they_are(found, expected):
    assert found == expected


HELP = {
    "undeclared": "did you mean `size`?",
}


def test_help(found_help, expected):
    assert found_help == expected


def test_several_types_are_checked_one_by_one():
    types = TYPED.replace(
        '"open", "actions": ["read"]', '"open", "actions": ["read"], "attributes": {"status": "number"}'
    )
    both = policy('{"resource_attrs": [{"key": "status", "op": "eq", "value": "x"}]}').replace(
        '[{"resource_type_id"', '[{"resource_type_id": "open", "actions": ["read"]}, {"resource_type_id"'
    )
    assert seen(model_text(resource_types=types, policies=both)) == [("attribute-type", '"x"')]
