"""Laws of the language: text and document say the same, and formatting changes nothing that is said."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from writ.compiler.language.writing.format import formatted
from writ.compiler.language.writing.layout import WIDTH

from tests.support.strategies_pick import Pick
from tests.support.writ_spelling import hostile_model, respelt
from tests.support.writ_texts import CORPUS, as_text, bundle_bytes, comments, load_json, load_writ, meanings, read

SEEDS = st.integers(0, 2**32)


@given(SEEDS)
def test_a_model_is_the_same_as_text(seed):
    """The same elements, the same warnings, and the same bundle."""
    before = load_json(in_short(hostile_model(Pick.seeded(seed))))
    assert before.model is not None, before.diagnostics
    text = as_text(before.model)
    after = load_writ(text)
    assert after.diagnostics == () or after.model is not None, (text, after.diagnostics)
    assert after.model == before.model
    assert sorted(one.code for one in after.diagnostics) == sorted(one.code for one in before.diagnostics)
    assert bundle_bytes(after.model) == bundle_bytes(before.model)


@given(SEEDS)
def test_empty_lists_of_conditions_are_all_that_text_leaves_out(seed):
    """A document may have empty `conditions`, empty lists of comparisons in it, and objects that only name a kind."""
    before = load_json(hostile_model(Pick.seeded(seed))).model
    assert meanings(load_writ(as_text(before)).model) == meanings(before)


def test_empty_attributes_say_nothing_and_leave_no_line():
    """Fuzzing found two blank lines, which the formatter does not keep."""
    lists = {"roles": [{"id": "r"}], "attributes": {}, "lints": [{"code": "unused-role", "reason": "soon"}]}
    text = as_text(load_json({"model": 1, **lists}).model)
    assert text.startswith("role r\n\n")
    assert text == formatted(text)
    assert "\n\n\n" not in text


def in_short(document):
    """A document without empty lists of conditions, and with attributes declared by a word where one says all."""
    for policy in document.get("policies", ()):
        conditions = {name: found for name, found in policy.get("conditions", {}).items() if found != []}
        policy.pop("conditions", None)
        policy |= {"conditions": conditions} if conditions else {}
    for kinds in document.get("attributes", {}).values():
        short = {key: one["kind"] for key, one in kinds.items() if isinstance(one, dict) and one.keys() == {"kind"}}
        kinds |= short
    return document


@given(SEEDS)
def test_a_written_model_is_formatted(seed):
    text = as_text(load_json(hostile_model(Pick.seeded(seed))).model)
    assert formatted(text) == text


@pytest.mark.parametrize("name", CORPUS)
def test_the_corpus_keeps_its_meaning(name):
    text = CORPUS[name]
    form = formatted(text)
    assert formatted(form) == form
    assert comments(form) == comments(text)
    before, after = load_writ(text).model, load_writ(form).model
    assert meanings(after) == meanings(before)
    assert bundle_bytes(after) == bundle_bytes(before)
    written = as_text(before)
    assert formatted(written) == written
    assert meanings(load_writ(written).model) == meanings(before)
    assert bundle_bytes(load_writ(written).model) == bundle_bytes(before)


@pytest.mark.parametrize("name", CORPUS)
@settings(max_examples=5)
@given(seed=SEEDS)
def test_formatting_a_respelt_text_keeps_meaning_and_comments(name, seed):
    plain = formatted(as_text(load_writ(CORPUS[name]).model))
    check_respelt(plain, respelt(Pick.seeded(seed), plain))


@given(SEEDS)
def test_formatting_a_respelt_model_keeps_meaning_and_comments(seed):
    plain = as_text(load_json(hostile_model(Pick.seeded(seed))).model)
    check_respelt(plain, respelt(Pick.seeded(seed), plain))


def check_respelt(plain, text):
    form = formatted(text)
    assert formatted(form) == form
    assert read(form) == read(text) == read(plain)
    assert comments(form) == comments(text)
    assert bundle_bytes(load_writ(form).model) == bundle_bytes(load_writ(plain).model)
    lines = form.split("\n")
    assert form == "" or lines[-1] == ""
    assert "" not in (lines[0], lines[-2:][0]) or form == ""
    for line in lines:
        assert not line.endswith((" ", "\t", "\r")), line
        breakable = "," in line[: WIDTH // 2] and not any(one in line for one in "#\"'")
        assert len(line) <= WIDTH or not breakable or max(map(len, line.split())) > WIDTH // 2


@pytest.mark.parametrize(
    ("said", "form"),
    [
        ("a, b", '["a", "b"]'),
        ("true, false", "[true, false]"),
        ('"a", null, true', '["a", null, true]'),
        ("[1], [2]", "[[1], [2]]"),
        ("[1], 2", "[[1], 2]"),
        ("1, {a: 2}", "[1, {a: 2}]"),
        ("[1]", "[1]"),
        ("1", "[1]"),
        ("{a: 1}", "[{a: 1}]"),
        ("[1,]", "[1,]"),
    ],
)
def test_a_list_of_constants_gets_its_brackets(said, form):
    head = "policy p\n    allow everyone to read doc\n    when resource.x in "
    assert formatted(f"{head}{said}") == f"{head}{form}\n"
    assert read(f"{head}{said}") == read(f"{head}{form}")
