"""A model silences warnings, each with its reason, and hears of silences without use."""

import json
from typing import Any

import pytest
from writ.compiler.limits import Limits

from tests.support.diagnosing import load_text, seen
from tests.support.linting import allow, deny, model, when

BOTH = ({"id": "a1", "effect": "ALLOW"}, {"id": "a2", "effect": "ALLOW"})
"""Two policies with the warning `allow-everyone`."""


def silenced(*lints: dict[str, Any], policies: Any = BOTH) -> str:
    return model(*policies, lints=json.dumps([{"reason": "because"} | one for one in lints]))


ALL = {"code": "allow-everyone"}

CASES = {
    "none": (silenced(), [("allow-everyone", '"ALLOW"'), ("allow-everyone", '"ALLOW"')]),
    "all": (silenced(ALL), []),
    "one": (silenced(ALL | {"on": ["a1"]}), [("allow-everyone", '"ALLOW"')]),
    "each": (silenced(ALL | {"on": ["a1"]}, ALL | {"on": ["a2"]}), []),
    "both at once": (silenced(ALL | {"on": ["a1", "a2"]}), []),
    "another code": (
        silenced({"code": "deny-priority"}, ALL),
        [("unused-silence", '"deny-priority"')],
    ),
    "an id without the warning": (
        silenced(ALL | {"on": ["a1", "a2", "d"]}, policies=(*BOTH, deny(1, **when("status", "eq", "x")))),
        [("escapable-deny", '"status"'), ("unused-silence", '"d"')],
    ),
    "no such id": (silenced(ALL | {"on": ["a1", "a2", "a3"]}), [("unknown-silenced", '"a3"')]),
    "no such code": (silenced({"code": "allow-everone"}, ALL), [("unknown-lint", '"allow-everone"')]),
    "an error": (silenced({"code": "unknown-role"}, ALL), [("unknown-lint", '"unknown-role"')]),
    "a silence of unused silences": (silenced({"code": "unused-silence"}, ALL), [("unknown-lint", '"unused-silence"')]),
    "twice": (silenced(ALL, ALL), [("duplicate-id", "{")]),
    "twice on the same ids": (
        silenced(ALL | {"on": ["a1", "a2"]}, ALL | {"on": ["a2", "a1", "a1"]}),
        [("duplicate-id", "{")],
    ),
    "no ids": (silenced(ALL | {"on": []}, ALL), [("empty", "[")]),
    "no reason": (silenced(ALL | {"reason": ""}), [("too-short", '""')]),
    "nothing but a code": (
        model(*BOTH, lints='[{"code": "allow-everyone"}]'),
        [("missing-member", "{")],
    ),
}


def test_silences_are_heeded_and_checked(found, expected):
    assert found == expected


def test_help_and_messages():
    (found,) = load_text(CASES["no such code"][0]).diagnostics
    assert (found.message, found.help) == ("no warning has the code `allow-everone`", "did you mean `allow-everyone`?")
    (found,) = load_text(CASES["an error"][0]).diagnostics
    assert found.message == "`unknown-role` is an error, and only warnings can be silenced"
    (found,) = load_text(CASES["no such id"][0]).diagnostics
    assert found.message == "no element has the id `a3`, for which `allow-everyone` is silenced"


def test_a_silence_may_have_a_use_if_its_lint_did_not_finish():
    policies = [allow(id=f"a{number}", **when("k", "eq", number)) for number in range(5)]
    text = silenced({"code": "escapable-deny"}, policies=[*policies, deny(9, **when("k", "gt", 1))])
    assert "unused-silence" in [code for code, _ in seen(text)]
    assert "unused-silence" not in [code for code, _ in seen(text, limits=Limits(lint_steps=0))]


def test_a_model_with_errors_is_told_of_no_unused_silence():
    text = silenced({"code": "deny-priority"}, policies=[*BOTH, allow(id="a3", roles=["editr"])])
    assert "unused-silence" not in [code for code, _ in seen(text)]


@pytest.mark.parametrize("code", ["unused-silence", "unknown-attribute", "unknown-silenced", "too-many"])
def test_a_code_that_exists_and_can_not_be_silenced_has_no_near_name(code):
    """Another code that looks like it means another thing."""
    [found] = [one for one in load_text(silenced({"code": code})).diagnostics if one.code == "unknown-lint"]
    assert found.help == ""
