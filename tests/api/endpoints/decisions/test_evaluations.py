"""`POST /access/v1/evaluations` over HTTP (authzen.md 25-41; W3, W4; table 3)."""

import json
import time
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from writ.api.endpoints.decisions import slices
from writ.api.endpoints.decisions.deciding import Deciding
from writ.api.endpoints.decisions.evaluations import ITEMS_AT_ONCE, Evaluations
from writ.api.engines.live.preparing_threads import PreparingThreads
from writ.api.http.bodies import Bodies
from writ.api.settings.settings import HttpLimits
from writ.api.telemetry.decision_log.decision_log import NO_LOG
from writ.api.telemetry.metrics.counts import Counts
from writ.runtime.decisions.plain_batch import AT_A_TIME

from tests.api.conftest import ALICE, ALLOWED, BOB, DENIED, PLAN, READ
from tests.support.bundling import engine_for
from tests.support.raw_http import RawConnection, request
from tests.support.server import running

PATH = "/access/v1/evaluations"
SINGLE = "/access/v1/evaluation"


def answered(http: httpx.Client, request: dict[str, Any]) -> list[dict[str, Any]]:
    answer = http.post(PATH, json=request)
    assert answer.status_code == 200, answer.text
    assert answer.json().keys() == {"evaluations"}
    evaluations = answer.json()["evaluations"]
    assert isinstance(evaluations, list)
    return evaluations


def decisions(http: httpx.Client, request: dict[str, Any]) -> list[bool]:
    return [item["decision"] for item in answered(http, request)]


@pytest.mark.parametrize("request_", [ALLOWED, DENIED, ALLOWED | {"options": {"explain": True}}])
@pytest.mark.parametrize("evaluations", [{}, {"evaluations": []}, {"evaluations": None}])
def test_without_items_it_is_the_single_endpoint(
    http: httpx.Client, request_: dict[str, Any], evaluations: dict[str, Any]
) -> None:
    assert http.post(PATH, json=request_ | evaluations).content == http.post(SINGLE, json=request_).content


@pytest.mark.parametrize("evaluations", [{}, {"evaluations": []}])
def test_without_items_the_top_level_is_required(http: httpx.Client, evaluations: dict[str, Any]) -> None:
    for missing in ("subject", "action", "resource"):
        request = {name: part for name, part in ALLOWED.items() if name != missing}
        assert http.post(PATH, json=request | evaluations).status_code == 400


@pytest.mark.parametrize("part", ["subject", "resource"])
@pytest.mark.parametrize("own", [None, {}, {"type": "user"}, {"properties": {"a": 1}}, {"id": ""}, {"id": None}])
def test_an_entity_without_an_identifier_is_an_error_of_its_item(http: httpx.Client, part: str, own: object) -> None:
    """W3: the answer would be about the default, and the caller would take it for its own entity."""
    first, second = answered(http, ALLOWED | {"evaluations": [{part: own}, {}]})
    assert (first["decision"], first["context"]["error"]["status"]) == (False, 400)
    assert f"$.{part}" in first["context"]["error"]["message"]
    assert second["decision"] is True


def test_an_action_that_is_null_is_an_error_of_its_item(http: httpx.Client) -> None:
    (item,) = answered(http, ALLOWED | {"evaluations": [{"action": None}]})
    assert (item["decision"], item["context"]["error"]["status"]) == (False, 400)


def test_items_are_answered_in_order(http: httpx.Client) -> None:
    items = [{}, {"subject": BOB}, {"action": {"name": "delete"}}, {"subject": BOB, "action": {"name": "delete"}}]
    assert decisions(http, ALLOWED | {"evaluations": items}) == [True, False, False, True]


def test_every_item_gets_the_answer_of_its_own_request(http: httpx.Client) -> None:
    items = [ALLOWED, DENIED, ALLOWED | {"resource": PLAN | {"properties": {"secret": True}}}]
    assert answered(http, {"evaluations": items}) == [http.post(SINGLE, json=item).json() for item in items]


def test_items_need_no_defaults(http: httpx.Client) -> None:
    assert decisions(http, {"evaluations": [ALLOWED, DENIED]}) == [True, False]


def test_an_incomplete_default_is_no_fault(http: httpx.Client) -> None:
    """An interoperability scenario sends an empty resource at the top and a complete one in each item."""
    request = {"subject": ALICE, "action": READ, "resource": {}, "evaluations": [{"resource": PLAN}]}
    assert decisions(http, request) == [True]


def test_gaps_are_filled_by_w3(http: httpx.Client) -> None:
    items = [
        {"subject": {"id": "bob"}},
        {"resource": {"id": "d2"}},
        {"resource": {"properties": {"secret": True}}},
        {"resource": {"type": "vault"}},
        {"subject": {"external_id": "idp|alice"}},
        {"subject": None, "context": None},
    ]
    request = {"subject": ALICE, "action": READ, "resource": PLAN, "evaluations": items}
    evaluations = answered(http, request)
    assert [item["decision"] for item in evaluations] == [False, True, False, False, True, False]
    assert [evaluations[place]["context"]["error"]["status"] for place in (2, 3, 5)] == [400, 400, 400]


def test_a_default_named_by_its_external_id_is_a_default(http: httpx.Client) -> None:
    subject = {"type": "user", "external_id": "idp|alice", "properties": {"a": 1}}
    items = [{}, {"subject": {"properties": {"b": 1}}}, {"subject": {"id": "bob"}}]
    assert decisions(http, ALLOWED | {"subject": subject, "evaluations": items}) == [True, False, False]


def test_properties_and_context_are_replaced_whole(http: httpx.Client) -> None:
    secret = PLAN | {"properties": {"secret": True}}
    items = [{}, {"resource": {"id": "d1", "properties": {}}}, {"resource": {"id": "d1"}}]
    assert decisions(http, ALLOWED | {"resource": secret, "evaluations": items}) == [False, True, True]
    vault = {"subject": BOB, "action": {"name": "open"}, "resource": {"type": "vault", "id": "v1"}}
    items = [{}, {"context": {}}, {"context": {"x": 1}}, {"context": None}]
    request = vault | {"context": {"mfa": True}, "evaluations": items}
    assert decisions(http, request) == [True, False, False, True]


@pytest.mark.parametrize(
    ("semantic", "expected"),
    [
        ("execute_all", [True, True, False, True]),
        ("deny_on_first_deny", [True, True, False]),
        ("permit_on_first_permit", [True]),
    ],
)
def test_a_semantic_cuts_the_answer(http: httpx.Client, semantic: str, expected: list[bool]) -> None:
    items: list[dict[str, Any]] = [{}, {}, {"subject": BOB}, {}]
    options = {"evaluations_semantic": semantic, "another_option": "value"}
    assert decisions(http, ALLOWED | {"evaluations": items, "options": options}) == expected


def test_an_error_ends_a_conjunction(http: httpx.Client) -> None:
    options = {"evaluations_semantic": "deny_on_first_deny"}
    items = [ALLOWED, {"subject": ALICE}, ALLOWED]
    assert decisions(http, {"evaluations": items, "options": options}) == [True, False]


def test_a_long_batch_lets_others_through(tmp_path: Path) -> None:
    """A thousand explained items that share one array of 1 MB once kept every worker busy for half a minute."""
    model = tmp_path / "model.json"
    model.write_text(json.dumps(_with_many_conditions()))
    long = {"type": "document", "id": "d1", "properties": {"words": ["x" * 9] * 75_000}}
    question = {"subject": ALICE, "action": READ, "resource": long}
    batch = question | {"evaluations": [{}] * 1_000, "options": {"explain": True}}
    with (
        running(tmp_path / "data", "--import", str(model)) as server,
        RawConnection(server.host, server.port) as slow,
        RawConnection(server.host, server.port) as quick,
    ):
        slow.send(request("POST", PATH, json.dumps(batch).encode(), key=server.key))
        quick.send(request("POST", SINGLE, json.dumps(question | {"resource": PLAN}).encode(), key=server.key))
        assert quick.answer().status == 200
        slow.socket.setblocking(False)
        with pytest.raises(BlockingIOError):
            slow.socket.recv(1)
        slow.socket.setblocking(True)
        items = slow.answer().json["evaluations"]
        assert isinstance(items, list)
        assert len(items) == 1_000
        assert items[-1]["context"]["error"]["message"].startswith("the explanations of this batch have over")


def test_the_lane_leaves_a_batch_that_takes_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks at the clock between so many items, and counts nothing."""
    engine, counts = engine_for(_with_many_conditions(), tmp_path / "model.bundle"), Counts.apart()
    bodies, deciding, report = Bodies(HttpLimits()), Deciding(PreparingThreads(), counts), lambda *_: None
    lane = Evaluations(lambda _: engine, time.time, bodies, deciding, HttpLimits(), report, NO_LOG)
    monkeypatch.setattr(slices, "perf_counter", count().__next__)
    before = bytes(counts.row)
    for items in (AT_A_TIME + 1, ITEMS_AT_ONCE, AT_A_TIME):
        assert bytes(counts.row) == before
        body = {"subject": ALICE, "action": READ, "resource": PLAN, "evaluations": [{}] * items}
        answer = lane.at_once(engine, json.dumps(body).encode())
        assert (answer is None) == (items > AT_A_TIME), answer
    assert bytes(counts.row) != before


def _with_many_conditions() -> dict[str, Any]:
    scope = [{"resource_type_id": "document", "actions": ["read"]}]
    compared = [{"key": "words", "op": "ne", "value": number} for number in range(20)]
    policies = [
        {"id": f"p{number}", "effect": "ALLOW", "resource_types": scope, "conditions": {"resource_attrs": compared}}
        for number in range(60)
    ]
    return {"model": 1, "resource_types": [{"id": "document", "actions": ["read"]}], "policies": policies}


def test_options_reach_every_item(http: httpx.Client) -> None:
    evaluations = answered(http, ALLOWED | {"evaluations": [{}, {"subject": BOB}], "options": {"explain": True}})
    assert all("explanation" in item["context"] for item in evaluations)


@pytest.mark.parametrize(
    "item",
    [
        "text",
        7,
        None,
        [],
        {},
        {"subject": ALICE},
        {"subject": "alice"} | {name: ALLOWED[name] for name in ("action", "resource")},
        ALLOWED | {"subject": {"type": "user"}},
        ALLOWED | {"action": {"name": 5}},
        ALLOWED | {"context": "x"},
        ALLOWED | {"resource": {"type": "document", "id": "d1", "external_id": "DOC-1"}},
    ],
)
def test_a_bad_item_is_its_own_denial(http: httpx.Client, item: object) -> None:
    for items in ([item], [ALLOWED, item, ALLOWED]):
        evaluations = answered(http, {"evaluations": items})
        assert len(evaluations) == len(items)
        bad = evaluations[len(items) // 2]
        assert bad.keys() == {"decision", "context"}
        assert bad["decision"] is False
        assert bad["context"].keys() == {"error"}
        assert bad["context"]["error"].keys() == {"status", "message"}
        assert bad["context"]["error"]["status"] == 400


@pytest.mark.parametrize(
    "broken",
    [
        {"evaluations": {}},
        {"evaluations": "x"},
        {"evaluations": 0},
        {"evaluations": False},
        {"options": []},
        {"options": "x"},
        {"options": {"evaluations_semantic": "execute_some"}},
        {"options": {"evaluations_semantic": ""}},
        {"options": {"evaluations_semantic": 7}},
        {"subject": "alice"},
        {"context": []},
    ],
)
def test_a_fault_of_the_whole_payload_is_400(http: httpx.Client, broken: dict[str, Any]) -> None:
    answer = http.post(PATH, json={"evaluations": [ALLOWED]} | broken)
    assert answer.status_code == 400
    assert answer.json()["details"][0]["path"].startswith("$." + next(iter(broken)))


def test_a_batch_of_a_thousand_is_answered_and_one_more_is_not(http: httpx.Client) -> None:
    request: dict[str, Any] = ALLOWED | {"evaluations": [{}] * 1_000}
    assert decisions(http, request) == [True] * 1_000
    answer = http.post(PATH, json=request | {"evaluations": [{}] * 1_001})
    assert answer.status_code == 400
    assert answer.json()["error"] == "`evaluations` has 1001 items, the limit is 1000"


def test_equal_batches_get_equal_bytes(http: httpx.Client) -> None:
    request = ALLOWED | {"evaluations": [{}, {"subject": BOB}, {"subject": 1}, "x"]}
    assert len({http.post(PATH, json=request).content for _ in range(5)}) == 1
