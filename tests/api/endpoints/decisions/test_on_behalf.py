"""An actor that acts for a subject, at a real service: evaluations, batches, searches, and the decision log (A1)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.server import Server, running
from tests.support.waiting import wait_until

ALLOW: dict[str, Any] = {"effect": "ALLOW"}
MODEL: dict[str, Any] = {
    "model": 1,
    "resource_types": [{"id": "document", "actions": ["read", "delete"]}],
    "roles": [{"id": "editor"}, {"id": "reader"}],
    "subjects": [{"type": "user", "id": f"u{n}"} for n in range(6)],
    "resources": [{"type": "document", "id": f"d{n}", "attributes": {"size": n}} for n in range(6)],
    "assignments": [
        *({"role": "editor", "subject": {"type": "user", "id": f"u{n}"}} for n in range(4)),
        {"role": "reader", "subject": {"type": "agent", "id": "bot"}},
    ],
    "policies": [
        ALLOW
        | {"id": "edit", "roles": ["editor"], "resource_types": [{"resource_type_id": "document", "actions": ["*"]}]},
        ALLOW
        | {
            "id": "large",
            "roles": ["reader"],
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
            "conditions": {"resource_attrs": [{"key": "size", "op": "gte", "value": 3}]},
        },
    ],
}
BOT = {"type": "agent", "id": "bot"}
ON_BEHALF = {"options": {"actor": BOT}}


def asked(action: str = "read", size: int = 5) -> dict[str, Any]:
    resource = {"type": "document", "id": "d5", "properties": {"size": size}}
    return {"subject": {"type": "user", "id": "u1"}, "action": {"name": action}, "resource": resource}


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("behalf") / "decisions.log"


@pytest.fixture(scope="module")
def server(log: Path) -> Iterator[Server]:
    (model := log.parent / "model.json").write_text(json.dumps(MODEL))
    with running(log.parent / "data", "--import", str(model), "--decision-log", str(log)) as started:
        yield started


@pytest.fixture(scope="module")
def http(server: Server) -> Iterator[httpx.Client]:
    with server.client() as client:
        yield client


def posted(http: httpx.Client, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = http.post(f"/access/v1/{path}", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_an_evaluation_and_its_proof(http: httpx.Client) -> None:
    assert posted(http, "evaluation", asked() | ON_BEHALF)["decision"] is True
    denied = posted(http, "evaluation", asked("delete") | ON_BEHALF)
    assert (denied["decision"], denied["context"]["denied_for"]) == (False, "actor")
    why = http.post("/v1/environments/default/explain", json=asked(size=1) | ON_BEHALF).json()
    assert why["sentences"][1] == "The subject is allowed, but the actor is not. This is about the actor:"
    assert [need["id"] for need in why["needs"]] == ["large", "edit"]


def test_a_batch_by_its_options_and_by_those_of_an_item(http: httpx.Client) -> None:
    items: list[dict[str, Any]] = [{}, {"action": {"name": "delete"}}]
    found = posted(http, "evaluations", asked() | ON_BEHALF | {"evaluations": items})["evaluations"]
    assert [one["decision"] for one in found] == [True, False]
    items = [asked("delete"), asked("delete") | ON_BEHALF, {"options": {"actor": {"type": "agent"}}}]
    found = posted(http, "evaluations", asked() | {"evaluations": items})["evaluations"]
    assert [one["decision"] for one in found] == [True, False, False]
    assert found[2]["context"]["error"]["status"] == 400


def test_searches_show_what_both_may_do(http: httpx.Client) -> None:
    found = posted(http, "search/resource", asked() | {"options": {"actor": BOT, "return": "both"}})
    assert found["filter"] == {"type": "field", "field": "size", "operator": "gte", "value": 3}
    assert [(one["id"], one["actions"]) for one in found["results"]] == [(f"d{n}", ["read"]) for n in (3, 4, 5)]
    assert [one["name"] for one in posted(http, "search/action", asked() | ON_BEHALF)["results"]] == ["read"]
    subjects = asked() | {"subject": {"type": "user"}}
    found = posted(http, "search/subject", subjects | ON_BEHALF)
    assert [one["id"] for one in found["results"]] == ["u0", "u1", "u2", "u3"]
    small = subjects | {"resource": {"type": "document", "id": "d1", "properties": {"size": 1}}}
    assert posted(http, "search/subject", small | ON_BEHALF)["results"] == []


def test_a_page_token_is_bound_to_the_actor(http: httpx.Client) -> None:
    search = asked() | {"subject": {"type": "user"}}
    first = posted(http, "search/subject", search | ON_BEHALF | {"page": {"limit": 2}})
    page = {"page": {"limit": 2, "token": first["page"]["next_token"]}}
    assert [one["id"] for one in posted(http, "search/subject", search | ON_BEHALF | page)["results"]] == ["u2", "u3"]
    for options in ({}, {"actor": BOT | {"id": "other"}}, {"actor": BOT | {"properties": {"a": 1}}}):
        assert http.post("/access/v1/search/subject", json=search | page | {"options": options}).status_code == 400


def test_faults_have_their_places(http: httpx.Client) -> None:
    for path in ("evaluation", "search/resource", "search/subject", "search/action"):
        answer = http.post(f"/access/v1/{path}", json=asked() | {"options": {"actor": {"type": "agent"}}})
        assert (answer.status_code, answer.json()["details"][0]["path"]) == (400, "$.options.actor")


def test_the_decision_log_names_both(http: httpx.Client, log: Path) -> None:
    body = asked("delete") | ON_BEHALF
    id = {"X-Request-ID": "asked-for-both"}
    http.post("/access/v1/evaluation", json=body, headers=id)
    assert wait_until(lambda: "asked-for-both" in log.read_text())
    record = next(json.loads(line) for line in log.read_text().splitlines() if "asked-for-both" in line)
    assert record["request"] == body
    assert record["answer"]["context"]["denied_for"] == "actor"
