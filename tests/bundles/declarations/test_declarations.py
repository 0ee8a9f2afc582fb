"""The section of declared attributes: the same bytes for the same declarations, and clear errors for others."""

from typing import Any

import pytest
from writ.bundles.declarations.declarations import (
    NO_DECLARATIONS,
    Declarations,
    Declared,
    decode_declarations,
    encode_declarations,
)
from writ.bundles.errors import BundleError
from writ.bundles.file.in_memory import bundle_in_memory

from tests.support.bundling import compiled

SIZE = {"kind": "number", "one_of": [2, 1.0]}
MODEL: dict[str, Any] = {
    "resource_types": [
        {"id": "d", "name": "document", "actions": ["read"], "attributes": {"size": SIZE}},
        {"id": "bare", "actions": ["read"], "attributes": {}},
        {"id": "open", "actions": ["read"]},
    ],
    "attributes": {
        "subject": {"user": {"hired": "instant"}},
        "context": {"risk": {"kind": "number", "required": True, "one_of": [2**61]}},
    },
}
DECLARED = Declarations(
    resources={"d": {"size": Declared("number", (1, 2))}, "bare": {}},
    subjects={"user": {"hired": Declared("instant")}},
    context={"risk": Declared("number", (2**61,), required=True)},
)


def test_a_bundle_has_the_declared_attributes():
    bundle = bundle_in_memory(compiled(MODEL).write)
    bundle.verify()
    assert bundle.declarations() == DECLARED == bundle.program().declarations


def test_a_model_without_declarations_has_an_empty_section():
    bundle = bundle_in_memory(compiled({"resource_types": [{"id": "d", "actions": ["read"]}]}).write)
    assert bundle.declarations() == NO_DECLARATIONS
    assert bundle.sections["declarations"].size == 0


def test_equal_declarations_have_equal_bytes():
    types = [{**MODEL["resource_types"][0], "attributes": {"size": {"one_of": [1, 2.0, 1], "kind": "number"}}}]
    other = MODEL | {"resource_types": [*reversed(MODEL["resource_types"][1:]), *types]}
    one, two = (encode_declarations(compiled(model).program.declarations) for model in (MODEL, other))
    assert one == two
    assert decode_declarations(one, {"d": 0, "bare": 1}) == DECLARED


@pytest.mark.parametrize(
    "data",
    [
        b"{",
        b"[]",
        b'{"other":{}}',
        b'{"action":{"a":["text",null,false]}}',
        b'{"action":{"a":"string"}}',
        b'{"resources":{"other":{}}}',
        b'{"action":' + b"[" * 100_000,
        b"\xff",
    ],
)
def test_other_bytes_are_refused(data):
    with pytest.raises(BundleError, match="the bundle is damaged"):
        decode_declarations(data, {"d": 0})
