"""Facts are never advised: who made a resource, the clock, and the address of the caller (D11)."""

from pathlib import Path
from typing import Any

import pytest
from writ.api.review.wording.why_not_words import set_words

from tests.support.bundling import engine_for
from tests.support.changes import allows

Document = dict[str, Any]

SCOPE = {"resource_types": [{"resource_type_id": "payment", "actions": ["approve"]}]}
ANN = {"type": "user", "id": "ann"}
SUNDAY, MONDAY = 1_767_535_200.0, 1_767_607_200.0
HOURS = {"days": ["mon", "tue", "wed", "thu", "fri"], "start": "07:00", "timezone": "Europe/Oslo"}


def asked(*, created_by: str | None = "ann", **context: Any) -> Document:
    """The request of Ann to approve a payment."""
    resource: Document = {"type": "payment", "id": "p1"}
    if created_by is not None:
        resource["properties"] = {"created_by": created_by}
    return {"subject": ANN, "action": {"name": "approve"}, "resource": resource, "context": context}


def model(conditions: Document, effect: str = "ALLOW") -> Document:
    """A model with one policy for approvers, of whom Ann is one."""
    policies: list[Document] = [{"id": "p", "effect": effect, "roles": ["approver"], "conditions": conditions} | SCOPE]
    if effect == "DENY":
        policies.append({"id": "all", "effect": "ALLOW", "roles": ["approver"]} | SCOPE)
    found: Document = {
        "model": 1,
        "resource_types": [{"id": "payment", "actions": ["approve"]}],
        "roles": [{"id": "approver"}],
        "assignments": [{"role": "approver", "subject": ANN}],
        "policies": policies,
    }
    return found | ({"extensions": ["references"]} if "value_of" in str(conditions) else {})


def sets_of(document: Document, request: Document, now: float, folder: Path) -> list[Document]:
    """The sets of changes, each of which the oracle allows."""
    found: list[Document] = engine_for(document, folder / "m.bundle").why_not(request, now)["sets"]
    assert all(allows(document, request, one["changes"], now) for one in found)
    assert not any(one["kind"] == "attribute" for found_set in found for one in found_set["changes"])
    return found


@pytest.mark.parametrize(
    ("effect", "op", "created_by", "words"),
    [
        ("ALLOW", "ne", "ann", "another person with the same roles asks"),
        ("DENY", "eq", "ann", "another person with the same roles asks"),
        ("ALLOW", "eq", "otto", "another person, such as `otto`, with the same roles asks"),
        ("DENY", "ne", "otto", "another person, such as `otto`, with the same roles asks"),
    ],
)
def test_who_made_it_stays_and_another_person_asks(effect, op, created_by, words, tmp_path):
    document = model({"resource_attrs": [{"key": "created_by", "op": op, "value_of": "subject.id"}]}, effect)
    sets = sets_of(document, asked(created_by=created_by), MONDAY, tmp_path)
    assert words in map(set_words, sets)


def test_a_resource_that_does_not_say_who_made_it_gets_no_maker(tmp_path):
    document = model({"resource_attrs": [{"key": "created_by", "op": "eq", "value_of": "subject.id"}]})
    kinds = [
        one["kind"] for found in sets_of(document, asked(created_by=None), MONDAY, tmp_path) for one in found["changes"]
    ]
    assert set(kinds) == {"grant"}


def test_the_clock_is_told_by_its_window(tmp_path):
    sets = sets_of(model({"time_window": HOURS}), asked(), SUNDAY, tmp_path)
    (change,) = sets[0]["changes"]
    assert (change["kind"], change["windows"]) == ("time", [HOURS])
    assert set_words(sets[0]) == "the caller asks from 07:00 on Monday to Friday (Europe/Oslo)"


def test_the_address_is_told_by_its_blocks(tmp_path):
    sets = sets_of(model({"ip_allowlist": ["10.3.0.0/16"]}), asked(ip="192.0.2.1"), MONDAY, tmp_path)
    assert set_words(sets[0]) == "the caller asks from 10.3.0.0/16"


def test_a_window_of_a_deny_is_told_by_an_instant(tmp_path):
    sets = sets_of(model({"time_window": HOURS}, "DENY"), asked(), MONDAY, tmp_path)
    words = [set_words(one) for one in sets]
    assert any(one.startswith("the caller asks at another time, such as 20") for one in words)
