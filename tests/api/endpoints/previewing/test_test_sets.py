"""Stored policy tests over HTTP: made, listed, read, replaced and deleted, within limits, and apart from the model."""

import time
from typing import Any

import pytest
from writ.api.review.testing.stored import MOST_FAULTS
from writ.api.store import policy_tests

from tests.support.managed import ROOT, Managed

TESTS = f"{ROOT}/tests"
ALICE = {"type": "user", "id": "alice"}
DOCUMENT = {"type": "document", "id": "d1"}
REQUEST = {"subject": ALICE, "action": {"name": "update"}, "resource": DOCUMENT}
ONE = {"name": "editors update", "request": REQUEST, "expect": {"decision": True}}
NONE = {"filter": {"type": "const", "value": False}}
SEARCH = {"subject": ALICE, "action": {"name": "read"}, "resource": {"type": "document"}}
BODY = {"id": "documents", "now": "2026-01-05T10:00:00Z", "tests": [ONE]}
TABLE = {
    "name": "t",
    "subjects": {str(number): ALICE for number in range(10)},
    "actions": ["read"],
    "resources": {"d": DOCUMENT},
    "allowed": {},
}


def details(answer: Any) -> list[tuple[str, str]]:
    assert answer.status_code == 400, answer.text
    return [(one["code"], one["path"]) for one in answer.json["details"]]


def test_a_set_lives_from_post_to_delete(full: Managed) -> None:
    revision = full.store.revision_of("default")
    made = full.simulate_post(TESTS, json=BODY)
    path = f"{TESTS}/documents"
    assert (made.status_code, made.headers["Location"], made.json) == (201, path, BODY)
    read = full.simulate_get(path)
    assert (read.json, read.headers["ETag"]) == (BODY, made.headers["ETag"])
    assert full.simulate_get(path, headers={"If-None-Match": read.headers["ETag"]}).status_code == 304
    assert full.simulate_post(TESTS, json=BODY).status_code == 409

    other = {"tests": [ONE | {"name": "other"}]}
    replaced = full.simulate_put(path, json=other)
    assert (replaced.status_code, replaced.json) == (200, {"id": "documents"} | other)
    assert replaced.headers["ETag"] != made.headers["ETag"]
    assert full.simulate_get(TESTS).json == {"items": [replaced.json], "next_cursor": None}

    assert full.simulate_delete(path).status_code == 204
    for method in ("GET", "PUT", "DELETE"):
        answer = full.simulate_request(method, path, json=other)
        assert (answer.status_code, answer.json["error"]) == (
            404,
            "there are no tests `documents` in environment `default`",
        )
    assert full.store.revision_of("default") == revision, "tests are no part of the model"


def test_a_set_without_an_id_gets_one(full: Managed) -> None:
    made = full.simulate_post(TESTS, json={"tests": [ONE]})
    assert made.status_code == 201
    assert full.simulate_get(made.headers["Location"]).json == {"id": made.json["id"], "tests": [ONE]}


def test_conditions_are_as_those_of_elements(full: Managed) -> None:
    path, new = f"{TESTS}/documents", {"If-None-Match": "*"}
    made = full.simulate_put(path, json={"tests": [ONE]}, headers=new)
    assert (made.status_code, made.headers["Location"]) == (201, path)
    assert full.simulate_put(path, json={"tests": [ONE]}, headers=new).status_code == 412
    stale = {"If-Match": made.headers["ETag"]}
    changed = full.simulate_put(path, json=BODY, headers=stale)
    assert changed.status_code == 200
    assert full.simulate_put(path, json=BODY, headers=stale).status_code == 412
    assert full.simulate_delete(path, headers=stale).status_code == 412
    newest = changed.headers["ETag"]
    assert full.simulate_put(path, json=BODY, headers={"If-Match": f'"x", {newest}'}).status_code == 200
    assert full.simulate_delete(path, headers={"If-Match": newest}).status_code == 204


def test_a_page_is_in_the_order_of_ids(full: Managed) -> None:
    for id in ("c", "a", "é/%", "b"):
        assert full.simulate_post(TESTS, json=BODY | {"id": id}).status_code == 201
    first = full.simulate_get(f"{TESTS}?limit=3").json
    rest = full.simulate_get(f"{TESTS}?limit=3&cursor={first['next_cursor']}").json
    assert [one["id"] for one in first["items"] + rest["items"]] == ["a", "b", "c", "é/%"]
    assert rest["next_cursor"] is None
    assert full.simulate_get(f"{TESTS}/%C3%A9%2F%25").json["id"] == "é/%"
    assert full.simulate_get(f"{TESTS}?cursor=x").status_code == 400


@pytest.mark.parametrize(
    ("change", "code", "path"),
    [
        ({"model": ["."]}, "unknown-member", "$.model"),
        ({"tests": []}, "no-expectation", "$.tests"),
        ({"id": ""}, "too-short", "$.id"),
        ({"id": "x" * 513}, "too-long", "$.id"),
        ({"now": 2030}, "bad-instant", "$.now"),
        ({"tests": [ONE | {"expect": {}}]}, "no-expectation", "$.tests[0].expect"),
        ({"tests": [ONE | {"request": {}}]}, "bad-request", "$.tests[0].request.subject"),
        ({"tests": [ONE | {"expect": {"desicion": True}}]}, "unknown-member", "$.tests[0].expect.desicion"),
        (
            {"tests": [{"name": "s", "search": SEARCH, "expect": {"results": []}}]},
            "no-results",
            "$.tests[0].expect.results",
        ),
        (
            {"tests": [{"name": "s", "search": SEARCH | {"options": {"attributes": "registered"}}, "expect": NONE}]},
            "no-registry",
            "$.tests[0].search.options.attributes",
        ),
    ],
)
def test_faults_have_their_places(full: Managed, change: dict[str, Any], code: str, path: str) -> None:
    assert (code, path) in details(full.simulate_post(TESTS, json=BODY | change))
    assert full.simulate_get(TESTS).json["items"] == []


def test_the_id_of_a_body_is_that_of_its_path(full: Managed) -> None:
    assert details(full.simulate_put(f"{TESTS}/other", json=BODY)) == [("wrong-key", "$.id")]


@pytest.mark.parametrize(
    ("limit", "most", "message"),
    [
        ("MOST_SETS", 1, "the environment would have 2 sets of tests, the limit is 1"),
        ("MOST_CHECKS", 11, "the environment would have 20 checks, the limit is 11"),
        ("MOST_BYTES", 900, "the environment would have 912 bytes of tests, the limit is 900"),
        ("MOST_SET_CHECKS", 9, "the tests have 10 checks, the limit is 9"),
        ("MOST_SET_BYTES", 400, "the tests have 456 bytes, the limit is 400"),
    ],
)
def test_limits_are_kept(full: Managed, monkeypatch: pytest.MonkeyPatch, limit: str, most: int, message: str) -> None:
    for id in ("a", "b"):
        if id == "b" or "SET_" in limit:
            monkeypatch.setattr(policy_tests, limit, most)
        answer = full.simulate_post(TESTS, json={"id": id, "tests": [TABLE]})
    assert details(answer) == [("too-many-tests", "$")]
    assert message in answer.json["error"]
    assert [one["id"] for one in full.simulate_get(TESTS).json["items"]] == ([] if "SET_" in limit else ["a"])


def test_many_wrong_names_are_answered_soon(full: Managed) -> None:
    """The first faults are listed, and a similar name is not looked for without an end."""
    actions = [f"action-{number}-{'x' * 60}" for number in range(900)]
    wrong = [f"actoin-{number}-{'x' * 60}" for number in range(1_500)]
    table = {"name": "t", "subjects": {"a": ALICE}, "actions": actions, "resources": {"r": DOCUMENT}}
    began = time.process_time()
    answer = full.simulate_post(TESTS, json={"id": "x", "tests": [table | {"allowed": {"a": {"r": wrong}}}]})
    assert time.process_time() - began < 4
    found = answer.json["details"]
    assert (answer.status_code, len(found)) == (400, MOST_FAULTS + 1)
    assert {one["code"] for one in found[:-1]} == {"unknown-name"}
    assert found[-1]["code"] == "too-many"


def test_the_size_comes_before_the_faults(full: Managed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy_tests, "MOST_SET_BYTES", 10)
    answer = full.simulate_post(TESTS, json={"id": "x", "tests": [{"name": "wrong"}]})
    assert [one["code"] for one in answer.json["details"]] == ["too-many-tests"]


def test_a_table_is_counted_before_it_is_unfolded(full: Managed) -> None:
    many = {str(number): ALICE for number in range(800)}
    table = TABLE | {"subjects": many, "actions": [*many], "resources": dict.fromkeys(many, DOCUMENT)}
    answer = full.simulate_post(TESTS, json={"tests": [table]})
    assert "512000000 checks" in answer.json["error"]


def test_tests_end_with_their_environment(full: Managed) -> None:
    path = "/v1/environments/other"
    for _ in range(2):
        assert full.simulate_post("/v1/environments", json={"id": "other"}).status_code == 201
        assert full.simulate_get(f"{path}/tests").json["items"] == []
        assert full.simulate_post(f"{path}/tests", json=BODY).status_code == 201
        assert full.simulate_delete(path).status_code == 204
    assert full.simulate_get(f"{path}/tests").status_code == 404


def test_credentials_reach_their_own_tests_alone(full: Managed) -> None:
    """A bound credential gets 403 elsewhere, a reader can't write (contract 7.2)."""
    full.simulate_post("/v1/environments", json={"id": "other"})
    full.simulate_post(TESTS, json=BODY)
    for scope, environment, reads, writes in (
        ("read", "default", 200, 403),
        ("write", "default", 200, 204),
        ("admin", "other", 403, 403),
    ):
        body = {"name": "k", "scopes": [scope], "environments": [environment]}
        headers = {"Authorization": f"Bearer {full.simulate_post('/v1/api-keys', json=body).json['key']}"}
        assert full.simulate_get(TESTS, headers=headers).status_code == reads
        assert full.simulate_get(f"{TESTS}/documents", headers=headers).status_code == reads
        assert full.simulate_delete(f"{TESTS}/documents", headers=headers).status_code == writes
