"""`tests:run`: stored tests ask the stored model, or what changes would make of it."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from writ.api.endpoints.previewing.changes import MOST_CHANGES
from writ.api.review.testing import outcome_report, set_runs, shapes
from writ.api.review.testing import tested_model as models
from writ.api.review.testing.question_checks import MOST_SEARCHES
from writ.api.review.testing.undeclared import declared_in
from writ.api.service.routes.all_routes import openapi_document
from writ.api.store.elements.kinds import KINDS
from writ.bundles.file.in_memory import bundle_in_memory
from writ.bundles.zones import VERSION, zone_data
from writ.compiler.compile import compile_model
from writ.compiler.load import load
from writ.compiler.model.elements import Model
from writ.runtime import Engine, RateCounters

from tests.api.conftest import MODEL
from tests.support.command import writ
from tests.support.server import running
from tests.support.stored import source

ROOT, PATH = "/v1/environments/default", "/v1/environments/{env}"
DOCUMENTED = schemathesis.openapi.from_dict(openapi_document())
ALICE, BOB = {"type": "user", "id": "alice"}, {"type": "user", "id": "bob"}
PLAN = {"type": "document", "id": "d1"}


def asks(name: str, subject: Any, action: str, decision: bool, resource: Any = PLAN) -> dict[str, Any]:
    request = {"subject": subject, "action": {"name": action}, "resource": resource}
    return {"name": name, "request": request, "expect": {"decision": decision}}


TABLE = {
    "name": "who does what",
    "subjects": {"alice": ALICE, "bob": BOB},
    "actions": ["read", "delete"],
    "resources": {"plan": PLAN},
    "allowed": {"alice": {"plan": ["read"]}, "bob": {"plan": ["delete"]}},
}
SETS = [
    {"id": "a", "tests": [asks("alice updates", ALICE, "update", True), TABLE]},
    {
        "id": "b",
        "now": "2026-01-05T10:00:00Z",
        "tests": [
            asks("bob reads", BOB, "read", True),
            asks("a slip", BOB, "raed", False),
            {
                "name": "filter",
                "search": {"subject": ALICE, "action": {"name": "read"}, "resource": {"type": "document"}},
                "expect": {"filter": {"type": "const", "value": True}},
            },
        ],
    },
]
OPEN = {"effect": "ALLOW", "resource_types": [{"resource_type_id": "document", "actions": ["read"]}]}
CHANGE = {"kind": "policies", "id": "open", "element": OPEN}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("run")
    (folder / "model.json").write_text(json.dumps({"model": 1} | MODEL))
    arguments = ("--import", str(folder / "model.json"), "--workers", "2")
    with running(folder / "data", *arguments) as server, server.client() as client:
        for one in SETS:
            assert client.post(f"{ROOT}/tests", json=one).status_code == 201
        yield client


def ran(client: httpx.Client, **body: Any) -> Any:
    answer = client.post(f"{ROOT}/tests:run", json=body)
    assert answer.status_code == 200, answer.text
    DOCUMENTED[f"{PATH}/tests:run"]["POST"].validate_response(answer)
    return answer.json()


def outcomes(found: Any) -> dict[str, bool]:
    return {one["name"]: one["passed"] for item in found["items"] for one in item["tests"]}


def test_the_stored_model_is_asked(served: httpx.Client) -> None:
    found = ran(served)
    passed = {"alice updates": True, "who does what": True, "bob reads": False, "a slip": False, "filter": False}
    assert outcomes(found) == passed
    assert (found["passed"], found["failed"], found["not_run"]) == (2, 3, 0)
    assert [(one["id"], one["passed"], one["failed"]) for one in found["items"]] == [("a", 2, 0), ("b", 0, 3)]
    reads, slip, filtered = found["items"][1]["tests"]
    assert reads["failures"] == [
        {
            "label": None,
            "mismatches": [{"member": "decision", "expected": True, "got": False}],
            "reason_code": "ACTION_NOT_PERMITTED",
            "reason": reads["failures"][0]["reason"],
        }
    ]
    (problem,) = slip["problems"]
    assert (problem["code"], problem["path"]) == ("undeclared", "$.tests[1].request.action.name")
    assert "did you mean `read`?" in problem["message"]
    assert filtered["failures"][0]["mismatches"][0]["member"] == "filter"
    assert served.post(f"{ROOT}/tests:run").json() == found, "a body is optional"


def test_a_change_is_tried_and_not_written(served: httpx.Client) -> None:
    before = served.get(f"{ROOT}/model").json(), served.get(ROOT).json()
    found = ran(served, changes=[CHANGE])
    assert outcomes(found)["bob reads"] is True
    table = found["items"][0]["tests"][1]
    assert [one["label"] for one in table["failures"]] == ["bob, read, plan"]
    assert outcomes(ran(served))["bob reads"] is False
    assert (served.get(f"{ROOT}/model").json(), served.get(ROOT).json()) == before
    gone = ran(served, changes=[{"kind": "assignments", "id": assignment(served), "element": None}])
    assert outcomes(gone)["alice updates"] is False


def assignment(client: httpx.Client) -> str:
    (found,) = client.get(f"{ROOT}/assignments").json()["items"]
    return str(found["id"])


def test_what_a_change_declares_counts_for_the_tests(served: httpx.Client) -> None:
    kind = {"id": "document", "actions": ["read", "update", "delete", "raed"]}
    found = ran(served, changes=[{"kind": "resource_types", "element": kind}])
    assert found["items"][1]["tests"][1] == {
        "name": "a slip",
        "passed": True,
        "problems": [],
        "failures": [],
        "more": 0,
    }


def test_a_run_is_that_of_writ_test(served: httpx.Client, tmp_path: Path) -> None:
    """The same outcomes as of the exported model and the sets as files."""
    (tmp_path / "model.json").write_bytes(served.get(f"{ROOT}/model").content)
    for one in SETS:
        for number, test in enumerate(one["tests"]):
            body = {name: value for name, value in one.items() if name != "id"} | {"tests": [test]}
            (tmp_path / f"{one['id']}{number}.test.json").write_text(json.dumps(body))
    lines = writ("test", ".", cwd=tmp_path).stdout.decode()
    found = outcomes(ran(served))
    for one in SETS:
        for number, test in enumerate(one["tests"]):
            file = f"{one['id']}{number}.test.json"
            assert (f"{file}: 1 passed" in lines) is found[test["name"]], file


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ([{"kind": "policies", "id": "x", "element": OPEN | {"roles": ["nobody"]}}], 400, "unknown-role"),
        ([{"kind": "policies", "element": None}], 400, "bad-change"),
        ([{"kind": "subjects", "id": "x", "element": None}], 400, "bad-change"),
        ([{"kind": "lints", "element": {}}], 400, "bad-change"),
        ([{"kind": "polices", "element": {}}], 400, "bad-change"),
        ([{"kind": "policies", "id": "x"}], 400, "bad-change"),
        ([CHANGE | {"cascade": True}], 400, "bad-change"),
        ([CHANGE] * (MOST_CHANGES + 1), 400, "bad-change"),
        ([{"kind": "policies", "id": "x", "element": None}], 404, None),
        ([{"kind": "roles", "id": "editor", "element": None}], 409, "in-use"),
    ],
)
def test_faults_are_those_of_a_write(served: httpx.Client, changes: Any, status: int, code: str | None) -> None:
    answer = served.post(f"{ROOT}/tests:run", json={"changes": changes})
    assert answer.status_code == status, answer.text
    assert code is None or answer.json()["details"][0]["code"] == code


def test_each_kind_of_element_can_be_tried(served: httpx.Client) -> None:
    elements: dict[str, Any] = {
        "roles": {"id": "n"},
        "groups": {"id": "n", "members": [ALICE]},
        "subjects": {"type": "user", "id": "n"},
        "resources": {"type": "document", "id": "n"},
        "resource_types": {"id": "n", "actions": ["a"]},
        "assignments": {"role": "editor", "subject": BOB},
        "grants": {"subject": BOB, "resource": PLAN, "actions": ["read"]},
        "policies": OPEN,
        "routes": {
            "id": "n",
            "methods": ["GET"],
            "path": "/x",
            "resource_type": "document",
            "resource_id": "x",
            "action": "read",
        },
        "attributes": {"context": {"mfa": "boolean"}},
    }
    for kind, element in elements.items():
        ran(served, changes=[{"kind": kind, "element": element}])
    refused = {"extensions": ["arrays"], "requests": "strict"}
    assert elements.keys() | refused.keys() == KINDS.keys() - {"lints"}
    for kind, value in refused.items():
        answer = served.post(f"{ROOT}/tests:run", json={"changes": [{"kind": kind, "element": value}]})
        assert answer.status_code == 400
        assert [one["code"] for one in answer.json()["details"]] == ["too-many-affected"], "it needs a new bundle"


def test_who_may_run_and_who_may_try_changes(served: httpx.Client) -> None:
    """Changes take the write lock, so a reader tries none."""
    served.post("/v1/environments", json={"id": "other"})
    for scope, environment, runs, tries in (
        ("read", "default", 200, 403),
        ("write", "default", 200, 200),
        ("write", "other", 403, 403),
    ):
        body = {"name": "k", "scopes": [scope], "environments": [environment]}
        headers = {"Authorization": f"Bearer {served.post('/v1/api-keys', json=body).json()['key']}"}
        for asked, status in (({}, runs), ({"changes": []}, runs), ({"changes": [CHANGE]}, tries)):
            answer = served.post(f"{ROOT}/tests:run", json=asked, headers=headers)
            assert answer.status_code == status
            if scope == "read" and asked.get("changes"):
                assert 'error="insufficient_scope", scope="write"' in answer.headers["WWW-Authenticate"]
                assert answer.json() == {"error": "this needs a credential of the scope `write`"}


def test_a_report_has_room_for_so_many_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    model = load([source(MODEL)], frozenset(), now=0.0).model
    assert model is not None
    monkeypatch.setattr(outcome_report, "MOST_FAILURES", 3)
    wrong = {"id": "x", "tests": [TABLE | {"allowed": {}, "name": str(number)} for number in range(3)]}
    tested = ready(model)
    (found,) = set_runs.run_sets([json.dumps(wrong).encode()], tested, lambda: False)
    assert [(len(one.failures), one.more, one.passed) for one in found.tests] == [
        (2, 0, False),
        (1, 1, False),
        (0, 2, False),
    ]
    monkeypatch.setattr(set_runs, "RUN_SECONDS", -1.0)
    (late,) = set_runs.run_sets([json.dumps(wrong).encode()], tested, lambda: False)
    assert (late.passed, late.failed, late.not_run, late.tests) == (0, 0, 3, ())


def test_a_run_lists_the_first_problems_of_a_test_and_looks_for_few_similar_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(set_runs, "RUN_SECONDS", 600.0)  # a busy machine takes longer, and its processor does not
    declared = {"context": {f"known_{number}_{'x' * 60}": "string" for number in range(900)}}
    model = load(
        [source({"resource_types": MODEL["resource_types"], "attributes": declared})], frozenset(), now=0.0
    ).model
    assert model is not None
    context = {f"konwn_{number}_{'x' * 60}": "v" for number in range(1_000)}
    asked = {"request": {"subject": ALICE, "action": {"name": "read"}, "resource": PLAN, "context": context}}
    tests = [{"name": str(number), "expect": {"decision": True}} | asked for number in range(40)]
    tested, began = ready(model), time.process_time()
    (found,) = set_runs.run_sets([json.dumps({"id": "x", "tests": tests}).encode()], tested, lambda: False)
    assert time.process_time() - began < 4
    assert [len(one.problems) for one in found.tests] == [set_runs.MOST_PROBLEMS] * 40
    helped = sum("did you mean" in problem.message for one in found.tests for problem in one.problems)
    assert helped == MOST_SEARCHES


def ready(model: Model) -> models.TestedModel:
    engine = Engine(bundle_in_memory(compile_model(model, zone_data, VERSION).write), counters=RateCounters())
    return models.TestedModel(engine, None, declared_in(model, ()))


def test_a_stored_set_is_a_file_with_an_id() -> None:
    """Whatever a file of tests may say beside its model, a stored set may say too."""
    file, stored = ({*one.__struct_fields__} for one in (shapes.TestFile, shapes.StoredTests))
    assert stored - {"id"} == file - {"model"}
