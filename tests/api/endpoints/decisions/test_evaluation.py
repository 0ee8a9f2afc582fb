"""`POST /access/v1/evaluation` over HTTP (authzen.md 5-17, 68-73, 99; W1, W5, W6; table 3)."""

from typing import Any

import httpx
import pytest

from tests.api.conftest import ALICE, ALLOWED, BOB, DENIED, PLAN, READ

PATH = "/access/v1/evaluation"
DELETE = {"name": "delete"}


def decided(http: httpx.Client, request: dict[str, Any]) -> dict[str, Any]:
    answer = http.post(PATH, json=request)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert isinstance(body, dict)
    return body


def test_a_grant_of_access(http: httpx.Client) -> None:
    answer = http.post(PATH, json=ALLOWED)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/json")
    assert answer.json()["decision"] is True
    context = answer.json()["context"]
    assert (context["reason_code"], context["policy_id"], context["access_path"]) == ("ALLOWED", "edit", "role")
    assert isinstance(context["reason"], str)


@pytest.mark.parametrize(
    ("request_", "reason_code"),
    [
        (DENIED | {"action": {"name": "update"}}, "ACTION_NOT_PERMITTED"),
        (ALLOWED | {"resource": PLAN | {"properties": {"secret": True}}}, "DENY_OVERRIDE"),
        (DENIED | {"resource": PLAN | {"properties": {"secret": True}}}, "EXPLICIT_DENY"),
        ({"subject": ALICE, "action": DELETE, "resource": PLAN}, "CONDITION_FAILED"),
        (ALLOWED | {"resource": {"type": "unheard-of", "id": "x"}}, "NO_POLICY_MATCH"),
        (ALLOWED | {"action": {"name": "unheard-of"}}, "ACTION_NOT_PERMITTED"),
        ({"subject": ALICE, "action": {"name": "open"}, "resource": {"type": "vault", "id": "v2"}}, "NO_POLICY_MATCH"),
    ],
)
def test_a_denial_is_200_too(http: httpx.Client, request_: dict[str, Any], reason_code: str) -> None:
    body = decided(http, request_)
    assert (body["decision"], body["context"]["reason_code"]) == (False, reason_code)
    assert body["context"]["access_path"] == "none"
    assert "policy_id" not in body["context"]


def test_conditions_read_what_is_sent(http: httpx.Client) -> None:
    vault = {"subject": BOB, "action": {"name": "open"}, "resource": {"type": "vault", "id": "v1"}}
    assert decided(http, vault)["decision"] is False
    assert decided(http, vault | {"context": {"mfa": True}})["decision"] is True
    draft = {"subject": ALICE, "action": DELETE, "resource": PLAN | {"attributes": {"status": "draft"}}}
    assert decided(http, draft)["decision"] is True
    draft["resource"] = PLAN | {"attributes": {"status": "draft"}, "properties": {"status": "final"}}
    assert decided(http, draft)["decision"] is False


@pytest.mark.parametrize(
    ("part", "entity"),
    [
        ("subject", {"type": "user", "external_id": "idp|alice"}),
        ("resource", {"type": "document", "external_id": "DOC-1"}),
        ("resource", {"type": "document", "name": "Plan"}),
        ("resource", {"type": "document", "id": "unheard-of"}),
        ("subject", {"type": "user", "id": "alice", "external_id": None}),
        ("subject", {"type": "user", "id": "alice", "external_id": ""}),
    ],
)
def test_an_entity_may_be_named_otherwise(http: httpx.Client, part: str, entity: dict[str, object]) -> None:
    assert decided(http, ALLOWED | {part: entity})["decision"] is True


def test_unknown_members_are_ignored_everywhere(http: httpx.Client) -> None:
    noisy = {
        "subject": ALICE | {"x": 1, "name": "Al"},
        "action": READ | {"x": 1, "type": "t", "id": "i"},
        "resource": PLAN | {"x": [{}]},
        "context": {"anything": {"goes": None}},
        "evaluations_": [],
        "x": None,
    }
    assert decided(http, noisy) == decided(http, ALLOWED)


@pytest.mark.parametrize("context", [None, {}])
def test_no_context_is_needed(http: httpx.Client, context: object) -> None:
    assert decided(http, ALLOWED | {"context": context}) == decided(http, ALLOWED)


def test_equal_requests_get_equal_bytes(http: httpx.Client) -> None:
    explained = ALLOWED | {"options": {"explain": True}, "context": {"n": 123456789012345678901234567890, "f": 1e300}}
    for request in (ALLOWED, DENIED, explained):
        assert len({http.post(PATH, json=request).content for _ in range(5)}) == 1
    reordered = dict(reversed(ALLOWED.items()))
    assert http.post(PATH, json=reordered).content == http.post(PATH, json=ALLOWED).content


def test_an_explanation_comes_on_request(http: httpx.Client) -> None:
    assert "explanation" not in decided(http, ALLOWED)["context"]
    candidates = decided(http, ALLOWED | {"options": {"explain": True}})["context"]["explanation"]["candidates"]
    assert {candidate["id"] for candidate in candidates} >= {"edit", "secret"}


RESOURCE = b'"resource": {"type": "document", "id": "d1"}'
TWICE = {
    "$.subject.id": b'{"subject": {"type": "user", "id": "bob", "id": "alice"}, "action": {"name": "read"}, %b}',
    "$.action": b'{"subject": {"type": "user", "id": "a"}, "action": {"name": "x"}, "action": {"name": "read"}, %b}',
    "$.context.mfa": b'{"subject": {"type": "user", "id": "a"}, "action": {"name": "read"}, %b,'
    b' "context": {"mfa": false, "mfa": true}}',
    "$.context.a.b": b'{"subject": {"type": "user", "id": "a:b"}, "action": {"name": "read"}, %b,'
    b' "context": {"a": {"b" : 1, "\\u0062": 2}}}',
}


@pytest.mark.parametrize("path", TWICE)
@pytest.mark.parametrize("below", [b"%b", b'{"evaluations": [%b]}'])
def test_a_member_twice_is_refused(http: httpx.Client, path: str, below: bytes) -> None:
    """E10: one program reads the first one, another the last."""
    body, url = below % (TWICE[path] % RESOURCE), PATH if below == b"%b" else f"{PATH}s"
    answer = http.post(url, content=body, headers={"Content-Type": "application/json"})
    (detail,) = answer.json()["details"]
    where = path if below == b"%b" else path.replace("$", "$.evaluations[0]")
    assert (answer.status_code, detail["code"], detail["path"]) == (400, "duplicate-member", where)


def test_a_credential_is_checked_before_a_body(http: httpx.Client) -> None:
    headers = {"Content-Type": "application/json", "Authorization": "Bearer wrong"}
    assert http.post(PATH, content=TWICE["$.action"] % RESOURCE, headers=headers).status_code == 401


@pytest.mark.parametrize(
    "broken",
    [
        {"subject": None},
        {"subject": "alice"},
        {"subject": []},
        {"subject": {"id": "alice"}},
        {"subject": {"type": "user"}},
        {"subject": {"type": 1, "id": "alice"}},
        {"subject": {"type": "user", "id": 1}},
        {"subject": {"type": "user", "id": ""}},
        {"subject": {"type": "user", "id": "alice", "external_id": "idp|alice"}},
        {"subject": ALICE | {"properties": []}},
        {"action": None},
        {"action": "read"},
        {"action": {}},
        {"action": {"name": None}},
        {"action": {"name": ["read"]}},
        {"action": {"name": "read", "properties": 1}},
        {"resource": None},
        {"resource": {"type": "document"}},
        {"resource": {"id": "d1"}},
        {"resource": {"type": "document", "id": "d1", "name": "Plan"}},
        {"resource": PLAN | {"attributes": "x"}},
        {"context": []},
        {"context": "x"},
    ],
)
def test_a_missing_or_mistyped_member_is_400(http: httpx.Client, broken: dict[str, object]) -> None:
    answer = http.post(PATH, json=ALLOWED | broken)
    assert answer.status_code == 400
    assert isinstance(answer.json()["error"], str)
    assert answer.json()["details"][0]["path"].startswith("$." + next(iter(broken)))


@pytest.mark.parametrize(
    "number",
    ["0", "-0.0", "1e308", "-1e308", "5e-324", "1e-400", "9007199254740993", "18446744073709551616", "9" * 400],
)
def test_huge_and_tiny_numbers_are_only_numbers(http: httpx.Client, number: str) -> None:
    body = (
        '{"subject": {"type": "user", "id": "alice", "properties": {"n": NUMBER}}, "action": {"name": "read"},'
        ' "resource": {"type": "document", "id": "d1", "properties": {"secret": NUMBER}}, "context": {"time": NUMBER},'
        ' "options": {"explain": true}}'
    ).replace("NUMBER", number)
    answer = http.post(PATH, content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["decision"]) == (200, True)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "9" * 5_000, "0x1", "01", "+1", "1."])
def test_what_is_no_number_is_400(http: httpx.Client, number: str) -> None:
    body = '{"subject": {"type": "user", "id": "alice"}, "context": {"n": NUMBER}}'.replace("NUMBER", number)
    answer = http.post(PATH, content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["details"][0]["code"] == "invalid-json"


def test_hostile_strings_come_back_as_they_are(http: httpx.Client) -> None:
    name = 'a"\\\u0000\u2028\u202e\N{GRINNING FACE}</script>'
    body = decided(http, ALLOWED | {"subject": {"type": name, "id": name}, "options": {"explain": True}})
    assert body["decision"] is False
