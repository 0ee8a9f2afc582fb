"""`has passed`, `is still to come` and `now`: comparisons with the instant of the request (X5)."""

import pytest
from writ.bundles.program.clauses import AgainstNow
from writ.compiler.language.writing.atoms import atom_text
from writ.compiler.language.writing.format import formatted

from tests.support.writ_texts import load_writ

POLICY = """\
policy p
    allow everyone to read document
    when resource.until {}
    and context.mfa is true
"""
TYPE = "type document\n    actions read\n\n"


def loaded(words, extensions="extensions now\n\n"):
    return load_writ(extensions + TYPE + POLICY.format(words))


@pytest.mark.parametrize(
    ("words", "op", "written"),
    [
        ("has passed", "lte", "has passed"),
        ("<= now", "lte", "has passed"),
        ("is still to come", "gt", "is still to come"),
        ("> now", "gt", "is still to come"),
        ("< now", "lt", "< now"),
        (">= now", "gte", ">= now"),
    ],
)
def test_each_operator_is_read_and_written(words, op, written):
    model = loaded(words).model
    (condition,) = model.policies[0].conditions.resource_attrs
    assert (condition.op, condition.value_of) == (op, "now")
    assert formatted(POLICY.format(words)) == POLICY.format(written)
    assert atom_text(AgainstNow("resource_attrs", "until", condition.op)) == f"resource.until {written}"


@pytest.mark.parametrize("words", ["is still", 'is "now"', 'is "still"'])
def test_other_texts_stay_texts(words):
    model = load_writ(TYPE + POLICY.format(words)).model
    (condition,) = model.policies[0].conditions.resource_attrs
    assert (condition.op, condition.value) == ("eq", words.split()[1].strip('"'))
    assert condition.value_of is None


@pytest.mark.parametrize("words", ["has passed", "< now", "is still to come", "is now"])
def test_without_the_extension_each_form_is_an_error_that_names_it(words):
    """X7."""
    found = [one for one in loaded(words, "").diagnostics if one.code == "missing-extension"]
    assert [one.help for one in found] == ["add `now` to `extensions`"]


@pytest.mark.parametrize("words", ["is now", "is not now", "matches now"])
def test_an_operator_without_an_order_is_an_error(words):
    assert "bad-reference" in [one.code for one in loaded(words).diagnostics]


def test_the_lint_says_that_filters_leave_it_open():
    found = [one for one in loaded("has passed").diagnostics if one.code == "open-instant"]
    assert len(found) == 1
    assert "gates" in found[0].help
