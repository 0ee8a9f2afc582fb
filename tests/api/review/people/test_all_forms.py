"""All forms of a difference say the same: text, JSON, SARIF and the console, from one telling of the answer."""

import json
from typing import Any

import msgspec
import pytest
from writ.api.cli.differences.comparison import ModelDifferences
from writ.api.cli.differences.shown_sarif import shown_sarif
from writ.api.cli.differences.sides import ComparedModel
from writ.api.review.people.people_answer import PeopleAnswer, people_answer
from writ.api.review.people.people_lines import EACH, people_lines
from writ.api.review.wording.shown_regions import ShownUnknown

from tests.api.console.test_modules import FOLDER, NODE, ran
from tests.support.analysing import analysed

Document = dict[str, Any]

TYPES = ("account", "loan", "payment")
OPEN = {"key": "status", "op": "eq", "value": "open"}
ANN_IN_OSLO: Document = {
    "extensions": ["references"],
    "subjects": [{"type": "user", "id": "ann"}],
    "groups": [{"id": "oslo", "members": [{"type": "user", "id": "ann"}]}],
}


def policy(conditions: list[Document], effect: str = "ALLOW", **more: Any) -> Document:
    """A policy for reading all types under some conditions."""
    scopes = [{"resource_type_id": one, "actions": ["read"]} for one in more.pop("types", TYPES)]
    found: Document = {"id": effect.lower(), "effect": effect, "resource_types": scopes}
    return found | {"conditions": {"resource_attrs": conditions}} | more


def answer(before: list[Document], after: list[Document], **more: Any) -> PeopleAnswer:
    """The answer about a change of policies."""
    types = [{"id": one, "actions": ["read"]} for one in TYPES]
    sides = [{"resource_types": types, "policies": policies} | more for policies in (before, after)]
    return people_answer(analysed(*sides))


def team(op: str) -> list[Document]:
    return [policy([{"key": "team", "op": op, "value_of": "subject.groups"}], types=["loan"])]


def embargo(*countries: str) -> list[Document]:
    return [policy([OPEN]), policy([{"key": "country", "op": "in", "value": [*countries]}], "DENY")]


def text(found: PeopleAnswer) -> str:
    return "\n".join(people_lines(found))


def sarif(found: PeopleAnswer) -> list[str]:
    """The messages of the log."""
    side = ComparedModel("model", None)
    log = json.loads(shown_sarif(ModelDifferences("old", "new", {}, (), (), people=found), side, side))
    return [one["message"]["text"] for one in log["runs"][0]["results"]]


def console(found: PeopleAnswer) -> str:
    """Returns the console's lines about an answer."""
    return ran(str(NODE), FOLDER / "told_people.js", given=msgspec.json.encode([found]).decode()).strip()


NOT_IN = "if the `team` of the resource has a value that is none of the groups of the subject"
IN = "if the `team` of the resource is one of the groups of the subject"
PRESENT = "if the `team` of the resource is present"


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        (
            team("in"),
            team("nin"),
            [("gains", "user `ann`", NOT_IN), ("gains", "everyone else", PRESENT), ("loses", "user `ann`", IN)],
        ),
        (
            team("nin"),
            team("in"),
            [("gains", "user `ann`", IN), ("loses", "user `ann`", NOT_IN), ("loses", "everyone else", PRESENT)],
        ),
        ([], team("in"), [("gains", "user `ann`", IN)]),
    ],
)
def test_who_changes_is_the_same_in_all_forms(before, after, lines):
    """Ann is named and loses, so the others are everyone else, and never everyone."""
    found = answer(before, after, **ANN_IN_OSLO)
    regions = [*found.gains, *found.loses]
    assert [one for one in text(found).splitlines() if "on `loan`" in one and " cases:" not in one] == [
        f"{verb} `read` on `loan`: {who}" for verb, who, _ in lines
    ]
    assert [message.splitlines()[:2] for message in sarif(found)] == [
        [f"{verb} `read` on `loan`: {who}", when] for verb, who, when in lines
    ]
    assert [([one.id for one in region.subjects], region.others, region.everyone is True) for region in regions] == [
        ([], True, False) if who == "everyone else" else (["ann"], False, False) for _, who, _ in lines
    ]
    shown = console(found)
    assert [len(shown.split(drawn(who, when))) - 1 for _, who, when in lines] == [1] * len(lines)
    assert "Everyone if" not in shown


def drawn(who: str, when: str) -> str:
    """The words of the console for subjects and a condition."""
    return f"{who[0].upper()}{who[1:]} {when}".replace("`", "").replace("User ", "user ")


@pytest.mark.parametrize(
    ("more", "words"), [({}, "everyone"), (ANN_IN_OSLO, "user `ann` and everyone else")], ids=["everyone", "ann"]
)
def test_all_subjects_are_the_same_in_all_forms(more, words):
    found = answer([], [policy([OPEN])], **more)
    told = f"gains `read` on `account`, `loan` and `payment`: {words}"
    assert text(found).splitlines()[0] == told
    assert [message.splitlines()[0] for message in sarif(found)] == [told]
    when = 'if the `status` of the resource is "open"'
    assert f"+ gains read on account , loan and payment {drawn(words, when)}" in console(found)


def test_what_all_changes_share_stands_once_before_them():
    """In a log each result is read alone, so it has all of its conditions."""
    found = answer(embargo("IR", "KP"), embargo("IR", "SY"))
    shared = 'the `status` of the resource is "open"'
    assert found.told.shared == (shared,)
    assert text(found).splitlines()[:2] == [EACH, f"    if {shared}"]
    assert console(found).count('status of the resource is "open"') == 1
    assert [(one.verb, one.regions, one.when) for one in found.told.regions] == [
        ("gains", (0, 1, 2), ('the `country` of the resource is "KP"',)),
        ("loses", (0, 1, 2), ('the `country` of the resource is "SY"',)),
    ]
    assert [one.when for one in found.gains] == [('the `country` of the resource is "KP"', shared)] * 3
    assert [message.splitlines()[1:3] for message in sarif(found)] == [
        [f'if the `country` of the resource is "{one}"', f"and {shared}"] for one in ("KP", "SY")
    ]


def test_what_is_not_known_for_one_reason_is_told_once():
    found = PeopleAnswer((), (), tuple(ShownUnknown(one, "read", "rate limit") for one in TYPES))
    (line,) = text(found).splitlines()
    assert line == "not known: `read` on `account`, `loan` and `payment`, because of: rate limit"
    assert sarif(found) == [line]
    assert console(found).endswith("read on account , loan and payment : rate limit")


def test_an_older_record_is_told_as_a_new_one():
    """A record of an older version has no `told`: it is made when the record is read."""
    found = answer(embargo("IR", "KP"), embargo("IR"))
    record = msgspec.json.decode(msgspec.json.encode(found))
    del record["told"]
    read = msgspec.json.decode(msgspec.json.encode(record), type=PeopleAnswer)
    assert read == found
    assert read.told.regions[0].pairs == "`read` on `account`, `loan` and `payment`"
