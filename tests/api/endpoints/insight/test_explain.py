"""`POST …/explain`: an evaluation's answer, in sentences, with what is lacking; nothing is counted (C10, D10)."""

import json
from pathlib import Path
from typing import Any

import pytest
from falcon import testing
from writ.runtime import Engine, RateCounters

from tests.api.conftest import ALICE, ALLOWED, BOB, DENIED, MODEL, PLAN, client_of
from tests.support.bundling import bundle_file
from tests.support.strategies import case
from tests.support.strategies_pick import Pick

EXPLAIN, EVALUATE = "/v1/environments/default/explain", "/access/v1/evaluation"
OPEN = {"subject": BOB, "action": {"name": "open"}, "resource": {"type": "vault", "id": "v1"}}


def explained(app: testing.TestClient, request: dict[str, Any]) -> dict[str, Any]:
    answer = app.simulate_post(EXPLAIN, json=request)
    assert answer.status_code == 200, answer.text
    return dict(answer.json)


def evaluated(app: testing.TestClient, request: dict[str, Any]) -> dict[str, Any]:
    answer = app.simulate_post(EVALUATE, json=request | {"options": {"explain": True}})
    assert answer.status_code == 200, answer.text
    return dict(answer.json)


def test_a_denial_says_what_is_lacking(app: testing.TestClient) -> None:
    found = explained(app, OPEN)
    assert found["decision"] is False
    assert found["context"]["reason_code"] == "CONDITION_FAILED"
    assert found["needs"] == [{"id": "office", "missing": ["`context.mfa` must be true"]}]
    assert found["overridden_by"] == []
    assert found["sentences"][1:3] == [
        "Policy `office` would allow it, but not all of its conditions hold. It applies without a role.",
        "  - The request sends no `mfa` of the context, and the policy requires it to be true.",
    ]
    assert explained(app, OPEN | {"context": {"mfa": True}})["needs"] == []


def test_a_missing_role_and_a_deny_are_told(app: testing.TestClient) -> None:
    secret = DENIED | {"resource": PLAN | {"properties": {"secret": True}}}
    found = explained(app, secret)
    assert found["needs"] == [{"id": "edit", "missing": ["the role `editor`"]}]
    assert found["overridden_by"] == ["secret"]
    assert explained(app, secret | {"subject": ALICE})["overridden_by"] == ["secret"]
    assert explained(app, secret | {"subject": ALICE})["needs"] == [], "the ALLOW holds: only the DENY is in the way"


def test_a_policy_whose_role_is_lacking_names_its_untried_conditions(tmp_path: Path) -> None:
    """With the role alone, the policy would still not hold."""
    scope = {"resource_types": [{"resource_type_id": "scroll", "actions": ["read"]}]}
    hours = {"context_attrs": [{"key": "mfa", "op": "eq", "value": True}]}
    policy = {"id": "secret", "effect": "ALLOW", "roles": ["editor"], "conditions": hours}
    model = MODEL | {"policies": [policy | scope]}
    app = client_of(Engine.open(bundle_file(model, tmp_path / "m.bundle"), clock=lambda: 1e9))
    request = {"subject": BOB, "action": {"name": "read"}, "resource": {"type": "scroll", "id": "s"}}
    untried = "and then its conditions, which are not tried without the role"
    assert explained(app, request)["needs"] == [{"id": "secret", "missing": ["the role `editor`", untried]}]
    assert explained(app, request | {"subject": ALICE})["needs"] == [
        {"id": "secret", "missing": ["`context.mfa` must be true"]}
    ]


@pytest.mark.parametrize("options", [None, {}, {"explain": False}, {"valid_until": True}])
def test_the_answer_is_that_of_an_evaluation(app: testing.TestClient, options: Any) -> None:
    for request in (ALLOWED, DENIED, OPEN):
        found = explained(app, request | {"options": options})
        until = found["context"].pop("valid_until", "not asked")
        assert (until != "not asked") is (options == {"valid_until": True})
        assert {name: found[name] for name in ("decision", "context")} == evaluated(app, request)


def test_the_answers_to_random_questions_are_those_of_evaluations(tmp_path: Path) -> None:
    """A law: whatever the model and the request, the decision and its proof are the evaluation's."""
    for seed in range(12):
        model, request, _ = case(Pick.seeded(seed))
        app = client_of(Engine.open(bundle_file(model, tmp_path / f"{seed}.bundle"), clock=lambda: 0.0))
        sent = json.dumps(request).encode("utf-8", "surrogatepass")
        headers = {"Content-Type": "application/json"}
        found = app.simulate_post(EXPLAIN, body=sent, headers=headers)
        asked = json.loads(sent)
        options = asked.get("options")
        if isinstance(options, dict | None):
            asked["options"] = {**(options or {}), "explain": True}
        expected = app.simulate_post(EVALUATE, body=json.dumps(asked).encode(), headers=headers)
        assert found.status_code == expected.status_code
        if found.status_code == 200:
            assert {name: found.json[name] for name in ("decision", "context")} == expected.json
            denying = {
                one["id"] for one in found.json["context"]["explanation"]["candidates"] if one["effect"] == "DENY"
            }
            assert {*found.json["overridden_by"]} <= denying


@pytest.mark.parametrize(
    "request_",
    [
        {},
        DENIED | {"subject": None},
        DENIED | {"options": 1},
        DENIED | {"options": {"explain": 1}},
        DENIED | {"context": 1},
    ],
)
def test_what_an_evaluation_refuses_is_refused(app: testing.TestClient, request_: dict[str, Any]) -> None:
    found, expected = app.simulate_post(EXPLAIN, json=request_), app.simulate_post(EVALUATE, json=request_)
    if request_.get("options") == {"explain": 1}:
        assert found.status_code == 200, "the option is set"
    else:
        assert (found.status_code, found.json) == (expected.status_code, expected.json)
        assert found.status_code == 400


def test_explaining_counts_for_no_rate_limit(tmp_path: Path) -> None:
    scope = {"resource_types": [{"resource_type_id": "scroll", "actions": ["read"]}]}
    limit = {"rate_limit": {"limit": 2, "window_seconds": 60}}
    model = MODEL | {"policies": [{"id": "twice", "effect": "ALLOW", "conditions": limit} | scope]}
    file = bundle_file(model, tmp_path / "m.bundle")
    app = client_of(Engine.open(file, clock=lambda: 1e9, counters=RateCounters()))
    request = {"subject": BOB, "action": {"name": "read"}, "resource": {"type": "scroll", "id": "s"}}
    for number in (1, 2):
        for _ in range(3):
            found = explained(app, request)
            (rate,) = found["context"]["explanation"]["candidates"][0]["conditions"]
            assert (found["decision"], rate["actual"]) == (True, number)
        assert app.simulate_post(EVALUATE, json=request).json["decision"] is True
    for _ in range(2):
        found = explained(app, request)
        assert found["decision"] is False
        assert found["context"]["retry_after_seconds"] >= 60
        assert found["needs"] == [
            {"id": "twice", "missing": ["a time at which the rate limit of 2 evaluations in 60 seconds has room"]}
        ]
    assert app.simulate_post(EVALUATE, json=request).json["decision"] is False


def test_hostile_names_are_data(app: testing.TestClient) -> None:
    vault = OPEN | {"context": {"mfa": "\u202e<script>alert(1)</script>"}}
    found = explained(app, vault)
    assert all(sentence.isprintable() for sentence in found["sentences"])
    assert any(r'"\u202e<script>' in sentence for sentence in found["sentences"])


def test_only_known_environments_are_explained(app: testing.TestClient) -> None:
    assert app.simulate_post(f"{EXPLAIN}?x=1", json=OPEN).status_code == 400
    bad = testing.TestClient(app.app)
    assert bad.simulate_post(EXPLAIN, json=OPEN).status_code == 401
