"""Strict requests at a real service, an agent and a gateway: the oracle's faults in every way of asking (E8)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.command import writ
from tests.support.oracle_strict import strict_faults
from tests.support.server import KEY, Server, command, environment, running, started

MODEL: dict[str, Any] = {
    "model": 1,
    "requests": "strict",
    "resource_types": [
        {
            "id": "document",
            "actions": ["read", "update"],
            "attributes": {"status": {"kind": "string", "one_of": ["draft", "final"]}, "size": "number"},
        }
    ],
    "attributes": {
        "subject": {"user": {"dept": "string"}},
        "context": {"mfa": {"kind": "boolean", "required": True}, "path": "string"},
    },
    "policies": [
        {"id": "p", "effect": "ALLOW", "resource_types": [{"resource_type_id": "document", "actions": ["*"]}]},
    ],
    "routes": [
        {
            "id": "read",
            "methods": ["GET"],
            "path": "/documents/{id}",
            "resource_type": "document",
            "action": "read",
            "attributes": {"size": "query:size", "stauts": "query:stauts"},
        }
    ],
}
GOOD: dict[str, Any] = {
    "subject": {"type": "user", "id": "alice", "properties": {"dept": "law"}},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "1", "properties": {"status": "draft"}},
    "context": {"mfa": True},
}
BAD: list[dict[str, Any]] = [
    GOOD | {"resource": {"type": "documnt", "id": "1"}},
    GOOD | {"action": {"name": "raed", "properties": {"x": 1}}},
    GOOD | {"subject": {"type": "user", "id": "alice", "attributes": {"dpt": 1}, "nme": 1}},
    GOOD | {"resource": {"type": "document", "id": "1", "properties": {"status": "drfat", "size": "1", "siez": 1}}},
    GOOD | {"context": {"mfa": "true"}},
    GOOD | {"context": {"time": 1}},
    GOOD | {"contxt": {}, "options": {"strict": False, "explian": True}},
]
EVALUATION, BATCH = "/access/v1/evaluation", "/access/v1/evaluations"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("strict")
    (folder / "model.json").write_text(json.dumps(MODEL))
    writ("compile", folder / "model.json", "-o", folder / "model.bundle")
    return folder


@pytest.fixture(scope="module")
def service(folder: Path) -> Iterator[Server]:
    with running(folder / "data", "--import", str(folder / "model.json")) as server:
        with server.client() as http:
            settings = {"subject": {"header": "X-User"}, "trusted_proxies": ["127.0.0.1"]}
            http.put("/v1/environments/default/gateway", json=settings).raise_for_status()
        yield server


@pytest.fixture(scope="module")
def agent(folder: Path) -> Iterator[Server]:
    line = command("agent", "--bundle", str(folder / "model.bundle"), "--unsigned", "--workers", "1", "--bind")
    with started([*line, "127.0.0.1:0"], environment(), folder / "agent.log", folder) as server:
        yield server


@pytest.fixture(params=["service", "agent"])
def http(request: pytest.FixtureRequest) -> Iterator[httpx.Client]:
    server: Server = request.getfixturevalue(request.param)
    with server.client() as client:
        yield client


def faults(details: list[dict[str, str]]) -> list[tuple[str, str]]:
    return [(one["code"], one["path"]) for one in details]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_service_and_agent_refuse_what_the_oracle_refuses(http: httpx.Client, number: int) -> None:
    request = BAD[number]
    answer, expected = http.post(EVALUATION, json=request), strict_faults(MODEL, request)
    assert (answer.status_code, faults(answer.json()["details"])) == (400, expected), answer.text
    assert answer.json()["details"][0]["message"] in answer.json()["error"]
    assert http.post(BATCH, json=request).json() == answer.json()
    (item,) = http.post(BATCH, json={"evaluations": [request]}).json()["evaluations"]
    assert (item["decision"], faults(item["context"]["error"]["details"])) == (False, expected)
    search = request | {"resource": {"type": "document"}, "options": {"return": "filter", "retrun": 1}}
    answer = http.post("/access/v1/search/resource", json=search)
    assert (answer.status_code, faults(answer.json()["details"])) == (400, strict_faults(MODEL, search, "resource"))


def test_what_has_no_fault_is_answered(http: httpx.Client) -> None:
    assert http.post(EVALUATION, json=GOOD).json()["decision"] is True
    search = GOOD | {"resource": {"type": "document", "anything": 1}, "options": {"return": "filter"}}
    assert http.post("/access/v1/search/resource", json=search).json()["filter"] == {"type": "const", "value": True}


def test_a_batch_is_judged_itself_and_then_item_by_item(http: httpx.Client) -> None:
    for wrong, path in (({"evalutions": []}, "$.evalutions"), ({"options": {"evaluation_semantic": 1}}, None)):
        answer = http.post(BATCH, json=GOOD | {"evaluations": [{}]} | wrong)
        assert answer.status_code == 400
        expected = path or "$.options.evaluation_semantic"
        assert faults(answer.json()["details"]) == [("unknown-member", expected)]
    items = [{}, {"action": {"name": "raed"}}, {"contxt": 1}, {"context": {}}]
    body = GOOD | {"evaluations": items, "options": {"evaluations_semantic": "execute_all"}}
    found = http.post(BATCH, json=body).json()["evaluations"]
    assert [faults(one["context"].get("error", {}).get("details", [])) for one in found] == [
        [],
        [("undeclared-action", "$.action.name")],
        [("unknown-member", "$.contxt")],
        [("missing-required", "$.context.mfa")],
    ]


def test_the_other_searches_and_the_short_form(service: Server) -> None:
    with service.client() as http:
        for kind in ("subject", "action"):
            for request in BAD:
                answer, expected = (
                    http.post(f"/access/v1/search/{kind}", json=request),
                    strict_faults(MODEL, request, kind),
                )
                assert answer.status_code == (400 if expected else 200)
                assert faults(answer.json().get("details", [])) == expected
        short = {"subject": "user:alice", "action": "raed", "resource": "document:1", "context": {"mfa": True}}
        answer = http.post("/v1/authorize", json=short)
        assert (answer.status_code, answer.json()["details"][0]["code"]) == (400, "undeclared-action")
        (result,) = http.post("/v1/authorize", json={"requests": [short]}).json()["results"]
        assert (result["allowed"], result["error"]["status"]) == (False, 400)


def test_a_gateway_gets_a_403_with_the_sentence(service: Server) -> None:
    headers = {"X-User": "user:alice", "X-Writ-Authorization": f"Bearer {KEY}", "X-Original-Method": "GET"}
    with httpx.Client(base_url=service.url) as http:
        for target, said in (
            ("/documents/1?size=1", "`mfa` of the context is required (at $.context.mfa)"),
            ("/documents/1?size=x", "`size` of the resource type `document` is declared as number"),
            ("/documents/1?stauts=x", "declares no attribute `stauts`; did you mean `status`?"),
        ):
            answer = http.get("/gateway/nginx", headers=headers | {"X-Original-URI": target})
            assert (answer.status_code, said in answer.json()["error"]) == (403, True), answer.text


def test_faults_are_counted_by_their_code(http: httpx.Client) -> None:
    def count() -> float:
        name = "writ_strict_faults_total{"
        lines = http.get("/metrics").text.splitlines()
        return sum(float(line.split()[-1]) for line in lines if line.startswith(name) and "wrong-value" in line)

    before = count()
    http.post(EVALUATION, json=BAD[3])
    http.post(BATCH, json={"evaluations": [BAD[3], GOOD, BAD[3]]})
    assert count() == before + 3


def test_another_value_than_a_boolean_is_refused_always(http: httpx.Client) -> None:
    for path, body in ((EVALUATION, GOOD), (BATCH, GOOD | {"evaluations": [{}]}), ("/access/v1/search/resource", GOOD)):
        answer = http.post(path, json=body | {"options": {"strict": "yes", "return": "filter"}})
        assert answer.status_code == 400 or "error" in answer.json()["evaluations"][0]["context"], answer.text


def test_the_commands_are_as_strict(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, [GOOD, *BAD])))
    done = writ("decide", folder / "model.bundle", "--input", tmp_path / "in.jsonl")
    good, *bad = map(json.loads, done.stdout.decode().splitlines())
    assert (done.returncode, good["decision"]) == (1, True)
    assert all("error" in line for line in bad)
    test = {"name": "a", "request": BAD[4], "expect": {"decision": False}}
    file = {"model": [str(folder / "model.json")], "tests": [test]}
    (tmp_path / "a.test.yaml").write_text(json.dumps(file))
    done = writ("test", tmp_path)
    assert (done.returncode, b"the model wants strict requests" in done.stdout) == (1, True), done.stdout
