"""The lint `allow-everyone`: neither roles nor any condition."""

import pytest

from tests.support.diagnosing import FORMATS, load_text, seen
from tests.support.linting import addresses, deny, model, when, window

OPEN = {"id": "a", "effect": "ALLOW"}
POLICIES = {
    "nothing": (OPEN, True),
    "no conditions in it": (OPEN | {"conditions": {}}, True),
    "empty lists of conditions": (OPEN | {"conditions": {"resource_attrs": [], "context_attrs": []}}, True),
    "roles": (OPEN | {"roles": ["editor"]}, False),
    "an attribute": (OPEN | when("s", "eq", "x"), False),
    "the type of the subject": (OPEN | when("type", "eq", "user", "subject_attrs"), False),
    "a window": (OPEN | window(days=["mon"]), False),
    "addresses": (OPEN | addresses("::/0"), False),
    "a DENY": (deny(), False),
    "everyone but some": (OPEN | {"except_roles": ["editor"]}, True),
    "everyone but some, with a condition": (OPEN | {"except_roles": ["editor"]} | when("s", "eq", "x"), False),
    "disabled": (OPEN | {"enabled": False}, False),
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("case", POLICIES)
def test_allow_everyone(case, name):
    policy, warned = POLICIES[case]
    assert seen(model(policy), name) == [("allow-everyone", '"ALLOW"')] * warned


def test_allow_everyone_names_the_remedy():
    (found,) = load_text(model(OPEN)).diagnostics
    assert found.severity == "warning"
    assert found.message == "the ALLOW `a` has neither roles nor conditions, so it applies to everyone"
    assert found.help == (
        "give it `roles` or a condition; if you mean everyone, add a condition on the subject's `type`"
    )


def test_the_message_says_that_exceptions_leave_in_unknown_subjects():
    """P6: a robot that the model does not know may do it."""
    (found,) = load_text(model(OPEN | {"except_roles": ["editor"]})).diagnostics
    assert "but the holders of its `except_roles`, also to subjects that the model does not know" in found.message
