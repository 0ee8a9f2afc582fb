"""`changes:preview`: what changes would do to elements, stored tests and the newest decisions; nothing is written."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.api.conftest import MODEL
from tests.api.endpoints.previewing.test_test_run import (
    ALICE,
    BOB,
    CHANGE,
    DOCUMENTED,
    OPEN,
    PATH,
    PLAN,
    ROOT,
    SETS,
    assignment,
)
from tests.support.server import running
from tests.support.waiting import wait_until

PREVIEW = f"{ROOT}/changes:preview"
EVALUATE = "/access/v1/evaluation"
NEAR = "/environments/near"


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("preview") / "decisions.jsonl"


@pytest.fixture(scope="module")
def served(log: Path) -> Iterator[httpx.Client]:
    model = log.with_name("model.json")
    limited = OPEN | {"id": "limited", "conditions": {"rate_limit": {"limit": 5, "window_seconds": 60}}}
    limited["resource_types"] = [{"resource_type_id": "scroll", "actions": ["read"]}]
    model.write_text(json.dumps({"model": 1} | MODEL | {"policies": [*MODEL["policies"], limited]}))
    arguments = ("--import", str(model), "--workers", "2", "--decision-log", str(log))
    with running(log.with_name("data"), *arguments) as server, server.client() as client:
        client.post("/v1/environments", json={"id": "near"})
        for one in SETS:
            assert client.post(f"{ROOT}/tests", json=one).status_code == 201
        for subject, action, resource in (
            (BOB, "read", PLAN),
            (ALICE, "read", PLAN),
            (BOB, "read", {"type": "document", "id": "d2"}),
            (BOB, "read", {"type": "scroll", "id": "s"}),
        ):
            request = {"subject": subject, "action": {"name": action}, "resource": resource}
            assert client.post(EVALUATE, json=request).status_code == 200
            assert client.post(f"{NEAR}{EVALUATE}", json=request).status_code == 200
        search = {"subject": BOB, "action": {"name": "read"}, "resource": {"type": "document"}}
        assert client.post("/access/v1/search/resource", json=search | {"options": {}}).status_code == 200
        assert client.post("/access/v1/search/resource", json=search | {"options": {"return": "results"}}).is_success
        wait_until(lambda: log.read_bytes().count(b"\n") >= 10)
        yield client


def previewed(client: httpx.Client, *changes: Any, **more: Any) -> Any:
    answer = client.post(PREVIEW, json={"changes": changes}, **more)
    assert answer.status_code == 200, answer.text
    DOCUMENTED[f"{PATH}/changes:preview"]["POST"].validate_response(answer)
    return answer.json()


def test_a_preview_tells_of_elements_tests_and_decisions(served: httpx.Client) -> None:
    before = (
        served.get(f"{ROOT}/model").json(),
        served.get(ROOT).json(),
        served.get("/v1/audit?event=model.changed").json(),
    )
    found = previewed(served, CHANGE)
    assert (
        served.get(f"{ROOT}/model").json(),
        served.get(ROOT).json(),
        served.get("/v1/audit?event=model.changed").json(),
    ) == before
    assert found["revision"] == before[1]["revision"]
    added = {"kind": "policies", "id": "open", "change": "added", "before": None, "after": {"id": "open"} | OPEN}
    text = ["+ policy open", "+     allow everyone to read document"]
    assert found["elements"] == [added | {"text": text}]
    assert [(one["code"], one["severity"], one["path"], one["change"]) for one in found["diagnostics"]] == [
        ("allow-everyone", "warning", "$.effect", 0)
    ]
    tests = found["tests"]
    assert (tests["passed"], tests["failed"], tests["not_run"], tests["truncated"]) == (2, 3, 0, False)
    changed = {one["test"]["name"]: (one["before"]["passed"], one["after"]["passed"]) for one in tests["changed"]}
    assert changed == {"who does what": (True, False), "bob reads": (False, True)}
    assert tests["flips"] == 2
    assert tests["changed"][0]["test"] == {"id": "a", "name": "who does what"}
    assert [one["label"] for one in tests["changed"][0]["after"]["failures"]] == ["bob, read, plan"]

    decisions = found["decisions"]
    groups = decisions.pop("groups")
    counts = {"replayed": 4, "changed": 3, "masked": 0, "rate_limited": 1, "not_compared": 1}
    effects = {"now_allowed": 2, "now_denied": 0, "other_filter": 1, "other_reason": 0}
    expected = counts | {"effects": effects, "at_this_server": False, "by_console": 0}
    assert decisions == expected, "the records of another environment do not count"
    told = {(one["before"], one["after"], one["policy_id"], one["policy_before"], one["count"]) for one in groups}
    assert told == {
        ("ACTION_NOT_PERMITTED", "ALLOWED", "open", None, 2),
        ("FILTER", "OTHER_FILTER", None, None, 1),
    }
    newest = next(one for one in groups if one["after"] == "ALLOWED")["example"]
    assert newest["request"]["resource"]["id"] == "d2"


def test_tests_whose_decision_flips_come_before_those_with_another_reason(served: httpx.Client) -> None:
    """However they are ordered in their sets."""
    asked = {"request": {"subject": BOB, "action": {"name": "read"}, "resource": PLAN}}
    tests = [
        {"name": "the reason", **asked, "expect": {"reason_code": "ACTION_NOT_PERMITTED"}},
        {"name": "the decision", **asked, "expect": {"decision": False}},
    ]
    assert served.post(f"{ROOT}/tests", json={"id": "0", "tests": tests}).status_code == 201
    try:
        found = previewed(served, CHANGE)["tests"]
    finally:
        served.delete(f"{ROOT}/tests/0")
    names = [one["test"]["name"] for one in found["changed"]]
    assert (names[0], names[-1]) == ("the decision", "the reason")
    assert (found["flips"], len(names)) == (3, 4)


def test_a_deletion_shows_all_that_goes(served: httpx.Client) -> None:
    found = previewed(served, {"kind": "roles", "id": "editor", "element": None, "cascade": True})
    gone = {(one["kind"], one["id"], one["change"]) for one in found["elements"]}
    assert gone == {
        ("roles", "editor", "removed"),
        ("policies", "edit", "removed"),
        ("assignments", assignment(served), "removed"),
    }
    assert all(one["before"] and one["after"] is None for one in found["elements"])
    assert {one["test"]["name"] for one in found["tests"]["changed"]} == {"alice updates", "who does what"}
    subject = {"kind": "subjects", "type": "user", "id": "alice", "element": {"external_id": "x"}}
    (element,) = previewed(served, subject)["elements"]
    assert (element["type"], element["id"], element["change"]) == ("user", "alice", "changed")


def test_what_changes_nothing_shows_nothing(served: httpx.Client) -> None:
    policy = MODEL["policies"][0]
    found = previewed(served, {"kind": "policies", "element": policy})
    assert (found["elements"], found["tests"]["changed"], found["decisions"]["changed"]) == ([], [], 0)


def test_a_faulty_change_has_diagnostics_alone(served: httpx.Client) -> None:
    role, effect = OPEN | {"roles": ["editr"]}, OPEN | {"effect": "ALOW"}
    found = previewed(
        served, {"kind": "policies", "id": "x", "element": role}, {"kind": "policies", "id": "y", "element": effect}
    )
    diagnostics = found.pop("diagnostics")
    nothing = dict.fromkeys(("revision", "tests", "decisions", "people"))
    assert found == nothing | {"elements": [], "truncated": False}
    told = [(one["code"], one["severity"], one["path"], one["change"], one["help"]) for one in diagnostics]
    assert ("unknown-role", "error", "$.roles[0]", 0, "did you mean `editor`?") in told
    assert {one["change"] for one in diagnostics} == {0, 1}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"kind": "extensions", "element": ["now", "nwo"]}, ("unknown-value", "$[1]", "did you mean `now`?")),
        ({"kind": "requests", "element": {"mode": "strict"}}, ("wrong-type", "$", "")),
        ({"kind": "attributes", "element": ["strict"]}, ("wrong-type", "$", None)),
        ({"kind": "roles", "element": "editor"}, ("wrong-type", "$", None)),
        ({"kind": "roles", "id": "x", "element": 5}, ("wrong-type", "$", None)),
        ({"kind": "requests", "element": "strict"}, ("too-many-affected", "$", "try fewer changes at a time")),
    ],
)
def test_an_element_may_have_any_type_in_the_request(served: httpx.Client, change: Any, fault: tuple[str, ...]) -> None:
    """The element of a single member is the value that a document has."""
    (told,) = previewed(served, change)["diagnostics"]
    assert (told["code"], told["path"]) == fault[:2]
    assert fault[2] in (None, told["help"])


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"changes": []}, 400),
        ({}, 400),
        ({"changes": [CHANGE], "more": 1}, 400),
        ({"changes": [{"kind": "policies", "id": "nothing", "element": None}]}, 404),
        ({"changes": [{"kind": "roles", "id": "editor", "element": None}]}, 409),
    ],
)
def test_other_refusals_are_those_of_a_write(served: httpx.Client, body: Any, status: int) -> None:
    answer = served.post(PREVIEW, json=body)
    assert answer.status_code == status
    assert answer.json()["error"]


def test_who_may_preview_and_who_learns_what_the_decision_log_says(served: httpx.Client) -> None:
    """Counts alone tell what is in the log: a DENY with a pattern asks for an attribute, letter by letter."""
    for scope, environment, status, hides in (
        ("read", "default", 403, True),
        ("admin", "near", 403, True),
        ("write", "default", 200, True),
        ("admin", "default", 200, False),
    ):
        body = {"name": "k", "scopes": [scope], "environments": [environment]}
        headers = {"Authorization": f"Bearer {served.post('/v1/api-keys', json=body).json()['key']}"}
        answer = served.post(PREVIEW, json={"changes": [CHANGE]}, headers=headers)
        assert answer.status_code == status
        if status == 200:
            assert (answer.json()["decisions"] is None) is hides


def test_an_environment_that_changes_by_promotion_only_refuses_as_a_write_does(served: httpx.Client) -> None:
    path = "/v1/environments/strict"
    served.post("/v1/environments", json={"id": "strict", "promotion_only": True})
    role = {"kind": "roles", "element": {"id": "r"}}
    answer, written = (
        served.post(f"{path}/changes:preview", json={"changes": [role]}),
        served.post(f"{path}/roles", json=role["element"]),
    )
    assert (answer.status_code, answer.json()) == (written.status_code, written.json()) == (409, written.json())


def test_a_preview_is_what_the_commit_then_does(served: httpx.Client) -> None:
    """The previewed outcomes are those after the change is written; then the change changes nothing any more."""
    closed = {"id": "document", "actions": ["read", "update", "delete"], "closed": True}
    policy = OPEN | {"effect": "DENY", "conditions": {"resource_attrs": [{"key": "x", "op": "eq", "value": 1}]}}
    for path, change in (
        ("policies/open", CHANGE),
        ("policies/open", CHANGE | {"element": policy}),
        ("resource-types/document", {"kind": "resource_types", "element": closed}),
        ("grants/g2", {"kind": "grants", "id": "g2", "element": grant(BOB, "update")}),
        ("groups/g", {"kind": "groups", "id": "g", "element": {"members": [BOB]}}),
        ("assignments/a2", {"kind": "assignments", "id": "a2", "element": {"role": "editor", "group": "g"}}),
    ):
        found = previewed(served, change)
        report = served.post(f"{ROOT}/tests:run", json={"changes": [change]}).json()
        exists = served.get(f"{ROOT}/{path}").is_success
        headers = {} if exists else {"If-None-Match": "*"}
        assert served.put(f"{ROOT}/{path}", json=change["element"], headers=headers).is_success
        now = served.post(f"{ROOT}/tests:run", json={}).json()
        assert now == report | {"revision": report["revision"] + 1}
        assert (found["tests"]["passed"], found["tests"]["failed"]) == (now["passed"], now["failed"])
        again = previewed(served, change)
        assert (again["elements"], again["tests"]["changed"], again["decisions"]["changed"]) == ([], [], 0)


def grant(subject: Any, action: str) -> dict[str, Any]:
    return {"subject": subject, "resource": PLAN, "actions": [action]}


def test_questions_of_the_console_are_logged_and_left_out(served: httpx.Client, log: Path) -> None:
    """An id of another shape is that of an application, whatever it begins with."""
    asked = {"subject": BOB, "action": {"name": "read"}, "resource": PLAN}
    before = previewed(served, CHANGE)["decisions"]
    for id in ("console-0123456789abcdef", "console-1"):
        headers = {"X-Request-ID": id}
        served.post("/access/v1/evaluation", json=asked, headers=headers).raise_for_status()
    wait_until(lambda: b"console-0123456789abcdef" in log.read_bytes() and b'console-1"' in log.read_bytes())
    after = previewed(served, CHANGE)["decisions"]
    assert (after["by_console"], after["replayed"]) == (1, before["replayed"] + 1)


def test_records_of_an_earlier_environment_of_that_id_are_left_out(served: httpx.Client, log: Path) -> None:
    """A new environment's credentials learn nothing of the one that had its name before."""
    for environment, replays in (("near", 4), ("near", 0)):
        found = served.post(
            f"/v1/environments/{environment}/changes:preview",
            json={"changes": [{"kind": "roles", "element": {"id": "r"}}]},
        ).json()
        assert found["decisions"]["replayed"] == replays
        served.delete("/v1/environments/near")
        served.post("/v1/environments", json={"id": "near"})


def test_no_log_and_a_log_of_other_programs(served: httpx.Client, log: Path) -> None:
    kept, aside = log.read_bytes(), log.with_name("aside")
    log.rename(aside)  # the tests come in any order, so the others find the log again
    log.write_bytes(b'no record\n{"time": 1}\n\n[]\n' + kept[: len(kept) // 2])
    assert previewed(served, CHANGE)["decisions"]["replayed"] <= 4
    log.unlink()
    assert previewed(served, CHANGE)["decisions"]["replayed"] == 0
    aside.rename(log)


def test_a_preview_says_who_gains_and_who_loses(served: httpx.Client) -> None:
    found = previewed(served, {"kind": "policies", "id": "open", "element": OPEN})
    people = found["people"]
    assert people["gains"], people
    assert not people["unknown"]
    for region in people["gains"]:
        answer = served.post("/environments/default/access/v1/evaluation", json=region["witness"])
        assert answer.json()["decision"] is False
