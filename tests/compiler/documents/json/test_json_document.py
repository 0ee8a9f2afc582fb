"""Reading JSON: syntax, the faults that any value can have, limits, and windows of the text that cut everything."""

import gc
import json
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.compiler import source
from writ.compiler.documents.json.json_cursor import JsonCursor
from writ.compiler.limits import DEFAULTS, Limits
from writ.compiler.load import load
from writ.compiler.source import Source, SourceText

from tests.support.diagnosing import load_text, model_text, seen

SUBJECT = '[{"type": "user", "id": "u", "attributes": {"a": %s}}]'

VALUES = {
    "NaN": [("not-a-number", "NaN")],
    "[1, -Infinity]": [("not-a-number", "-Infinity")],
    "1e999": [("not-a-number", "1e999")],
    '{"x": 1, "y": 2, "x": 3}': [("duplicate-member", '"x"')],
    '[{"x": 1, "x": NaN}]': [("duplicate-member", '"x"'), ("not-a-number", "NaN")],
    "1" * 4_301: [("too-long", "1" * 4_301)],
    "1" * 4_300: [],
    "-" + "1" * 4_300: [("too-long", "-" + "1" * 4_300)],
    r'"\ud800"': [("lone-surrogate", r'"\ud800"')],
    r'{"\udfff": 1}': [("lone-surrogate", r'"\udfff"')],
    r'"\ud83d\ude00"': [],
    '"' + "x" * 65_536 + '"': [],
    '"' + "x" * 65_537 + '"': [("too-long", '"' + "x" * 65_537 + '"')],
    '"' + "ø" * 32_769 + '"': [("too-long", '"' + "ø" * 32_769 + '"')],
    '{"%s": 1}' % ("k" * 256): [],
    '{"%s": 1}' % ("k" * 257): [("too-long", '"' + "k" * 257 + '"')],
    "[" * 28 + "]" * 28: [],
    "[" * 29 + "]" * 29: [("too-deep", "[")],
    "[" * 500 + "]" * 500: [("too-deep", "[")],
    "null": [],
}


@pytest.mark.parametrize("value", VALUES, ids=lambda value: value[:30])
def test_faults_that_any_value_can_have(value):
    assert seen(model_text(subjects=SUBJECT % value)) == VALUES[value]


def test_a_number_of_many_digits_is_read_exactly():
    model = load_text(model_text(subjects=SUBJECT % ("9" * 4_300))).model
    assert model.subjects[0].attributes == {"a": 10**4_300 - 1}


SYNTAX = {
    "": ("wrong-type", 1, 1, "the document is empty"),
    "\n\n": ("wrong-type", 3, 1, "the document is empty"),
    "{": ("syntax", 1, 2, "expected a member's name in double quotes, found the end of the document"),
    '{"model": 1': ("syntax", 1, 12, "expected `,` or `}`, found the end of the document"),
    '{"model" 1}': ("syntax", 1, 10, "expected `:`, found `1`"),
    '{"model": 1,}': ("syntax", 1, 13, "expected a member's name in double quotes, found `}`"),
    '{"model": 1}\n{}': ("syntax", 2, 1, "there is more text after the end of the document"),
    '{"model": 1, "roles": [{"id": "a"} {"id": "b"}]}': ("syntax", 1, 36, "expected `,` or `]`, found `{`"),
    '{"model": 1, "roles": [{"id": "a"},]}': ("syntax", 1, 36, "expected a value, found `]`"),
    '{"model": 1, "roles": [{"id": "a}]}': ("syntax", 1, 31, "the string does not end"),
    '{"model": 1, "roles": [{"id": "\t"}]}': (
        "syntax",
        1,
        32,
        r"a string can't contain the character `\t` without an escape",
    ),
    "{'model': 1}": ("syntax", 1, 2, "expected a member's name in double quotes, found `'`"),
    '{"model": 1, "roles": [{"id": tru}]}': ("syntax", 1, 31, "expected a value, found `t`"),
    '{"model": ' + "[" * 100_000 + "]" * 100_000 + "}": ("too-deep", 1, 11, None),
}


@pytest.mark.parametrize("text", SYNTAX, ids=lambda text: text[:40])
def test_syntax(text):
    code, line, column, message = SYNTAX[text]
    found = load_text(text).diagnostics[-1]
    assert (found.code, found.line, found.column) == (code, line, column)
    assert message in (found.message, None)


HELP = {
    '{"model": 1,}': "leave out the comma before it",
    '{"model": 1, "roles": [{"id": "a",}]}': "leave out the comma before it",
    '{"model": 1, "roles": [{"id": "a"},]}': "leave out the comma before it",
    '{"model": 1, "roles": [{"id": "a" , \n                        }]}': "leave out the comma before it",
    '{"model": 1, "roles": [{"id": ["a" ,\n ]}]}': "leave out the comma before it",
    '{"model": 1, "roles": []]}': "",
    '{"model": ]}': "",
    "{'model': 1}": "write double quotes",
    '{"model": 1 // one\n}': "JSON has no comments",
    '{"model": 1, "roles": [# none\n]}': "JSON has no comments",
    "[]": 'write `{"model": 1}` with the lists in it',
}


@pytest.mark.parametrize("text", HELP)
def test_help(text):
    (found,) = load_text(text).diagnostics
    assert found.help == HELP[text]


def test_what_stands_before_a_syntax_error_is_checked():
    assert seen('{"model": 1, "roles": [{"id": 1}, {"id" 2}]}') == [("wrong-type", "1"), ("syntax", "2")]


def test_names_behind_a_syntax_error_are_not_called_unknown():
    assignment = '{"role": "later", "subject": {"type": "user", "id": "u"}}'
    text = f'{{"model": 1, "assignments": [{assignment}], "roles": [{{"id": "later"}} x]}}'
    assert seen(text) == [("syntax", "x")]


def test_text_that_is_not_utf8():
    data = '{"model": 1,\n "roles": [{"id": "é'.encode() + b'\xff"}]}'
    (found,) = load([Source("model.json", data)], ()).diagnostics
    assert (found.code, found.line, found.column) == ("bad-encoding", 2, 21)
    assert found.message == "the byte 0xff is not UTF-8"


def test_a_byte_order_mark_is_skipped():
    assert seen('\ufeff{"model": 2}'.removeprefix("\ufeff")) == [("unknown-version", "2")]
    (found,) = load_text('\ufeff{"model": 2}').diagnostics
    assert (found.line, found.column) == (1, 11)


def test_a_document_over_the_limit():
    (found,) = load_text('{"model": 1}', limits=Limits(document_bytes=11)).diagnostics
    assert (found.code, found.line, found.column) == ("too-large", 0, 0)
    assert found.message == "the document has 12 bytes, the limit is 11"


ROLES = st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12), max_size=8, unique=True)


@given(ROLES, st.integers(4, 40), st.sampled_from([None, 1, 7]), st.booleans())
def test_windows_of_any_size_read_the_same(ids, size, indent, escape):
    """Values, and the places of faults, do not depend on where the text is cut."""
    document = {"model": 1, "roles": [{"id": name} for name in ids], "groups": [{"id": 12345678}, 1500.25, True]}
    text = json.dumps(document, indent=indent, ensure_ascii=escape)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "CHUNK_BYTES", size)
        assert seen(text) == [("wrong-type", "12345678"), ("wrong-type", "1500.25"), ("wrong-type", "true")]
        clean = json.dumps({"model": 1, "roles": document["roles"]}, indent=indent, ensure_ascii=escape)
        assert [role.id for role in load_text(clean).model.roles] == ids


@given(st.integers(4, 9), st.integers(0, 60))
def test_a_cut_document_is_a_syntax_error_at_its_end(size, end):
    text = '{"model": 1, "roles": [{"id": "aæ"}, {"id": "\\u00e6", "name": "b"}]}'[:end]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "CHUNK_BYTES", size)
        found = load_text(text).diagnostics[-1]
    assert found.code in ("syntax", "wrong-type")
    assert found.line == 1
    assert found.column <= len(text) + 1


def test_a_document_leaves_memory_as_soon_as_it_is_read():
    """While models are compiled, the garbage collection is off, and it would find a circle only later."""
    text = SourceText(Source("model.json", b'{"model": 1}'))
    is_alive = weakref.ref(text)
    JsonCursor(text, DEFAULTS).value()
    gc.disable()
    try:
        del text
        assert is_alive() is None
    finally:
        gc.enable()
