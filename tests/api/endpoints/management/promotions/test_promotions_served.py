"""Promotions over HTTP, on a real service: previews, drift, restoration, approvals, and decisions that follow."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.server import Server, running

STAGING, PROD = "/v1/environments/staging", "/v1/environments/prod"
ALICE = {"id": "a1", "role": "editor", "subject": {"type": "user", "id": "alice"}}

TOLD: dict[str, Any] = {"shared": [], "regions": [], "unknown": []}
NO_ONE: dict[str, Any] = {"gains": [], "loses": [], "unknown": [], "reasons": [], "told": TOLD}


def model(*actions: str) -> dict[str, Any]:
    """A model whose editors may do these actions."""
    return {
        "model": 1,
        "resource_types": [{"id": "document", "actions": ["read", "update", "delete"]}],
        "roles": [{"id": "editor"}],
        "policies": [
            {
                "id": action,
                "effect": "ALLOW",
                "roles": ["editor"],
                "resource_types": [{"resource_type_id": "document", "actions": [action]}],
            }
            for action in actions
        ],
    }


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("server") / "data", workers=2) as started:
        yield started


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    """A client with the administrator's key, of a service with an empty `prod`, and a `staging` whose editors read."""
    with server.client() as client:
        for env in (STAGING, PROD):
            client.patch(env, json={"promotion_only": False, "approvals": 0, "tests_must_pass": False})
            client.delete(env)
            made = client.post("/v1/environments", json={"id": env.rpartition("/")[2]})
            assert made.status_code == 201, made.text
        assert client.put(f"{STAGING}/model", json=model("read")).status_code == 200
        yield client


def promote(http: httpx.Client, **body: Any) -> httpx.Response:
    return http.post(f"{PROD}/promotions", json={"from": "staging"} | body)


def may(http: httpx.Client, action: str) -> bool:
    question = {"subject": ALICE["subject"], "action": {"name": action}, "resource": {"type": "document", "id": "d"}}
    answer = http.post("/environments/prod/access/v1/evaluation", json=question)
    assert answer.status_code == 200, answer.text
    return bool(answer.json()["decision"])


def test_a_model_is_promoted_and_in_force_at_once(http: httpx.Client) -> None:
    done = promote(http, note="first")
    assert done.status_code == 201, done.text
    body = done.json()
    assert body["from"] == "staging"
    assert (body["status"], body["promoted_by"], body["note"], body["from_revision"]) == (
        "done",
        "admin-key",
        "first",
        1,
    )
    assert http.get(done.headers["Location"]).json() == body | {"people": NO_ONE}
    assert http.get(f"{PROD}/promotions").json() == {"items": [body], "next_cursor": None}
    assert http.post(f"{PROD}/assignments", json=ALICE).status_code == 201
    assert (may(http, "read"), may(http, "update")) == (True, False)
    http.put(f"{STAGING}/model", json=model("update"))
    assert promote(http).status_code == 201
    assert (may(http, "read"), may(http, "update")) == (False, True)
    newest = http.get(f"{PROD}/revisions?limit=1").json()["items"][0]
    assert (newest["promotion"]["from"], newest["promotion"]["from_revision"]) == ("staging", 2)
    entry = http.get(f"{PROD}/revisions/{newest['revision']}").json()
    assert {one["id"] for one in entry["entries"]} == {"read", "update"}


def test_a_preview_promotes_nothing_and_pins_what_it_showed(http: httpx.Client) -> None:
    preview = promote(http, dry_run=True)
    assert preview.status_code == 200
    shown = preview.json()
    assert shown["changes"]["policies"] == {"added": 1, "changed": 0, "removed": 0}
    assert [one["after"]["id"] for one in shown["elements"] if one["kind"] == "policies"] == ["read"]
    assert http.get(PROD).json()["revision"] == 0
    http.put(f"{STAGING}/model", json=model("delete"))
    refused = promote(http, expect_digest=shown["digest"])
    assert (refused.status_code, "digest" in refused.json()["error"]) == (409, True)
    http.put(f"{STAGING}/model", json=model("read"))
    assert promote(http, expect_digest=shown["digest"]).json()["digest"] == shown["digest"]


def test_drift_is_told_refused_and_accepted(http: httpx.Client) -> None:
    assert http.get(f"{PROD}/drift").json() == {"drifted": False, "baseline": None, "changes": [], "truncated": False}
    first = promote(http).json()
    http.patch(f"{PROD}/policies/read", json={"enabled": False})
    drift = http.get(f"{PROD}/drift").json()
    assert drift["drifted"] is True
    assert drift["baseline"]["id"] == first["id"]
    (change,) = drift["changes"]
    assert (change["kind"], change["id"], change["change"], change["by"]) == (
        "policies",
        "read",
        "changed",
        "admin-key",
    )
    refused = promote(http)
    assert refused.status_code == 409
    assert refused.json()["drift"] == drift
    assert [(one["code"], one["path"]) for one in refused.json()["details"]] == [("drift", "policies/read")]
    done = promote(http, accept_drift=True)
    assert [one["id"] for one in done.json()["accepted_drift"]] == ["read"]
    assert http.get(f"{PROD}/drift").json()["drifted"] is False


def test_what_is_still_used_is_told(http: httpx.Client) -> None:
    promote(http)
    http.post(f"{PROD}/assignments", json=ALICE)
    http.put(f"{STAGING}/model", json={"model": 1})
    refused = promote(http)
    assert refused.status_code == 409
    assert {
        "code": "in-use",
        "path": "assignments/a1",
        "message": "`assign editor to user alice as a1` refers to it",
    } in refused.json()["details"]
    assert may(http, "read")


def test_a_revision_is_restored(http: httpx.Client) -> None:
    promote(http)
    http.post(f"{PROD}/assignments", json=ALICE)
    http.put(f"{STAGING}/model", json=model("delete"))
    promote(http)
    assert may(http, "delete")
    preview = http.post(f"{PROD}/revisions/1/restore", json={"dry_run": True})
    assert preview.status_code == 200
    done = http.post(f"{PROD}/revisions/1/restore")
    assert (done.status_code, done.json()["kind"], done.json()["digest"]) == (
        201,
        "restoration",
        preview.json()["digest"],
    )
    assert (may(http, "read"), may(http, "delete")) == (True, False)
    assert http.post(f"{PROD}/revisions/99/restore").status_code == 404


def key(http: httpx.Client, *scopes: str, environments: list[str] | None = None) -> dict[str, str]:
    """Headers with a new API key."""
    made = http.post("/v1/api-keys", json={"name": "k", "scopes": scopes, "environments": environments})
    assert made.status_code == 201, made.text
    return {"Authorization": f"Bearer {made.json()['key']}"}


def test_a_promotion_waits_for_another_credential(http: httpx.Client, server: Server) -> None:
    assert http.patch(PROD, json={"promotion_only": True, "approvals": 1}).status_code == 200
    asker, other = key(http, "admin"), key(http, "admin")
    with httpx.Client(base_url=server.url, headers=asker, timeout=30) as asking:
        waiting = promote(asking)
        assert (waiting.status_code, waiting.json()["status"]) == (202, "pending")
        place = waiting.headers["Location"]
        assert [one["id"] for one in asking.get(place).json()["elements"]] == ["document", "editor", "read"]
        assert asking.get(f"{PROD}/promotions?pending=true").json() == {"items": [waiting.json()], "next_cursor": None}
        assert asking.get(f"{PROD}/promotions?pending=yes").status_code == 400
        assert asking.post(f"{place}/approve").status_code == 403
        assert http.post(f"{place}/approve").status_code == 403, "the administrator's key made the asker"
    assert http.get(PROD).json()["revision"] == 0
    done = http.post(f"{place}/approve", headers=other, json={"digest": waiting.json()["digest"]})
    assert (done.status_code, done.json()["status"], done.json()["revision"]) == (200, "done", 1)
    assert http.get(f"{PROD}/promotions?pending=true").json()["items"] == []
    assert http.post(f"{place}/reject").status_code == 409
    assert http.patch(PROD, json={"approvals": 0}, headers=other).status_code == 403
    assert http.delete(PROD, headers=other).status_code == 403


def test_direct_edits_of_a_strict_environment_name_the_way_to_go(http: httpx.Client) -> None:
    promote(http)
    http.patch(PROD, json={"promotion_only": True})
    refused = http.post(f"{PROD}/roles", json={"id": "r"})
    assert refused.status_code == 409
    assert "/v1/environments/prod/promotions" in refused.json()["error"]
    assert http.put(f"{PROD}/model", json=model("update")).status_code == 409
    assert http.put(f"{PROD}/model?dry_run=true", json=model("update")).status_code == 409
    assert http.post(f"{PROD}/assignments", json=ALICE).status_code == 201
    writer = key(http, "write")
    assert http.post(f"{PROD}/revisions/1/restore", headers=writer).status_code == 403
    assert http.post(f"{STAGING}/revisions/1/restore", headers=writer).status_code == 201


@pytest.mark.parametrize("environments", [["prod"], ["staging"]])
def test_a_bound_credential_needs_both_ends(http: httpx.Client, environments: list[str]) -> None:
    bound = key(http, "admin", environments=environments)
    assert http.post(f"{PROD}/promotions", json={"from": "staging"}, headers=bound).status_code == 403
    assert http.post(f"{PROD}/promotions", json={"from": "nowhere"}, headers=bound).status_code == 403


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"from": "prod"}, 400),
        ({"from": "nowhere"}, 404),
        ({"from": ""}, 404),
        ({"from": 1}, 400),
        ({}, 400),
        ({"from": "staging", "note": "x" * 2_001}, 400),
        ({"from": "staging", "expect_digest": "abc"}, 400),
        ({"from": "staging", "to": "prod"}, 400),
    ],
)
def test_a_bad_promotion_is_refused(http: httpx.Client, body: dict[str, Any], status: int) -> None:
    answer = http.post(f"{PROD}/promotions", json=body)
    assert (answer.status_code, "error" in answer.json()) == (status, True)
    assert http.get(PROD).json()["revision"] == 0


def test_promotions_need_an_administrator_and_exist(http: httpx.Client) -> None:
    writer = key(http, "write")
    assert http.post(f"{PROD}/promotions", json={"from": "staging"}, headers=writer).status_code == 403
    assert http.get(f"{PROD}/drift", headers=writer).status_code == 200
    assert http.get(f"{PROD}/promotions/unknown").status_code == 404
    assert http.post(f"{PROD}/promotions/unknown/approve").status_code == 404
    assert http.post(f"{PROD}/promotions/unknown/reject").status_code == 404


def read_by(*ids: str) -> dict[str, Any]:
    """The subjects of the gains or losses of reading documents, as an answer has them."""
    return {"read": [{"type": "user", "id": id} for id in ids]}


def subjects(regions: list[dict[str, Any]]) -> dict[str, Any]:
    return {one["action"]: one["subjects"] for one in regions}


def test_asker_approver_and_record_see_who_gains_and_who_loses(http: httpx.Client) -> None:
    http.put(f"{PROD}/model", json=model("update") | {"assignments": [ALICE]})
    http.patch(PROD, json={"approvals": 1})
    people = promote(http, dry_run=True).json()["people"]
    assert (subjects(people["gains"]), [one["action"] for one in people["loses"]]) == (read_by("alice"), ["update"])
    witness = people["gains"][0]["witness"]
    assert http.post("/environments/prod/access/v1/evaluation", json=witness).json()["decision"] is False
    asked = {"from": "staging"}
    waiting = http.post(f"{PROD}/promotions", json=asked, headers=key(http, "admin"))
    assert waiting.status_code == 202, waiting.text
    where = waiting.headers["Location"]
    assert http.get(where).json()["people"] == people
    bob = ALICE | {"id": "a2", "subject": {"type": "user", "id": "bob"}}
    assert http.post(f"{PROD}/assignments", json=bob).status_code == 201
    assert subjects(http.get(where).json()["people"]["gains"]) == read_by("alice", "bob")  # as it is by now
    approved = http.post(f"{where}/approve", headers=key(http, "admin"))
    assert approved.status_code == 200, approved.text
    assert http.post("/environments/prod/access/v1/evaluation", json=witness).json()["decision"] is True
    http.put(f"{PROD}/model", json={"model": 1})
    assert subjects(http.get(where).json()["people"]["gains"]) == read_by("alice", "bob")  # as it was then


def test_a_promotion_that_is_not_possible_compares_nothing(http: httpx.Client) -> None:
    http.put(f"{STAGING}/model", json={"model": 1})
    http.put(f"{PROD}/model", json=model("update") | {"assignments": [ALICE]})
    shown = promote(http, dry_run=True).json()
    assert (shown["people"], bool(shown["in_use"])) == (None, True)


def test_a_restoration_says_who_gains_and_who_loses(http: httpx.Client) -> None:
    http.put(f"{PROD}/model", json=model("read") | {"assignments": [ALICE]})
    first = http.get(PROD).json()["revision"]
    http.put(f"{PROD}/model", json=model() | {"assignments": [ALICE]})
    shown = http.post(f"{PROD}/revisions/{first}/restore", json={"dry_run": True}).json()
    assert (subjects(shown["people"]["gains"]), shown["people"]["loses"]) == (read_by("alice"), [])


def gate_set(action: str, *, allowed: bool) -> dict[str, Any]:
    """A set of one stored test: whether alice may do an action."""
    question = {"subject": ALICE["subject"], "action": {"name": action}, "resource": {"type": "document", "id": "d"}}
    return {"id": "gate", "tests": [{"name": f"alice {action}s", "request": question, "expect": {"decision": allowed}}]}


def test_stored_tests_are_a_gate_of_promotions_and_approvals(http: httpx.Client) -> None:
    """They run on what the promotion brings with the facts of the target. A restoration has no gate."""
    http.put(f"{PROD}/model", json=model("update") | {"assignments": [ALICE]})
    first = http.get(PROD).json()["revision"]
    assert http.post(f"{PROD}/tests", json=gate_set("update", allowed=True)).status_code == 201
    assert promote(http, dry_run=True).json()["tests"] == {
        "passed": 0,
        "failed": 1,
        "not_run": 0,
        "effects": {"now_allowed": 0, "now_denied": 1, "other_filter": 0, "other_reason": 0},
        "failing": ["gate: alice updates"],
    }
    assert http.patch(PROD, json={"tests_must_pass": True}).json()["tests_must_pass"] is True
    refused = promote(http)
    told = "brings (1 now denied): `gate: alice updates`"
    assert (refused.status_code, told in refused.json()["error"]) == (409, True), refused.text
    assert http.get(PROD).json()["revision"] == first
    assert http.put(f"{PROD}/tests/gate", json=gate_set("read", allowed=True)).status_code == 200
    http.patch(PROD, json={"approvals": 1})
    waiting = http.post(f"{PROD}/promotions", json={"from": "staging"}, headers=key(http, "admin"))
    assert waiting.status_code == 202, waiting.text
    where, other = waiting.headers["Location"], key(http, "admin")
    assert http.delete(f"{PROD}/assignments/a1").status_code == 204  # now alice reads nothing
    assert http.get(where).json()["tests"]["failing"] == ["gate: alice reads"]
    assert http.post(f"{where}/approve", headers=other).status_code == 409
    assert http.post(f"{PROD}/assignments", json=ALICE).status_code == 201
    done = http.post(f"{where}/approve", headers=other)
    assert (done.status_code, done.json()["status"]) == (200, "done")
    assert http.patch(PROD, json={"tests_must_pass": False}, headers=other).status_code == 403
    http.patch(PROD, json={"approvals": 0})
    assert http.post(f"{PROD}/revisions/{first}/restore").status_code == 201
    http.patch(PROD, json={"tests_must_pass": False})
