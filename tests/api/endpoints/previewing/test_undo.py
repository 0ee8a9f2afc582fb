"""The undo of a revision over HTTP: its preview, its conflicts, and the gateway settings."""

from typing import Any

import pytest
from writ.api.store.store import Store

from tests.support.managed import MEMBERS, ROOT, Managed

PATCHED = 10


@pytest.fixture
def patched(full: Managed) -> Managed:
    """One element of each kind, and revision 10, which gave the policy a name."""
    full.simulate_patch(f"{ROOT}/policies/p7", json={"name": "Updates"})
    return full


def undo(service: Managed, revision: int, body: dict[str, Any] | None = None) -> Any:
    return service.simulate_post(f"{ROOT}/revisions/{revision}/undo", json=body or {})


def test_an_undo_is_a_new_revision(patched: Managed) -> None:
    answer = undo(patched, PATCHED)
    assert (answer.status_code, answer.json) == (201, {"revision": 11})
    assert answer.headers["location"] == f"{ROOT}/revisions/11"
    assert answer.headers["writ-revision"].endswith(".11")
    assert patched.simulate_get(f"{ROOT}/policies/p7").json == MEMBERS["policies"]


def test_nothing_is_left_to_undo_twice(patched: Managed) -> None:
    undo(patched, PATCHED)
    answer = undo(patched, PATCHED)
    assert (answer.status_code, answer.json["error"]) == (409, "nothing is left to undo of revision 10")


def test_a_conflict_says_who_changed_the_element_and_has_both_versions(patched: Managed) -> None:
    patched.simulate_patch(f"{ROOT}/policies/p7", json={"name": "Other", "priority": 3})
    expected = {
        "kind": "policies",
        "id": "p7",
        "version": 11,
        "stored": MEMBERS["policies"] | {"name": "Other", "priority": 3},
        "wanted": MEMBERS["policies"],
        "revision": 11,
        "by": "admin-key",
    }
    answer = undo(patched, PATCHED)
    assert answer.status_code == 409
    assert answer.json["error"] == "the policy `p7` was changed again by `admin-key` in revision 11"
    assert answer.json["details"][0]["path"] == "policies/p7"
    (conflict,) = answer.json["conflicts"]
    assert {name: conflict[name] for name in expected} == expected
    preview = undo(patched, PATCHED, {"dry_run": True}).json
    assert preview["conflicts"] == [conflict]
    seen = {"elements": [{"kind": "policies", "id": "p7", "seen": conflict["version"]}]}
    assert undo(patched, PATCHED, seen).status_code == 201
    assert patched.simulate_get(f"{ROOT}/policies/p7").json == MEMBERS["policies"]


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"elements": []}, 400, "`elements` must not be empty"),
        ({"elements": [{"kind": "subjects", "id": "a"}]}, 400, "subjects and resources have a type"),
        ({"elements": [{"kind": "tests", "id": "a"}]}, 400, "`elements[0].kind` must be"),
        ({"elements": [{"kind": "roles", "id": "editor"}]}, 404, "revision 10 did not change the role `editor`"),
        ({"all": True}, 400, "there is no member `all` here"),
    ],
)
def test_an_undo_that_does_not_fit_is_refused(
    patched: Managed, body: dict[str, Any], status: int, message: str
) -> None:
    answer = undo(patched, PATCHED, body)
    assert answer.status_code == status
    assert answer.json["error"].startswith(message)
    assert undo(patched, 12).status_code == 404


def test_gateway_settings_come_back(service: Managed) -> None:
    first = {"subject": {"header": "X-User"}, "trusted_proxies": ["unix"]}
    second = {"subject": {"header": "X-Other"}, "trusted_proxies": ["unix"]}
    for settings in (first, second):
        answer = service.simulate_put(f"{ROOT}/gateway", json=settings)
        assert answer.status_code == 200, answer.text
    stored = service.simulate_get(f"{ROOT}/gateway").json
    shown = service.simulate_get(f"{ROOT}/revisions/2").json["gateway"]
    assert shown["after"] == stored
    preview = undo(service, 2, {"dry_run": True}).json
    assert preview["gateway"] == {"before": stored, "after": shown["before"]}
    assert undo(service, 2).json == {"revision": 3}
    assert service.simulate_get(f"{ROOT}/gateway").json == shown["before"]
    answer = undo(service, 2)
    assert answer.status_code == 409
    assert answer.json["error"] == "the gateway settings of `default` have changed since revision 2"


def test_gateway_settings_need_an_administrator(service: Managed) -> None:
    service.simulate_put(f"{ROOT}/gateway", json={"subject": {"header": "X-User"}, "trusted_proxies": ["unix"]})
    key = service.simulate_post("/v1/api-keys", json={"name": "writer", "scopes": ["write"]}).json["key"]
    headers = {"Authorization": f"Bearer {key}"}
    answer = service.simulate_post(f"{ROOT}/revisions/1/undo", json={}, headers=headers)
    assert answer.status_code == 403
    assert "gateway" not in service.simulate_get(f"{ROOT}/revisions/1", headers=headers).json


def test_a_protected_policy_model_changes_by_promotion_only(patched: Managed) -> None:
    patched.simulate_patch(ROOT, json={"promotion_only": True})
    answer = undo(patched, PATCHED)
    assert answer.status_code == 409
    assert "change by promotion only" in answer.json["error"]


def test_a_store_forgets_nothing_of_an_undo(patched: Managed) -> None:
    undo(patched, PATCHED)
    store: Store = patched.store
    (newest, *_), _ = store.revisions("default", limit=1)
    assert newest.changes == {"policies": {"added": 0, "changed": 1, "removed": 0}}
