"""`POST /v1/authorize`: the short form answers what the evaluation answers."""

from typing import Any

import httpx
import pytest

PATH = "/v1/authorize"
NAMED = "/environments/default/v1/authorize"
ALLOWED = {"subject": "user:alice", "action": "read", "resource": "document:d1"}
DENIED = ALLOWED | {"subject": "user:bob"}
VAULT = {"subject": "user:alice", "action": "open", "resource": "vault:v1"}


def evaluated(http: httpx.Client, short: dict[str, Any]) -> dict[str, Any]:
    """What the evaluation of a short request answers, in the short form."""
    pairs = {name: short[name].split(":", 1) for name in ("subject", "resource")}
    named = {name: {"type": type, "id": id} for name, (type, id) in pairs.items()}
    request = {**named, "action": {"name": short["action"]}, "context": short.get("context")}
    answer = http.post("/access/v1/evaluation", json=request).json()
    context = answer["context"]
    return {"allowed": answer["decision"], "reason": context["reason"], "reason_code": context["reason_code"]}


@pytest.mark.parametrize("path", [PATH, NAMED])
@pytest.mark.parametrize(
    "short",
    [
        ALLOWED,
        DENIED,
        VAULT,
        VAULT | {"context": {"mfa": True}},
        VAULT | {"context": None},
        ALLOWED | {"resource": "document:a:b:c"},
        ALLOWED | {"subject": "user: "},
        ALLOWED | {"action": "fly"},
        ALLOWED | {"resource": "spaceship:x"},
    ],
)
def test_it_answers_what_the_evaluation_answers(http: httpx.Client, path: str, short: dict[str, Any]) -> None:
    answer = http.post(path, json=short)
    assert answer.status_code == 200
    assert answer.json() == evaluated(http, short)


def test_a_list_is_answered_in_order_and_a_bad_request_in_its_place(http: httpx.Client) -> None:
    bad = [{"subject": "alice"}, "user:alice", ALLOWED | {"subject": "alice"}, ALLOWED | {"context": 1}]
    answer = http.post(PATH, json={"requests": [ALLOWED, *bad, DENIED]})
    assert answer.status_code == 200
    first, *faults, last = answer.json()["results"]
    assert (first, last) == (evaluated(http, ALLOWED), evaluated(http, DENIED))
    assert [(one["allowed"], one["error"]["status"]) for one in faults] == [(False, 400)] * len(bad)
    assert http.post(PATH, json={"requests": []}).json() == {"results": []}


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "$.subject"),
        (ALLOWED | {"subject": "alice"}, "$.subject"),
        (ALLOWED | {"subject": ":alice"}, "$.subject"),
        (ALLOWED | {"resource": "document:"}, "$.resource"),
        (ALLOWED | {"resource": {"type": "document", "id": "d1"}}, "$.resource"),
        (ALLOWED | {"action": {"name": "read"}}, "$.action"),
        (ALLOWED | {"action": ""}, "$.action.name"),
        (ALLOWED | {"options": {"explain": True}}, "$"),
        ({"requests": {}}, "$.requests"),
        ({"requests": [ALLOWED] * 1_001}, "$.requests"),
        ({"requests": [ALLOWED], "context": {}}, "$"),
    ],
)
def test_a_bad_request_is_refused_with_its_place(http: httpx.Client, body: dict[str, Any], path: str) -> None:
    answer = http.post(PATH, json=body)
    assert answer.status_code == 400
    assert [one["path"] for one in answer.json()["details"]] == [path]


def test_it_needs_a_credential(http: httpx.Client) -> None:
    assert httpx.post(f"{http.base_url}{PATH}", json=ALLOWED).status_code == 401
