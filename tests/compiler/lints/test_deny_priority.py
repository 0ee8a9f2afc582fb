"""The lint `deny-priority`: which policies overlap, and what is said of them."""

import pytest

from tests.support.diagnosing import FORMATS, load_text, underlined
from tests.support.linting import addresses, allow, deny, model, on, when, window

OVERLAPS = {
    "plain": (allow(), deny(), True),
    "higher": (allow(), deny(1), False),
    "lower": (allow(5), deny(1), True),
    "no priority is zero": (allow(), {"id": "d", "effect": "DENY"}, True),
    "negative ALLOW": (allow(-1), deny(), False),
    "other action": (allow(), deny(**on("document", "update")), False),
    "other type": (allow(**on("folder", "read")), deny(), False),
    "every action": (allow(), deny(**on("document", "*")), True),
    "every type": (allow(**on("*", "*")), deny(), True),
    "an action that the type has not": (allow(**on("*", "list")), deny(**on("document", "*")), False),
    "disabled DENY": (allow(), deny(enabled=False), False),
    "disabled ALLOW": (allow(enabled=False), deny(), False),
    "other roles": (allow(roles=["editor"]), deny(roles=["viewer"]), True),
    "other value": (allow(**when("s", "eq", "x")), deny(**when("s", "eq", "y")), False),
    "same value": (allow(**when("s", "eq", 1)), deny(**when("s", "in", [1.0])), True),
    "a flag is not a number": (allow(**when("s", "eq", 1)), deny(**when("s", "eq", True)), False),
    "other lists": (allow(**when("s", "in", ["x", "y"])), deny(**when("s", "in", ["z"])), False),
    "meeting lists": (allow(**when("s", "in", ["x", "y"])), deny(**when("s", "in", ["y", "z"])), True),
    "apart": (allow(**when("n", "lt", 3)), deny(**when("n", "gte", 3)), False),
    "meeting ranges": (allow(**when("n", "lte", 3)), deny(**when("n", "gte", 3)), True),
    "other attribute": (allow(**when("s", "eq", "x")), deny(**when("t", "eq", "y")), True),
    "other section": (allow(**when("s", "eq", "x")), deny(**when("s", "eq", "y", "subject_attrs")), True),
    "never": (allow(), deny(**when("s", "in", [])), False),
    "objects": (allow(**when("s", "eq", {"x": 1})), deny(**when("s", "eq", {"x": 2})), False),
    "spans apart": (
        allow(**window(not_after="2027-01-01T00:00:00Z")),
        deny(**window(not_before="2027-01-01T00:00:00Z")),
        False,
    ),
    "meeting spans": (
        allow(**window(not_after="2027-01-01T00:00:01Z")),
        deny(**window(not_before="2027-01-01T00:00:00Z")),
        True,
    ),
    "other days": (allow(**window(days=["mon"])), deny(**window(days=["tue"])), False),
    "over midnight": (allow(**window(days=["mon"], start="22:00", end="02:00")), deny(**window(days=["tue"])), True),
    "other days elsewhere": (
        allow(**window(days=["mon"])),
        deny(**window(days=["tue"], timezone="Europe/Oslo")),
        True,
    ),
    "other addresses": (allow(**addresses("10.0.0.0/8", "::/8")), deny(**addresses("11.0.0.0/8")), False),
    "meeting addresses": (allow(**addresses("10.0.0.0/8")), deny(**addresses("12.0.0.0/8", "10.1.2.3")), True),
}


@pytest.mark.parametrize("case", OVERLAPS)
def test_deny_priority(case):
    first, second, warned = OVERLAPS[case]
    for policies in ((first, second), (second, first)):
        loaded = load_text(model(*policies))
        assert loaded.model is not None
        assert ("deny-priority" in [found.code for found in loaded.diagnostics]) == warned


@pytest.mark.parametrize("name", FORMATS)
def test_deny_priority_names_the_highest_allow_and_points_at_the_priority(name):
    text = model(allow(3), allow(7, id="b"), allow(9, id="c", **on("folder", "read")), deny(5))
    (found,) = load_text(text, name).diagnostics
    assert (found.severity, underlined(found, text), found.path) == ("warning", "5", "$.policies[3].priority")
    assert (
        found.message
        == "the priority `5` of the DENY `d` is not above the priority `7` of the ALLOW `b`, which it overlaps"
    )
    assert found.help == "a DENY wins whatever the priorities are; to show this, give it a priority above `7`"
