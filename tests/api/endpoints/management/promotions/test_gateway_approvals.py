"""Gateway settings of an environment with approvals: one credential asks, another one approves."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.managed import ROOT, Managed

SETTINGS: dict[str, Any] = {"subject": {"header": "X-Writ-Subject"}, "trusted_proxies": ["unix"]}
OTHER = SETTINGS | {"trusted_proxies": ["10.0.0.0/8"]}
PATH, PROMOTIONS = f"{ROOT}/gateway", f"{ROOT}/promotions"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Managed]:
    made = Managed(tmp_path)
    made.simulate_patch(ROOT, json={"promotion_only": True, "approvals": 1})
    yield made
    made.store.close()


def key_of(client: Managed, name: str, scope: str = "admin") -> dict[str, str]:
    made = client.simulate_post("/v1/api-keys", json={"name": name, "scopes": [scope]})
    return {"Authorization": f"Bearer {made.json['key']}"}


def events(client: Managed) -> list[str]:
    found = client.simulate_get("/v1/audit").json["items"]
    return [one["event"] for one in reversed(found) if one["event"].startswith(("promotion.", "gateway."))]


def test_a_change_waits_until_another_credential_approves_it(client: Managed) -> None:
    alice, bob = key_of(client, "alice"), key_of(client, "bob")
    before = list(client.activated)
    asked = client.simulate_put(PATH, json=SETTINGS, headers=alice)
    assert asked.status_code == 202
    assert (asked.json["kind"], asked.json["status"]) == ("gateway", "pending")
    assert asked.json["changes"] == {"gateway": {"added": 1, "changed": 0, "removed": 0}}
    where = asked.headers["Location"]
    assert where == f"{PROMOTIONS}/{asked.json['id']}"
    assert client.simulate_get(PATH).status_code == 404
    assert client.store.gateway("default") is None
    assert client.activated == before
    assert client.simulate_get(where).json["gateway"] == {"before": None, "after": SETTINGS}
    digest = {"digest": asked.json["digest"]}
    assert client.simulate_post(f"{where}/approve", json=digest, headers=alice).status_code == 403
    assert client.simulate_post(f"{where}/approve", json={"digest": "0" * 64}, headers=bob).status_code == 409
    done = client.simulate_post(f"{where}/approve", json=digest, headers=bob)
    assert (done.status_code, done.json["status"]) == (200, "done")
    assert client.simulate_get(PATH).json == SETTINGS
    assert len(client.activated) == len(before) + 1
    assert done.json["revision"] == client.store.environment("default").revision
    assert client.simulate_post(f"{where}/approve", json=digest, headers=bob).status_code == 409
    assert events(client) == ["promotion.requested", "promotion.approved", "gateway.changed"]


def test_the_administrators_key_waits_too(client: Managed) -> None:
    asked = client.simulate_put(PATH, json=SETTINGS)
    assert asked.status_code == 202
    assert client.simulate_post(f"{asked.headers['Location']}/approve").status_code == 403
    assert client.store.gateway("default") is None


def test_a_removal_waits_and_what_is_rejected_never_comes(client: Managed) -> None:
    alice, bob = key_of(client, "alice"), key_of(client, "bob")
    first = client.simulate_put(PATH, json=SETTINGS, headers=alice).headers["Location"]
    client.simulate_post(f"{first}/approve", headers=bob)
    removal = client.simulate_delete(PATH, headers=alice)
    assert removal.status_code == 202
    where = removal.headers["Location"]
    assert client.simulate_get(where).json["gateway"] == {"before": SETTINGS, "after": None}
    assert client.simulate_post(f"{where}/reject", json={"reason": "no"}, headers=bob).status_code == 200
    assert client.simulate_post(f"{where}/approve", headers=bob).status_code == 409
    assert client.simulate_get(PATH).json == SETTINGS
    again = client.simulate_delete(PATH, headers=alice).headers["Location"]
    assert client.simulate_post(f"{again}/approve", headers=bob).status_code == 200
    assert client.simulate_get(PATH).status_code == 404


def test_an_approval_holds_for_what_was_shown(client: Managed) -> None:
    alice, bob = key_of(client, "alice"), key_of(client, "bob")
    first, second = (
        client.simulate_put(PATH, json=one, headers=alice).headers["Location"] for one in (SETTINGS, OTHER)
    )
    assert client.simulate_post(f"{first}/approve", headers=bob).status_code == 200
    refused = client.simulate_post(f"{second}/approve", headers=bob)
    assert (refused.status_code, "have changed since" in refused.json["error"]) == (409, True)
    assert client.simulate_get(PATH).json == SETTINGS


def test_nothing_waits_that_is_refused_or_changes_nothing(client: Managed) -> None:
    assert client.simulate_put(PATH, json={"subject": {}}).status_code == 400
    assert client.simulate_delete(PATH).status_code == 404
    writer = key_of(client, "writer", "write")
    assert client.simulate_put(PATH, json=SETTINGS, headers=writer).status_code == 403
    assert client.simulate_get(PROMOTIONS).json["items"] == []
    alice, bob = key_of(client, "alice"), key_of(client, "bob")
    where = client.simulate_put(PATH, json=SETTINGS, headers=alice).headers["Location"]
    client.simulate_post(f"{where}/approve", headers=bob)
    assert client.simulate_put(PATH, json=SETTINGS, headers=alice).status_code == 200
    assert [one["status"] for one in client.simulate_get(PROMOTIONS).json["items"]] == ["done"]


def test_the_audit_log_tells_what_was_asked_for(client: Managed) -> None:
    where = client.simulate_put(PATH, json=SETTINGS, headers=key_of(client, "alice")).headers["Location"]
    client.simulate_post(f"{where}/reject")
    (asked,) = client.simulate_get("/v1/audit", params={"event": "promotion.requested"}).json["items"]
    assert (asked["details"]["before"], asked["details"]["after"]) == (None, SETTINGS)
    assert json.dumps(events(client)) == '["promotion.requested", "promotion.rejected"]'
