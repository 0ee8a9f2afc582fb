"""Nineteen realistic changes of a hospital's model, and what a reviewer now sees of each."""

from collections.abc import Callable
from typing import Any

import pytest
from writ.api.review.wording.region_words import region_sentences
from writ.compiler.analysis.regions import Region

from tests.support.analysing import analysed
from tests.support.hospital import HOURS, hospital, policy, user

Document = dict[str, Any]

NURSES = ("ann", "kari", "lise", "nils", "omar", "ruth", "tove")
DOCTORS = ("bob", "eva", "ian")
WARD_A = ("ann", "lise", "omar", "ruth", "tove")


def of(model: Document, id: str, kind: str = "policies") -> Document:
    """An element of the model."""
    found: Document = next(one for one in model[kind] if one["id"] == id)
    return found


def conditions(model: Document, id: str) -> Document:
    """The conditions of a policy."""
    found: Document = of(model, id)["conditions"]
    return found


def split(model: Document) -> None:
    """Two policies in place of one with two roles."""
    of(model, "lab-read")["roles"] = ["doctor"]
    second = {**of(model, "lab-read"), "id": "lab-read-nurses", "roles": ["nurse"]}
    model["policies"].append(second)


def rename(model: Document) -> None:
    """A role with another id, wherever it stands."""
    of(model, "cleaner", "roles")["id"] = "janitor"
    of(model, "cleaner", "assignments")["role"] = "janitor"
    of(model, "bed-clean")["roles"] = ["janitor"]


def reorder(model: Document) -> None:
    """The elements of lists in another order."""
    for kind in ("roles", "groups", "subjects", "assignments"):
        model[kind].reverse()
    of(model, "chart-read")["roles"].reverse()


CHANGES: dict[str, tuple[Callable[[Document], Any], set[tuple[Any, ...]], set[tuple[Any, ...]], set[str]]] = {
    "1 a condition widened": (
        lambda m: conditions(m, "lab-read")["resource_attrs"][0].update(value=5),
        {(NURSES, "read", "lab_result")},
        set(),
        set(),
    ),
    "2 a condition narrowed": (
        lambda m: conditions(m, "invoice-approve")["resource_attrs"][0].update(value=500),
        set(),
        {(("liv",), "approve", "invoice")},
        set(),
    ),
    "3 a DENY's priority lowered": (lambda m: of(m, "vip").update(priority=-1), set(), set(), set()),
    "4 an effect flipped": (
        lambda m: of(m, "bed-assign").update(effect="DENY"),
        set(),
        {((*NURSES[:5], *NURSES[5:6], "sam", *NURSES[6:]), "assign", "bed")},
        set(),
    ),
    "5 a DENY dropped": (
        lambda m: m["policies"].remove(of(m, "no-recalled")),
        {(("per",), "dispense", "medication")},
        set(),
        set(),
    ),
    "6 a role given to a group": (
        lambda m: m["assignments"].append({"role": "pharmacist", "group": "ward_a"}),
        {(WARD_A, "dispense", "medication")},
        set(),
        set(),
    ),
    "7 policies reordered": (lambda m: m["policies"].reverse(), set(), set(), set()),
    "8 order of lists": (reorder, set(), set(), set()),
    "9 a role renamed": (rename, set(), set(), set()),
    "10 a redundant policy added": (
        lambda m: m["policies"].append({**of(m, "prescribe"), "id": "again"}),
        set(),
        set(),
        set(),
    ),
    "11 a group put into a group that holds a role": (
        lambda m: of(m, "pharmacy", "groups")["members"].append({"group": "ward_a"}),
        {(WARD_A, "dispense", "medication")},
        set(),
        set(),
    ),
    "12 a zone changed": (
        lambda m: conditions(m, "chart-sign").update(time_window=HOURS | {"timezone": "Europe/London"}),
        {(DOCTORS, "sign", "chart")},
        {(DOCTORS, "sign", "chart")},
        set(),
    ),
    "13 a network widened": (
        lambda m: conditions(m, "lab-release").update(ip_allowlist=["10.9.0.0/16"]),
        {(("mia",), "release", "lab_result")},
        set(),
        set(),
    ),
    "14 a policy split with the same meaning": (split, set(), set(), set()),
    "15 an action added": (
        lambda m: of(m, "invoice-read")["resource_types"][0]["actions"].append("approve"),
        {(("kim",), "approve", "invoice"), (("liv",), "approve", "invoice")},
        set(),
        set(),
    ),
    "16 a type closed": (
        lambda m: of(m, "bed", "resource_types").update(closed=True),
        set(),
        {((*NURSES[:5], *NURSES[5:6], "sam", *NURSES[6:]), "assign", "bed"), (("ole",), "clean", "bed")},
        set(),
    ),
    "17 an assignment's expiry dropped": (
        lambda m: of(m, "students", "assignments").pop("expires_at"),
        {(("zoe",), "read", "chart")},
        set(),
        set(),
    ),
    "18 a rate limit raised": (
        lambda m: conditions(m, "dispense")["rate_limit"].update(limit=500),
        set(),
        set(),
        {"rate limit"},
    ),
    "19 a description changed": (lambda m: of(m, "vip").update(description="for staff"), set(), set(), set()),
}


def test_the_hospital_has_its_size():
    model = hospital()
    people = {member["id"] for group in model["groups"] for member in group["members"] if "id" in member}
    people |= {one["subject"]["id"] for one in model["assignments"] if "subject" in one}
    people |= {one["id"] for one in model["subjects"]}
    assert (len(model["policies"]), len(people)) == (30, 20)
    assert user("zoe") in model["subjects"]


@pytest.mark.parametrize("name", CHANGES)
def test_a_reviewer_sees_the_effect(name):
    change, gains, loses, unknown = CHANGES[name]
    before, after = hospital(), hospital()
    change(after)
    found = analysed(before, after)
    assert {shown(one) for one in found.gains} == gains
    assert {shown(one) for one in found.loses} == loses
    assert {one.reason for one in found.unknown} == unknown


@pytest.mark.parametrize("name", CHANGES)
def test_changes_of_reasons_alone_are_counted_apart(name):
    before, after = hospital(), hospital()
    CHANGES[name][0](after)
    told = [(*one.pair, one.count) for one in analysed(before, after).reasons]
    assert told == REASONS.get(name, [])


REASONS = {
    "1 a condition widened": [("lab_result", "read", 1)],  # a denial overrides it now
    "2 a condition narrowed": [("invoice", "approve", 1)],
    "4 an effect flipped": [("bed", "assign", 1), ("bed", "clean", 1)],
    "5 a DENY dropped": [("medication", "dispense", 1)],
    "6 a role given to a group": [("medication", "dispense", 1), ("medication", "prescribe", 1)],
    "11 a group put into a group that holds a role": [("medication", "dispense", 1), ("medication", "prescribe", 1)],
    "12 a zone changed": [("chart", "sign", 1)],
    "13 a network widened": [("lab_result", "release", 1)],
    "15 an action added": [("invoice", "approve", 2)],
    "16 a type closed": [("bed", "assign", 2), ("bed", "clean", 3)],
    "17 an assignment's expiry dropped": [("chart", "read", 1), ("chart", "sign", 1), ("chart", "write", 1)],
}


def shown(region: Region) -> tuple[tuple[str, ...], str, str]:
    """The subjects of a region, its action and its type."""
    type, action = region.pair
    assert not region.others
    return tuple(one.shown.id for one in region.subjects), action, type


def test_conditions_are_sentences():
    after = hospital()
    conditions(after, "lab-release")["ip_allowlist"] = ["10.9.0.0/16"]
    [region] = analysed(hospital(), after).gains
    assert 'the `state` of the resource is missing, or has a value other than "draft"' in region_sentences(region.when)
    longer = hospital()
    of(longer, "students", "assignments").pop("expires_at")
    [later] = analysed(hospital(), longer).gains
    assert "the service's clock is from 2027-07-01T00:00:00Z on" in region_sentences(later.when)


def test_a_new_denial_and_a_policy_for_everyone_name_all_others():
    after = hospital()
    after["policies"].append(policy("lobby", "", "bed", "assign"))
    [region] = [one for one in analysed(hospital(), after).gains if one.others]
    assert region.pair == ("bed", "assign")
