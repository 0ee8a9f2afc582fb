"""The lines of a difference: what several regions share is said once, and the new condition comes first."""

from typing import Any

from writ.api.review.people.people_answer import people_answer
from writ.api.review.people.people_lines import EACH, people_lines

from tests.support.analysing import analysed

Document = dict[str, Any]

TYPES = ("account", "loan", "payment")
OPEN = {"key": "status", "op": "eq", "value": "open"}
BRANCH = {"key": "branch", "op": "eq", "value": "oslo"}


def test_a_country_off_an_embargo_is_told_once_for_all_types():
    """One region for three types, and the country before the conditions that did not change."""
    lines = changed([embargo("IR", "KP")], [embargo("IR")])
    told = [line for line in lines if line.startswith(("gains", "loses", "not known"))]
    assert told == ["gains `read` on `account`, `loan` and `payment`: everyone"]
    conditions = [line.strip() for line in lines if line.startswith(("    if", "    and"))]
    assert conditions[0] == 'if the `country` of the resource is "KP"'
    assert sorted(conditions[1:]) == [
        'and the `branch` of the resource is "oslo"',
        'and the `status` of the resource is "open"',
    ]


def test_what_all_regions_share_stands_at_the_top():
    lines = changed([embargo("IR", "KP")], [embargo("IR", "SY")])
    assert lines[0] == EACH
    shared = [line.strip().partition(" ")[2] for line in lines[1:3]]
    assert sorted(shared) == ['the `branch` of the resource is "oslo"', 'the `status` of the resource is "open"']
    text = "\n".join(lines)
    assert text.count('"oslo"') == 3  # once as a condition, and in both examples
    assert [line.strip() for line in lines if line.startswith("    if")][1:] == [
        'if the `country` of the resource is "KP"',
        'if the `country` of the resource is "SY"',
    ]


def test_strict_requests_that_are_dropped_are_one_line():
    strict: Document = {"requests": "strict"}
    before = model([]) | strict
    for type in before["resource_types"]:
        type["attributes"] = {"status": "string", "branch": "string"}
    answer = people_answer(analysed(before, {key: one for key, one in before.items() if key != "requests"}))
    assert len(answer.unknown) == 3
    assert [*people_lines(answer)] == [
        "not known: `read` on `account`, `loan` and `payment`, because of: strict requests"
    ]


def changed(before: list[Document], after: list[Document]) -> list[str]:
    """The lines of a change of policies."""
    return [*people_lines(people_answer(analysed(model(before), model(after))))]


def embargo(*countries: str) -> Document:
    """A DENY for some countries."""
    return policy("embargo", "DENY", [{"key": "country", "op": "in", "value": [*countries]}])


def model(policies: list[Document]) -> Document:
    """A model with three types, an ALLOW under two conditions, and further policies."""
    types = [{"id": one, "actions": ["read"]} for one in TYPES]
    return {"resource_types": types, "policies": [policy("open", "ALLOW", [OPEN, BRANCH]), *policies]}


def policy(id: str, effect: str, conditions: list[Document]) -> Document:
    """A policy on all types."""
    scopes = [{"resource_type_id": one, "actions": ["read"]} for one in TYPES]
    return {"id": id, "effect": effect, "resource_types": scopes, "conditions": {"resource_attrs": conditions}}
