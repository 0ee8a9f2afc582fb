"""No advice turns the meaning of a name round: a word is never answered with its opposite."""

import pytest
from writ.bundles.conditions.operators import OPERATORS
from writ.bundles.opposites import is_opposite
from writ.bundles.wording import did_you_mean
from writ.compiler.diagnostics.synonyms import suggest

OPPOSITES = [
    ("derived_roles", "except_roles"),
    ("disabled", "enabled"),
    ("is_disabled", "is_enabled"),
    ("not_regex", "regex"),
    ("notRegex", "regex"),
    ("hasnt", "has"),
    ("before", "not_before"),
    ("ends_at", "starts_at"),
    ("ip_denylist", "ip_allowlist"),
    ("unapprove", "approve"),
    ("unfreeze", "freeze"),
    ("max_amount", "min_amount"),
    ("include_roles", "exclude_roles"),
    ("--no-strict", "--strict"),
    ("--fail-on-narrowed", "--fail-on-widened"),
]
SLIPS = [
    ("raed", "read"),
    ("exept_roles", "except_roles"),
    ("expect_roles", "except_roles"),
    ("exceptroles", "except_roles"),
    ("not_afer", "not_after"),
    ("no_after", "not_after"),
    ("enabeld", "enabled"),
    ("has_non", "has_none"),
    ("delet", "delete"),
    ("disalow", "disallow"),
    ("nots", "notes"),
    ("unit", "units"),
    ("discharg", "discharge"),
]


@pytest.mark.parametrize(("word", "name"), OPPOSITES)
def test_an_opposite_is_never_suggested(word, name):
    assert is_opposite(word, name)
    assert is_opposite(name, word)
    assert did_you_mean(word, [name]) == ""


@pytest.mark.parametrize(("word", "name"), SLIPS)
def test_a_slip_is_no_opposite(word, name):
    assert not is_opposite(word, name)
    assert did_you_mean(word, [name]) == f"did you mean `{name}`?"


WORDS = {
    "negations": ["not_has", "hasnt", "not_has_any", "notContains", "not_like", "not_regex", "!in", "not_in", "not_eq"],
    "affirmations": ["has_any_of", "contains", "one_of", "equals", "matches", "includes", "like", "is_in"],
}


@pytest.mark.parametrize("kind", WORDS)
def test_a_negated_operator_is_answered_with_a_negated_one(kind):
    """`all` and `no` operators: those that hold for what they name, and those that hold for the rest."""
    negated = {f"`{op}`" for op, row in OPERATORS.items() if row.is_negation or op == "has_none"}
    for word in WORDS[kind]:
        found = suggest(word, [str(op) for op in OPERATORS])
        named = {one for one in (f"`{op}`" for op in OPERATORS) if f"did you mean {one}" in found}
        assert named <= negated if kind == "negations" else not named & negated
