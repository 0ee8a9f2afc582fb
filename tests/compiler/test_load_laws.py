"""Laws of loading: valid documents load, both formats alike, and nothing that a document says makes it raise."""

import json
import re

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from writ.bundles.zones import zone_names
from writ.compiler.diagnostics.codes import CODES
from writ.compiler.diagnostics.show import show_json, show_text
from writ.compiler.load import load
from writ.compiler.source import Source

from tests.support.diagnosing import load_text
from tests.support.strategies import documents

SEVERITIES = {code.name: code.severity for code in CODES} | {"too-many": None}


DECLARATIONS = {
    "attributes": {"subject": {"user": {"dept": "string"}}, "context": {"mfa": "boolean"}, "action": {}},
    "lints": [{"code": "empty-list", "on": ["p1"], "reason": "because"}, {"code": "expired", "reason": "because"}],
}


def counted(shown: str) -> int:
    """The number of diagnostics in one text: the first, the further places, and those that are only counted."""
    more = re.search(r"^  and (\d+) more$", shown, re.MULTILINE)
    return 1 + len(re.findall("^  also at ", shown, re.MULTILINE)) + (int(more[1]) if more else 0)


def check(data: bytes, name: str):
    """Load and show; whatever comes out is well formed."""
    sources = [Source(name, data)]
    loaded = load(sources, zone_names())
    assert (loaded.model is None) == any(found.severity == "error" for found in loaded.diagnostics)
    for found in loaded.diagnostics:
        assert SEVERITIES[found.code] in (found.severity, None)
        assert found.file == name
        assert found.line >= 1
        assert found.column >= 1
        assert found.message.isprintable()
        assert not found.message.endswith(".")
        assert found.path.startswith("$")
    assert len(json.loads(show_json(loaded.diagnostics))) == len(loaded.diagnostics)
    assert sum(map(counted, show_text(loaded.diagnostics, sources))) == len(loaded.diagnostics)
    return loaded


@given(documents())
def test_a_valid_document_loads_and_both_formats_say_the_same(document):
    from_json = load_text(json.dumps(document), "model.json")
    from_yaml = load_text(yaml.safe_dump(document, allow_unicode=True), "model.yaml")
    assert from_json.model is not None, from_json.diagnostics
    assert from_json.model == from_yaml.model


@settings(max_examples=40)
@pytest.mark.parametrize("name", ["m.json", "m.yaml"])
@given(document=documents(), data=st.data())
def test_a_document_with_anything_in_any_place_is_diagnosed(name, document, data):
    document |= DECLARATIONS
    check(json.dumps(replaced(document, data), ensure_ascii=data.draw(st.booleans())).encode(errors="replace"), name)


@settings(max_examples=50)
@pytest.mark.parametrize("name", ["m.json", "m.yaml"])
@given(document=documents(), data=st.data())
def test_a_document_with_bytes_changed_is_diagnosed(name, document, data):
    text = json.dumps(document).encode()
    at = data.draw(st.integers(0, len(text)))
    gone = data.draw(st.integers(0, 8))
    put = data.draw(
        st.binary(max_size=4) | st.sampled_from([b"NaN", b"1e999", b"[" * 40, b'\\ud800"', b"&a ", b"*a", b"<<: "])
    )
    check(text[:at] + put + text[at + gone :], name)


@given(st.binary(max_size=60), st.sampled_from(["m.json", "m.yaml"]))
def test_any_bytes_are_diagnosed(data, name):
    check(data, name)


def replaced(value, data):
    """`value` with one part, at any depth, replaced by any JSON value or its name by any string."""
    if isinstance(value, dict) and value and data.draw(st.integers(0, 3)):
        name = data.draw(st.sampled_from(sorted(value)))
        if data.draw(st.integers(0, 5)) == 0:
            return {data.draw(st.text(max_size=5)) if key == name else key: member for key, member in value.items()}
        return value | {name: replaced(value[name], data)}
    if isinstance(value, list) and value and data.draw(st.integers(0, 3)):
        place = data.draw(st.integers(0, len(value) - 1))
        return [*value[:place], replaced(value[place], data), *value[place + 1 :]]
    scalars = (
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.sampled_from(["*", "\ud800"])
    )
    return data.draw(st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=2), inner)))
