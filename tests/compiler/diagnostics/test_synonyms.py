"""Words of other products, and misspelt ones, are told what is meant here."""

import pytest

from tests.support.diagnosing import FORMATS, compared, load_text, model_text, policy

OPERATORS = {
    "=": "eq",
    "==": "eq",
    "equals": "eq",
    "Equals": "eq",
    "StringEquals": "eq",
    "!=": "ne",
    "not_equals": "ne",
    "neq": "ne",
    ">": "gt",
    "greater_than": "gt",
    ">=": "gte",
    "ge": "gte",
    "<": "lt",
    "less-than-or-equal": "lte",
    "one_of": "in",
    "not_in": "nin",
    "not in": "nin",
    "notIn": "nin",
    "like": "regex",
    "matches": "regex",
    "regexp": "regex",
    "EQ": "eq",
    "lessthan": "lt",
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("word", OPERATORS)
def test_operators(word, name):
    assert help_for(compared(word, "[]"), name) == f"did you mean `{OPERATORS[word]}`?"


def test_there_is_no_help_rather_than_a_guess():
    assert help_for(compared("sounds_like", "1")) == ""


@pytest.mark.parametrize(
    ("word", "effect"), {"Allow": "ALLOW", "permit": "ALLOW", "deny": "DENY", "Forbid": "DENY", "ALOW": "ALLOW"}.items()
)
def test_effects(word, effect):
    assert help_for(model_text(policies=policy(effect=word))) == f"did you mean `{effect}`?"


def test_days_and_types_of_attributes():
    assert help_for(model_text(policies=policy('{"time_window": {"days": ["Wednesday"]}}'))) == "did you mean `wed`?"
    types = '[{"id": "document", "actions": [], "attributes": {"size": "int"}}]'
    assert help_for(model_text(resource_types=types)) == "did you mean `number`?"


MEMBERS = {
    '"key": "k", "operator": "eq", "value": 1': "op",
    '"attribute": "k", "op": "eq", "value": 1': "key",
    '"key": "k", "op": "eq", "vaule": 1': "value",
}


@pytest.mark.parametrize("members", MEMBERS)
def test_members(members):
    text = model_text(policies=policy(f'{{"resource_attrs": [{{{members}}}]}}'))
    (found,) = [found for found in load_text(text).diagnostics if found.code == "unknown-member"]
    assert found.help == f"did you mean `{MEMBERS[members]}`?"


def test_a_word_with_several_meanings_is_taken_for_what_is_free_there():
    conditions = '{"resource": [{"key": "k", "op": "eq", "value": 1}]}'
    assert help_for(model_text(policies=policy(conditions))) == "did you mean `resource_attrs`?"
    assert help_for('{"model": 1, "rules": []}') == "did you mean `policies`?"


def test_an_empty_string_is_called_so():
    (found,) = load_text(compared("", "1")).diagnostics
    assert found.message.startswith("an empty string, expected `eq`, ")


def help_for(text: str, name: str = "model.json") -> str:
    """The help of the first finding in a document."""
    return load_text(text, name).diagnostics[0].help
