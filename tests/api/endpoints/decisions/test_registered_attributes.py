"""Requests with registered attributes at a real service: evaluations, batches, searches, and the agent (E9)."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.server import Server, running

REGISTERED = {"attributes": "registered"}
OLD = 40
MODEL: dict[str, Any] = {
    "model": 1,
    "resource_types": [{"id": "document", "actions": ["read", "delete"]}],
    "subjects": [{"type": "user", "id": f"u{n:02}", "attributes": {"level": n}} for n in range(OLD + 10)],
    "resources": [{"type": "document", "id": "d1", "name": "Plan", "attributes": {"status": "final", "least": 10}}],
    "policies": [
        {
            "id": "seniors",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "document", "actions": ["delete"]}],
            "conditions": {
                "subject_attrs": [{"key": "level", "op": "gte", "value": 10}],
                "resource_attrs": [{"key": "status", "op": "eq", "value": "final"}],
            },
        },
    ],
}
PLAN = {"type": "document", "id": "d1"}
DELETE = {"name": "delete"}
SENIOR, JUNIOR = {"type": "user", "id": "u20"}, {"type": "user", "id": "u01"}
ASKED: dict[str, Any] = {"subject": SENIOR, "action": DELETE, "resource": PLAN}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("registered")
    (model := folder / "model.json").write_text(json.dumps(MODEL))
    with running(folder / "data", "--import", str(model), "--workers", "2") as started:
        yield started


@pytest.fixture(scope="module")
def http(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {server.key}"}, timeout=30) as client:
        yield client


def posted(http: httpx.Client, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = http.post(f"/access/v1/{path}", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_who_can_delete_a_registered_document(http: httpx.Client) -> None:
    """Issue 28.15: the request sent the document bare, and the answer was: no one."""
    search = {"subject": {"type": "user"}, "action": DELETE, "resource": PLAN}
    assert posted(http, "search/subject", search)["results"] == []
    found = posted(http, "search/subject", search | {"options": REGISTERED})["results"]
    assert [one["id"] for one in found] == [f"u{n:02}" for n in range(10, OLD + 10)]


def test_the_other_searches(http: httpx.Client) -> None:
    options = {"options": REGISTERED}
    assert posted(http, "search/action", ASKED)["results"] == []
    assert posted(http, "search/action", ASKED | options)["results"] == [{"name": "delete", "access_path": "abac"}]
    assert posted(http, "search/resource", ASKED | {"options": {}})["filter"] == {"type": "const", "value": False}
    both = posted(http, "search/resource", ASKED | {"options": REGISTERED | {"return": "both"}})
    assert both["filter"] == {"type": "field", "field": "status", "operator": "eq", "value": "final"}
    assert [one["id"] for one in both["results"]] == ["d1"]


def test_an_evaluation_and_its_proof(http: httpx.Client) -> None:
    assert posted(http, "evaluation", ASKED)["decision"] is False
    assert posted(http, "evaluation", ASKED | {"options": REGISTERED})["decision"] is True
    assert posted(http, "evaluation", ASKED | {"subject": JUNIOR, "options": REGISTERED})["decision"] is False
    explained = posted(http, "evaluation", ASKED | {"options": REGISTERED | {"explain": True}})
    shown = explained["context"]["explanation"]["candidates"][0]["conditions"]
    assert {row["key"]: row["actual"] for row in shown} == {"level": 20, "status": "final"}
    answer = http.post("/v1/environments/default/explain", json=ASKED | {"options": REGISTERED})
    assert answer.json()["decision"] is True


def test_a_batch_by_its_options_and_by_those_of_an_item(http: httpx.Client) -> None:
    items: list[dict[str, Any]] = [{}, {"subject": JUNIOR}, {"resource": PLAN | {"properties": {"status": None}}}]
    found = posted(http, "evaluations", ASKED | {"options": REGISTERED, "evaluations": items})["evaluations"]
    assert [one["decision"] for one in found] == [True, False, False]
    items = [{}, {"options": REGISTERED}, {"options": {"attributes": "sent"}}]
    found = posted(http, "evaluations", ASKED | {"evaluations": items})["evaluations"]
    assert [one["decision"] for one in found] == [False, True, False]
    assert found[2]["context"]["error"]["status"] == 400


def test_another_value_is_refused(http: httpx.Client) -> None:
    for path in ("evaluation", "search/resource", "search/subject", "search/action"):
        answer = http.post(f"/access/v1/{path}", json=ASKED | {"options": {"attributes": "sent"}})
        assert answer.status_code == 400
        assert answer.json()["details"][0]["path"] == "$.options.attributes"


def test_a_write_counts_for_the_next_request(http: httpx.Client) -> None:
    """The attributes are those of the revision that decides, on every worker, also while writes go on."""
    asking = ASKED | {"resource": {"type": "document", "id": "moving"}, "options": REGISTERED}
    at = "/v1/environments/default/resources"
    for turn in range(20):
        status = "final" if turn % 2 else "draft"
        body = {"type": "document", "id": "moving", "attributes": {"status": status}}
        written = http.put(f"{at}/document/moving", json=body) if turn else http.post(at, json=body)
        assert written.status_code in (200, 201), written.text
        assert posted(http, "evaluation", asking)["decision"] is (status == "final")


def test_a_page_token_stays_with_the_option(http: httpx.Client) -> None:
    search = {"subject": {"type": "user"}, "action": DELETE, "resource": PLAN, "options": REGISTERED}
    first = posted(http, "search/subject", search | {"page": {"limit": 3}})
    token = first["page"]["next_token"]
    second = posted(http, "search/subject", search | {"page": {"limit": 3, "token": token}})
    assert [one["id"] for one in second["results"]] == ["u13", "u14", "u15"]
    other = search | {"options": {}, "page": {"limit": 3, "token": token}}
    assert http.post("/access/v1/search/subject", json=other).status_code == 400


@pytest.mark.parametrize(("scope", "shown"), [("decide", False), ("read", True)])
def test_a_key_that_may_not_read_the_registry_is_told_no_value(
    server: Server, http: httpx.Client, scope: str, shown: bool
) -> None:
    """The evaluation, an item of a batch, and an actor: an explanation is no way round `GET …/subjects`."""
    made = http.post("/v1/api-keys", json={"name": scope, "scopes": [scope]})
    headers = {"Authorization": f"Bearer {made.json()['key']}"}
    question = ASKED | {"subject": JUNIOR, "options": REGISTERED | {"explain": True}}
    on_behalf = ASKED | {"options": REGISTERED | {"explain": True, "actor": JUNIOR}}
    with httpx.Client(base_url=server.url, headers=headers, timeout=30) as asking:
        assert asking.get("/v1/environments/default/subjects/user/u01").is_success is shown
        for body in (question, on_behalf):
            answers = [
                posted(asking, "evaluation", body),
                posted(asking, "evaluations", body),
                posted(asking, "evaluations", {"evaluations": [body]})["evaluations"][0],
            ]
            for one in answers:
                assert one["decision"] is False
                assert ('"actual": 1,' in json.dumps(one)) is shown
                assert ('"actual": "final"' in json.dumps(one)) is shown
                assert ("hidden" in json.dumps(one)) is not shown
