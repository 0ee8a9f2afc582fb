"""`POST …/who-can` tells who can do an action, with the conditions that are left open."""

import json
from io import BytesIO
from typing import Any

import pytest
from writ.api.endpoints.insight.asking_who_can import WhoCanCall, find_who_can
from writ.api.engines.jobs.job import JobCall
from writ.api.review.asking.who_can_answer import NO_SUBJECT, NOT_REGISTERED, who_can_in
from writ.api.review.asking.who_can_request import read_who_can
from writ.api.store.actor import COMMAND_LINE
from writ.api.store.errors import NotFound
from writ.compiler.source import Source
from writ.runtime.rules.reasons import NO_ACTION, NO_TYPE

from tests.support.analysing import loaded_model
from tests.support.clock import Clock
from tests.support.hospital import hospital, policy
from tests.support.managed import ROOT, Managed

pytestmark = pytest.mark.service

WHO_CAN = f"{ROOT}/who-can"
NOW = 1_800_000_000.0
"""2027-01-15T08:00:00Z, a Friday."""


def model() -> dict[str, Any]:
    found = hospital()
    found["resource_types"] = [{"id": one, "actions": actions} for one, actions in _types().items()]
    found["resource_types"].append({"id": "vault", "actions": ["open"], "closed": True})
    found["resource_types"].append({"id": "v", "name": "Vault room", "actions": ["open"]})
    found["policies"].append(policy("vault-open", "", "vault", "open"))
    return found


def _types() -> dict[str, list[str]]:
    return {one["id"]: one["actions"] for one in hospital()["resource_types"]}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Managed:
    client = Managed(tmp_path_factory.mktemp("served"), clock=Clock(NOW))
    client.store.put_model("default", COMMAND_LINE, (Source("m.json", json.dumps(model()).encode()),))
    return client


def asked(served: Managed, type: str, action: str, **more: Any) -> dict[str, Any]:
    resource = {"type": type} | more.pop("resource", {})
    answer = served.simulate_post(WHO_CAN, json={"action": {"name": action}, "resource": resource} | more)
    assert answer.status_code == 200, answer.text
    return dict(answer.json)


def test_regions_say_what_is_left_open(served: Managed) -> None:
    found = asked(served, "lab_result", "release")
    (region,) = found["regions"]
    assert (region["resource_type"], region["action"]) == ("lab_result", "release")
    assert region["subjects"] == [{"type": "user", "id": "mia"}]
    assert region["roles"] == ["lab_tech"]
    assert region["when"] == [
        "the IP address in the context is within 10.9.1.0/24",
        "the `frozen` of the resource is missing, or has a value other than true",
        'the `state` of the resource is missing, or has a value other than "draft"',
    ]
    assert region["resources"] == 0, "none is registered"
    assert found["left_open"] == ["context.ip", "resource.frozen", "resource.state"]
    assert (found["unknown"], found["reason"], found["now"]) == ([], None, "2027-01-15T08:00:00Z")
    assert found["revision"] == 1


def test_what_the_question_sends_is_no_condition(served: Managed) -> None:
    found = asked(
        served,
        "lab_result",
        "release",
        resource={"id": "r1", "properties": {"state": "final", "frozen": None}},
        context={"ip": "10.9.1.7", "time": "2027-01-15T08:00:00Z"},
    )
    (region,) = found["regions"]
    assert (region["when"], region["resources"], found["left_open"]) == ([], None, [])
    assert region["witness"] == {
        "subject": {"type": "user", "id": "mia"},
        "action": {"name": "release"},
        "resource": {"type": "lab_result", "id": "r1", "properties": {"state": "final", "frozen": None}},
        "context": {"time": "2027-01-15T08:00:00Z", "ip": "10.9.1.7"},
    }


def test_a_rate_limit_is_left_open(served: Managed) -> None:
    found = asked(served, "medication", "dispense")
    (region,) = found["regions"]
    assert region["subjects"] == [{"type": "user", "id": "per"}]
    assert "the rate limit is not reached" in region["when"]
    assert "rate_limit" in found["left_open"]


def test_what_another_policy_allows_hangs_on_no_rate_limit(served: Managed) -> None:
    limit = {"rate_limit": {"limit": 5, "window_seconds": 60}}
    policies = [policy("limited", "", "bell", "ring", **limit), policy("doctors", "doctor", "bell", "ring")]
    model = {key: hospital()[key] for key in ("model", "roles", "groups", "subjects", "assignments")}
    model |= {"policies": policies, "resource_types": [{"id": "bell", "actions": ["ring"]}]}
    question, _ = read_who_can({"action": {"name": "ring"}, "resource": {"type": "bell"}}, NOW)
    found = who_can_in(loaded_model(model), question, registered=False)
    by_condition = {one.when: {subject.id for subject in one.subjects} for one in found.regions}
    assert by_condition[()] == {"bob", "eva", "ian"}
    assert "per" in by_condition["the rate limit is not reached",]
    assert found.left_open == ("rate_limit",)


def test_registered_attributes_count_if_they_are_asked_for(served: Managed) -> None:
    sent = {"resource": {"id": "c1"}, "subject": {"type": "user"}}
    (doctors, *others) = asked(served, "chart", "sign", **sent)["regions"]
    assert [one["id"] for one in doctors["subjects"]] == ["bob", "eva", "ian"]
    assert not others
    for options, read in ({}, True), ({"attributes": "registered"}, False):
        found = asked(served, "chart", "write", **sent, options=options)
        assert ("resource.status" in found["left_open"]) is read


@pytest.mark.parametrize(
    ("type", "action", "resource", "reason"),
    [
        ("attic", "read", {}, NO_TYPE),
        ("chart", "burn", {}, NO_ACTION),
        ("vault", "open", {"id": "v9"}, NOT_REGISTERED),
        ("chart", "write", {"id": "c9", "properties": {"vip": True}}, NO_SUBJECT),
    ],
)
def test_an_empty_answer_says_why(
    served: Managed, type: str, action: str, resource: dict[str, Any], reason: str
) -> None:
    found = asked(served, type, action, resource=resource)
    assert (found["regions"], found["unknown"], found["reason"]) == ([], [], reason)


def test_a_slip_is_told_before_any_work(served: Managed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the job: an undeclared type once ended it with a KeyError, after seconds on a large model."""
    monkeypatch.setattr("writ.api.engines.jobs.runner.Jobs.run", None)
    for type, action, reason in (
        ("v", "open", f"{NO_TYPE}: requests name this type `Vault room`"),
        ("chrat", "read", f"{NO_TYPE}: did you mean `chart`?"),
        ("chart", "raed", f"{NO_ACTION}: did you mean `read`?"),
    ):
        told = asked(served, type, action)
        assert (told["regions"], told["left_open"], told["reason"]) == ([], [], reason)
        assert told["revision"] >= 1


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"action": {}}, "$.action.name"),
        ({"resource": {"type": "chart", "id": "a", "name": "b"}}, "$.resource"),
        ({"options": {"actor": {"type": "user", "id": "bob"}}}, "$.options.actor"),
        ({"options": {"attributes": "all"}}, "$.options.attributes"),
        ({"subject": {"id": "bob"}}, "$.subject.type"),
    ],
)
def test_a_malformed_question_is_refused(served: Managed, change: dict[str, Any], path: str) -> None:
    body = {"action": {"name": "read"}, "resource": {"type": "chart"}} | change
    answer = served.simulate_post(WHO_CAN, json=body)
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, path), answer.text


def test_another_environment_of_the_same_id_is_not_asked(served: Managed) -> None:
    request = WhoCanCall("default", "another", {}, NOW)
    with pytest.raises(NotFound, match="there is no environment `default` any more"):
        find_who_can(JobCall(served.store, request, BytesIO(), lambda *_: None))
