"""Documents other than models: their values, and the places of the parts of these values."""

import pytest
from writ.compiler.diagnostics.findings import Findings
from writ.compiler.documents.placed_value import read_value
from writ.compiler.limits import DEFAULTS
from writ.compiler.source import Source

JSON = '\ufeff {"a": [1, {"b": "x"}],\n "c": null}'
YAML = "a:\n  - 1\n  - {b: x}\nc: ~\n"


@pytest.mark.parametrize(
    ("name", "text", "part"), [("x.json", JSON, '"x"'), ("x.yaml", YAML, "x"), ("x.yml", YAML, "x")]
)
def test_a_value_and_its_places(name, text, part):
    findings = Findings(10)
    document, value = read_value(Source(name, text.encode()), DEFAULTS, findings, "write it")
    assert value == {"a": [1, {"b": "x"}], "c": None}
    assert not findings.errors
    span = document.span(("a", 1, "b"), at_key=False)
    assert document.text.slice(span.offset, span.offset + span.length) == part
    key = document.span(("a", 1, "b"), at_key=True)
    assert document.text.slice(key.offset, key.offset + key.length).strip('"') == "b"


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("x.json", b"", "wrong-type"),
        ("x.json", b"{} {}", "syntax"),
        ("x.json", b"\xff", "bad-encoding"),
        ("x.json", b'{"a": 1, "a": 2}', "duplicate-member"),
        ("x.yaml", b"a: [", "syntax"),
        ("x.yaml", b"a: !x 1", "yaml-tag"),
        ("x.yaml", b"<<: {}", "merge-key"),
        ("x.yaml", b"a: 1e999", "not-a-number"),
    ],
)
def test_what_can_not_be_read_is_a_finding(name, data, code):
    findings = Findings(10)
    document, value = read_value(Source(name, data), DEFAULTS, findings, "write it")
    assert value is None
    assert [one.code for one in findings.diagnostics([document])] == [code]
