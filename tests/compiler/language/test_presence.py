"""`is present`: the words for a `nin` with an empty array (C5)."""

import pytest
from writ.compiler.language.writing.format import formatted

from tests.support.writ_texts import load_writ

POLICY = """\
policy p
    allow everyone to read document
    when resource.owner {}
    and context.mfa is true
"""
TYPE = "type document\n    actions read\n\n"


def condition_of(words):
    result = load_writ(TYPE + POLICY.format(words))
    assert result.model is not None, result.diagnostics
    assert not [one for one in result.diagnostics if one.code == "empty-list"]
    (condition,) = result.model.policies[0].conditions.resource_attrs
    return condition


@pytest.mark.parametrize("words", ["is present", "not in []", "not in [ ]", "is  present"])
def test_it_is_read_and_formatted(words):
    condition = condition_of(words)
    assert (condition.op, condition.value) == ("nin", [])
    assert formatted(POLICY.format(words)) == POLICY.format("is present")


@pytest.mark.parametrize("words", ['is "present"', 'is not "present"', "in []", 'not in ["present"]'])
def test_other_conditions_keep_their_words(words):
    assert formatted(POLICY.format(words)).count("is present") == 0


def test_a_comment_inside_stays():
    text = POLICY.format("not in  # any\n        []")
    assert "# any" in formatted(text)
    assert formatted(formatted(text)) == formatted(text)
