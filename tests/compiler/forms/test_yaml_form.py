"""The YAML that is written is read back as what it was written from (YAML 1.2, chapters 5.4 and 8.1.1)."""

import json

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from writ.compiler.documents.yaml.document import yaml_value
from writ.compiler.forms.form import document
from writ.compiler.forms.yaml_form import YamlForm
from writ.compiler.limits import Limits
from writ.compiler.model.elements import ElementKind
from writ.compiler.source import Source

BREAKS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
ODD = BREAKS + "\t \xa0\xad\ufeff\ufffe\x00\x07\x1b\x7f\x9f\u200b\u202e\u3000\ud7ff\ue000\uffff\U0001f600\U0010ffff"
SIGNS = "-?:,[]{}#&*!|>'\"%@`~=<.0123456789eExXoOnNyY\\/"
TEXTS = st.text(st.one_of(st.sampled_from(ODD), st.sampled_from(SIGNS), st.characters(codec="utf-8"), st.just("a")))
VALUES = st.recursive(
    TEXTS | st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


def written(*bodies: object) -> str:
    """Returns the document with these elements."""
    pieces = document(YamlForm(), [(ElementKind.ROLES, [json.dumps(body).encode() for body in bodies])])
    return b"".join(pieces).decode()


def check(text: str, *bodies: object) -> None:
    """Checks that Writ reads `bodies` in the document."""
    value = yaml_value(Source("written.yaml", text.encode()), Limits())
    assert json.dumps(value) == json.dumps({"model": 1, "roles": [*bodies]}), text


@settings(max_examples=180)
@given(TEXTS)
@example("a\u2028b")
@example("a\u2029 b")
@example("lines\n\n\n")
@example("a\x85\nb")
@example("a\x0c\nb\n")
@example("\n")
@example("  a\n b\n")
@example("a \nb")
@example("---\n...\n")
@example("a\n\ufeffb")
def test_a_text_is_read_back(text):
    """As a value, as a name, and before another element."""
    bodies = ({"id": text}, {"id": "a", text: [text, {"x": text}]}, {"description": text})
    check(written(*bodies), *bodies)


@settings(max_examples=60)
@given(VALUES)
def test_a_value_is_read_back(value):
    check(written({"value": value}, {"id": "b"}), {"value": value}, {"id": "b"})


@settings(max_examples=120)
@given(st.text(st.one_of(st.sampled_from(BREAKS + "\t a:"), st.characters(codec="utf-8", exclude_categories=["Cs"]))))
def test_another_reader_reads_the_same(text):
    """PyYAML's safe loader, by the rules of YAML 1.1."""
    assert yaml.safe_load(written({"id": text}))["roles"] == [{"id": text}]


@pytest.mark.parametrize("text", ["first\nsecond", "first\nsecond\n", "if x:\n  y\n"])
def test_plain_lines_stay_lines(text):
    """People read and review them."""
    assert "|" in written({"description": text})
