"""Policies that never hold, change nothing, or switch others off: each lint on the smallest models."""

from typing import Any

import pytest

from tests.support.linting import addresses, allow, deny, model, on, places, told, when, window

Policy = dict[str, Any]


def both(*tests: tuple[str, str, Any], section: str = "resource_attrs") -> Policy:
    """Under several conditions."""
    return {"conditions": {section: [{"key": key, "op": op, "value": value} for key, op, value in tests]}}


CONTRADICTORY = {
    "ranges": both(("size", "lte", 500), ("size", "gt", 900)),
    "two values": both(("size", "eq", 1), ("size", "eq", 2)),
    "two types": both(("size", "eq", 1), ("size", "eq", "1")),
    "lists": both(("size", "in", [1, 2]), ("size", "nin", [1, 2, 3])),
    "a pattern and a value": both(("name", "regex", "^draft"), ("name", "eq", "final")),
    "another section": both(("mfa", "eq", True), ("mfa", "eq", False), section="context_attrs"),
    "three together": both(("k", "gte", 1), ("k", "lte", 2), ("k", "in", [3, "x"])),
}
POSSIBLE = {
    "touching ranges": both(("size", "lte", 500), ("size", "gte", 500)),
    "a pattern and a value": both(("name", "regex", "^draft"), ("name", "eq", "draft 2")),
    "two patterns": both(("name", "regex", "^a"), ("name", "regex", "^b")),
    "two keys": both(("a", "eq", 1), ("b", "eq", 2)),
    "an empty list has a warning of its own": both(("size", "in", []), ("size", "eq", 1)),
}


@pytest.mark.parametrize("conditions", CONTRADICTORY.values(), ids=CONTRADICTORY)
@pytest.mark.parametrize("effect", ["ALLOW", "DENY"])
def test_a_contradiction_never_holds(conditions, effect):
    assert len(places("never-holds", model(allow(**conditions) | {"effect": effect}))) == 1


@pytest.mark.parametrize("conditions", POSSIBLE.values(), ids=POSSIBLE)
def test_what_can_hold_is_no_contradiction(conditions):
    assert places("never-holds", model(allow(**conditions))) == []


def test_a_contradiction_is_told_at_its_second_condition():
    text = model(allow(**both(("a", "eq", 1), ("size", "lte", 500), ("size", "ne", 7), ("size", "gt", 900))))
    assert places("never-holds", text) == ["$.policies[0].conditions.resource_attrs[3]"]
    assert told("never-holds", text) == ["the ALLOW `a` never holds: no `size` is `lte` `500` and `gt` `900`"]


WIDER = {
    "the same": ({}, {}),
    "more roles": ({"roles": ["editor"]}, {"roles": ["viewer", "editor"]}),
    "more actions": (on("document", "read"), on("document", "*")),
    "more types": (on("document", "read"), on("*", "read")),
    "fewer conditions": (both(("a", "eq", 1), ("b", "eq", 2)), when("a", "eq", 1)),
    "no conditions": (when("a", "eq", 1), {}),
    "a wider range": (when("size", "lt", 5), when("size", "lte", 5)),
    "a longer list": (when("a", "eq", 1), when("a", "in", [2, 1])),
    "a range of a list": (when("a", "in", [1, 2]), when("a", "gt", 0)),
    "a range of integers and reals": (when("a", "eq", 1), when("a", "in", [1.0, 2])),
    "a pattern of a value": (when("a", "eq", "draft 1"), when("a", "regex", "^draft")),
    "the same pattern": (both(("a", "regex", "^x"), ("a", "ne", "xy")), when("a", "regex", "^x")),
    "all days": (window(days=["mon"]), window(days=["mon", "tue"])),
    "longer hours": (window(start="09:00", end="10:00"), window(start="08:00", end="10:00")),
    "a later end": (window(not_after="2030-01-01T00:00:00Z"), window(not_after="2031-01-01T00:00:00Z")),
    "no window": (window(days=["mon"]), {}),
    "more addresses": (addresses("10.1.0.0/16", "192.0.2.1"), addresses("192.0.2.0/24", "10.0.0.0/8")),
    "a limit": ({"conditions": {"rate_limit": {"limit": 1, "window_seconds": 60}}}, {}),
}
OTHER = {
    "fewer roles": ({"roles": ["viewer", "editor"]}, {"roles": ["editor"]}),
    "fewer actions": (on("document", "read", "update"), on("document", "read")),
    "another condition": (when("a", "eq", 1), when("b", "eq", 1)),
    "a narrower range": (when("size", "lte", 5), when("size", "lt", 5)),
    "another type of value": (when("a", "eq", True), when("a", "eq", 1)),
    "ne needs the attribute": ({}, when("a", "ne", 1)),
    "another pattern": (when("a", "regex", "^xy"), when("a", "regex", "^x")),
    "another section": (when("a", "eq", 1, "subject_attrs"), when("a", "eq", 1, "context_attrs")),
    "other days": (window(days=["mon", "wed"]), window(days=["mon", "tue"])),
    "another zone": (window(days=["mon"]), window(days=["mon"], timezone="Europe/Oslo")),
    "a window of the other": ({}, window(days=["mon"])),
    "fewer addresses": (addresses("10.0.0.0/8"), addresses("10.1.0.0/16")),
    "a limit of the other": ({}, {"conditions": {"rate_limit": {"limit": 1, "window_seconds": 60}}}),
    "disabled": ({}, {"enabled": False}),
}


@pytest.mark.parametrize(("narrow", "wide"), WIDER.values(), ids=WIDER)
@pytest.mark.parametrize("first", [True, False])
def test_a_policy_with_a_wider_one_is_redundant(narrow, wide, first):
    policies = [allow(id="narrow") | narrow, allow(id="wide") | wide]
    expected = 1 if narrow == wide else (0 if first else 1)
    assert places("redundant-policy", model(*policies if first else reversed(policies))) == [
        f"$.policies[{expected}].id"
    ]


@pytest.mark.parametrize(("narrow", "wide"), OTHER.values(), ids=OTHER)
def test_a_policy_with_another_one_is_not_redundant(narrow, wide):
    text = model(allow(id="narrow") | narrow, allow(id="wide") | wide)
    assert "$.policies[0].id" not in places("redundant-policy", text)


def test_a_redundant_policy_names_the_wider_one_of_its_effect():
    text = model(allow(**when("a", "eq", 1)), allow(id="b"), deny(**when("a", "eq", 1)), deny(id="e"))
    assert told("redundant-policy", text) == [
        "the ALLOW `a` changes nothing for anyone: the ALLOW `b` allows all of it",
        "the DENY `d` changes nothing for anyone: the DENY `e` denies all of it",
    ]


def test_one_of_many_equal_policies_is_left():
    assert len(places("redundant-policy", model(*(allow(id=f"a{number}") for number in range(12))))) == 11


def test_an_indexed_wider_policy_is_found():
    many = [allow(id=f"a{number}", **when("k", "in", [f"v{number}", "x"])) for number in range(30)]
    text = model(*many, allow(id="b", **both(("k", "eq", "v7"), ("size", "gt", 3))))
    assert told("redundant-policy", text) == [
        "the ALLOW `b` changes nothing for anyone: the ALLOW `a7` allows all of it"
    ]


VIP = when("vip", "eq", True)


def test_a_deny_to_everyone_kills_the_allow_on_its_class():
    """The security officer denies VIP records to everyone, the VIP doctor included."""
    text = model(allow(id="vip-doctor", **both(("vip", "eq", True), ("open", "eq", True))), deny(id="no-vip", **VIP))
    assert told("dead-allow", text) == ["the ALLOW `vip-doctor` allows nothing: `no-vip` denies all of that"]
    assert places("dead-allow", text) == ["$.policies[0].effect"]


ALIVE = {
    "the allow is about more": (allow(), deny(**VIP)),
    "the deny is for other roles": (allow(**VIP), deny(roles=["viewer"], **VIP)),
    "the deny leaves subjects out": (allow(**VIP), deny(**when("ward", "ne", "vip", "subject_attrs"))),
    "the deny is disabled": (allow(**VIP), deny(enabled=False, **VIP)),
    "the deny has a gate": (allow(**VIP), deny(**window(days=["mon"]))),
    "the deny is about another action": (allow(**VIP), deny(**VIP, **on("document", "update"))),
    "a caller can leave the attribute out": (allow(), deny(**when("status", "ne", "open"))),
}


@pytest.mark.parametrize("policies", ALIVE.values(), ids=ALIVE)
def test_an_allow_with_something_left_is_alive(policies):
    assert places("dead-allow", model(*policies)) == []


def test_a_deny_with_the_roles_of_the_allow_kills_it():
    assert len(places("dead-allow", model(allow(), deny(roles=["viewer", "editor"])))) == 1


def test_several_denies_kill_together():
    halves = [deny(id="low", **when("k", "lt", 5)), deny(id="high", **when("k", "gte", 5))]
    assert told("dead-allow", model(allow(**when("k", "in", [1, 9])), *halves)) == [
        "the ALLOW `a` allows nothing: `low` and `high` deny all of that"
    ]
    assert places("dead-allow", model(allow(**when("k", "in", [1, "x"])), *halves)) == []


def test_a_named_action_may_be_dead_alone():
    text = model(allow(**on("document", "read", "update")), deny(**on("document", "update")))
    assert told("dead-allow", text) == ["the ALLOW `a` allows no `update` on `document`: `d` denies all of that"]


def test_an_action_that_only_a_wildcard_covers_is_what_is_left():
    assert places("dead-allow", model(allow(**on("document", "*")), deny(**on("document", "update")))) == []
    assert len(places("dead-allow", model(allow(**on("document", "*")), deny(**on("document", "*"))))) == 1


FOLDER_GRANTS = (
    '[{"subject": {"type": "user", "id": "u"}, "resource": {"type": "folder", "id": "f"}, "actions": ["*"]}]'
)


def test_a_deny_of_what_nothing_allows_is_idle():
    text = model(allow(**when("k", "eq", 1)), deny(**when("k", "eq", 2)), deny(id="e", **on("folder", "list")))
    assert told("idle-deny", text) == [
        "the DENY `d` changes nothing: no ALLOW and no grant allows what it denies",
        "the DENY `e` changes nothing: no ALLOW and no grant allows what it denies",
    ]
    assert places("idle-deny", text) == ["$.policies[1].id", "$.policies[2].id"]


def test_a_deny_of_something_allowed_is_not_idle():
    grants = (
        '[{"subject": {"type": "user", "id": "u"}, "resource": {"type": "folder", "id": "f"}, "actions": ["list"]}]'
    )
    assert places("idle-deny", model(allow(), deny(), deny(id="e", **on("folder", "list")), grants=grants)) == []


def test_a_role_that_no_policy_names_is_unused():
    assert places("unused-role", model(allow())) == ["$.roles[1].id"]
    assert places("unused-role", model(allow(), deny(enabled=False, roles=["viewer"]))) == []
    assert places("unused-role", model()) == []


def test_an_action_that_nothing_allows_is_unused():
    assert told("unused-action", model(allow(**on("document", "*")), allow(id="b", **on("folder", "list")))) == [
        "nothing allows `read` on `folder`: no ALLOW and no grant covers it"
    ]
    assert places("unused-action", model(allow(), grants=FOLDER_GRANTS)) == ["$.resource_types[0].actions[1]"]
    assert places(
        "unused-action", model(allow(**on("*", "*"), enabled=False), allow(id="b", **on("document", "*")))
    ) == [
        "$.resource_types[1].actions[0]",
        "$.resource_types[1].actions[1]",
    ]


EVERYTHING = on("*", "*")


def test_a_wide_allow_lacks_roles_or_conditions():
    everyone = {"id": "c", "effect": "ALLOW"}
    text = model(allow(**EVERYTHING), everyone | EVERYTHING | when("type", "eq", "user", "subject_attrs"))
    assert told("wide-allow", text) == [
        "the ALLOW `a` covers every action on every type, and has no conditions",
        "the ALLOW `c` covers every action on every type, and has no roles",
    ]
    assert places("wide-allow", text)[0] == "$.policies[0].resource_types[0]"
    assert places("wide-allow", model(everyone | EVERYTHING)) == []
    assert places("wide-allow", model(allow(**EVERYTHING, **VIP), allow(id="b", **on("*", "read")), deny())) == []


def test_lints_about_what_is_missing_say_nothing_about_a_model_with_errors():
    text = model(allow(**on("document", "raed")), deny(**on("folder", "list")))
    for code in ("unused-role", "unused-action", "idle-deny"):
        assert places(code, text) == []
