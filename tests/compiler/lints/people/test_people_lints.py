"""Roles, groups, assignments and grants: each lint on the smallest models."""

import json
from typing import Any

import pytest

from tests.support.linting import allow, model, on, places, told, when, window

ALICE = {"type": "user", "id": "alice"}
NOW = 1_800_000_000.0
PAST, FUTURE = "2027-01-15T08:00:00Z", "2027-01-15T08:00:00.001Z"
"""The instant NOW itself, and a millisecond after it."""


def people(*policies: dict[str, Any], **lists: Any) -> str:
    return model(*policies, **{name: json.dumps(rows) for name, rows in lists.items()})


def group(id: str, *members: dict[str, Any]) -> dict[str, Any]:
    return {"id": id, "members": list(members)}


def within(id: str) -> dict[str, str]:
    return {"group": id}


def test_a_role_without_an_assignment_has_no_holder():
    text = people(assignments=[{"role": "editor", "subject": ALICE}])
    assert (told("role-without-holder", text), places("role-without-holder", text)) == (
        ["no subject holds the role `viewer`"],
        ["$.roles[1].id"],
    )


def test_a_role_of_an_empty_group_has_no_holder():
    of_eng = [{"role": "editor", "subject": ALICE}, {"role": "viewer", "group": "eng"}]
    assert len(places("role-without-holder", people(assignments=of_eng))) == 1
    nested = [group("eng", within("backend")), group("backend", ALICE)]
    assert places("role-without-holder", people(assignments=of_eng, groups=nested)) == []


def test_a_model_without_assignments_keeps_them_elsewhere():
    assert places("role-without-holder", people(allow())) == []


def test_groups_that_contain_each_other_are_one_warning():
    cycle = [group("a", within("b")), group("b", within("c"), within("d")), group("c", within("a")), group("d")]
    assert told("group-cycle", people(groups=cycle)) == [
        "the groups `a`, `b` and `c` contain each other, so they have the same members"
    ]
    assert places("group-cycle", people(groups=cycle)) == ["$.groups[0].members"]
    assert told("group-cycle", people(groups=[group("x", within("x"))])) == ["the group `x` contains itself"]
    assert places("group-cycle", people(groups=[group("a", within("b")), group("b", ALICE)])) == []


ENG = [group("eng", within("backend")), group("backend", ALICE)]


def test_an_assignment_that_a_group_gives_too_is_repeated():
    text = people(groups=ENG, assignments=[{"role": "editor", "subject": ALICE}, {"role": "editor", "group": "eng"}])
    assert told("repeated-authority", text) == ["`alice` has the role `editor` by the group `eng` too"]
    assert places("repeated-authority", text) == ["$.assignments[0]"]


SPANS = {
    "the group's ends before": ({}, {"expires_at": FUTURE}, False),
    "the group's starts later": ({"expires_at": FUTURE}, {"starts_at": PAST}, False),
    "both end then": ({"expires_at": PAST}, {"expires_at": "2027-01-15T09:00:00+01:00"}, True),
    "the group's ends later": ({"expires_at": PAST}, {"expires_at": FUTURE}, True),
    "the group's starts before": ({"starts_at": FUTURE}, {"starts_at": PAST}, True),
}


@pytest.mark.parametrize(("direct", "by_group", "repeated"), SPANS.values(), ids=SPANS)
def test_the_group_must_give_the_role_for_as_long(direct, by_group, repeated):
    assignments = [{"role": "editor", "subject": ALICE} | direct, {"role": "editor", "group": "eng"} | by_group]
    found = places("repeated-authority", people(groups=ENG, assignments=assignments))
    assert found == (["$.assignments[0]"] if repeated else [])


GRANT = {"id": "g", "subject": ALICE, "resource": {"type": "document", "id": "d"}, "actions": ["read", "update"]}
EDITS = allow(**on("document", "*"))
DIRECT, BY_GROUP = [{"role": "editor", "subject": ALICE}], [{"role": "editor", "group": "eng"}]


@pytest.mark.parametrize("assignments", [DIRECT, BY_GROUP])
def test_a_grant_that_a_policy_gives_too_is_repeated(assignments):
    text = people(EDITS, groups=ENG, grants=[GRANT], assignments=assignments)
    assert told("repeated-authority", text) == ["`alice` may do all of this grant by the ALLOW `a` too"]
    assert places("repeated-authority", text) == ["$.grants[0]"]


TO_GROUP = {name: value for name, value in GRANT.items() if name != "subject"} | {"group": "backend"}
NESTED = [group("eng", within("backend")), group("backend", ALICE)]


def test_a_grant_to_a_group_that_a_policy_gives_too_is_repeated():
    """P7: each member holds the role by the group itself, or by a group around it."""
    text = people(EDITS, groups=NESTED, grants=[TO_GROUP], assignments=BY_GROUP)
    assert told("repeated-authority", text) == [
        "each member of `backend` may do all of this grant by the ALLOW `a` too"
    ]
    for fewer in (people(EDITS, groups=NESTED, grants=[TO_GROUP], assignments=DIRECT), people(EDITS, groups=NESTED)):
        assert places("repeated-authority", fewer) == []
    outside = [{"role": "editor", "group": "backend"}]
    text = people(EDITS, groups=NESTED, grants=[TO_GROUP | {"group": "eng"}], assignments=outside)
    assert places("repeated-authority", text) == []


NEEDED = {
    "the policy has a condition": (EDITS | when("k", "eq", 1), GRANT, DIRECT),
    "the policy has a gate": (EDITS | window(days=["mon"]), GRANT, DIRECT),
    "the policy covers less": (allow(), GRANT, DIRECT),
    "the role ends": (EDITS, GRANT, [DIRECT[0] | {"expires_at": FUTURE}]),
    "the group's role ends": (EDITS, GRANT, [BY_GROUP[0] | {"expires_at": FUTURE}]),
    "another role": (EDITS, GRANT, [DIRECT[0] | {"role": "viewer"}]),
    "another subject": (EDITS, GRANT | {"subject": {"type": "user", "id": "bob"}}, DIRECT),
}


@pytest.mark.parametrize(("policy", "grant", "assignments"), NEEDED.values(), ids=NEEDED)
def test_a_grant_that_gives_more_is_not_repeated(policy, grant, assignments):
    assert places("repeated-authority", people(policy, groups=ENG, grants=[grant], assignments=assignments)) == []


ENDED = {
    "an assignment": ({"assignments": [DIRECT[0] | {"expires_at": PAST}]}, "$.assignments[0].expires_at"),
    "a grant": ({"grants": [GRANT | {"expires_at": PAST}]}, "$.grants[0].expires_at"),
}


@pytest.mark.parametrize(("lists", "place"), ENDED.values(), ids=ENDED)
def test_what_ended_has_expired(lists, place):
    assert places("expired", people(**lists), now=NOW) == [place]
    assert places("expired", people(**lists), now=NOW - 0.001) == []
    assert places("expired", people(**lists)) == []


def test_a_policy_whose_window_is_over_has_expired():
    text = people(allow(**window(not_after=PAST)), allow(id="b", **window(not_after=FUTURE)))
    assert told("expired", text, now=NOW) == [f"the ALLOW `a` holds no more since `{PAST}`"]
    assert places("expired", text, now=NOW) == ["$.policies[0].conditions.time_window.not_after"]
