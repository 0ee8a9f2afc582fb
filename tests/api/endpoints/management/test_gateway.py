"""The gateway settings of an environment over HTTP: who changes them, what is refused, and what is told of it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from writ.bundles.delta import RoutingChange, decode_delta

from tests.support.managed import ROOT, Managed

SETTINGS: dict[str, Any] = {"subject": {"header": "X-Writ-Subject"}, "trusted_proxies": ["10.0.0.0/8", "unix"]}
PATH = f"{ROOT}/gateway"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Managed]:
    made = Managed(tmp_path)
    yield made
    made.store.close()


def test_settings_are_put_read_and_removed(client: Managed) -> None:
    assert client.simulate_get(PATH).status_code == 404
    answer = client.simulate_put(PATH, json=SETTINGS)
    assert (answer.status_code, answer.json) == (200, SETTINGS)
    assert client.simulate_get(PATH).json == SETTINGS
    assert client.simulate_delete(PATH).status_code == 204
    assert client.simulate_get(PATH).status_code == 404
    assert client.simulate_delete(PATH).status_code == 404


def test_a_change_is_a_revision_with_a_delta(client: Managed) -> None:
    client.simulate_put(PATH, json=SETTINGS)
    client.simulate_put(PATH, json=SETTINGS)
    revisions = client.simulate_get(f"{ROOT}/revisions").json["items"]
    assert [one["changes"] for one in revisions] == [{"gateway": {"added": 1, "changed": 0, "removed": 0}}]
    assert [environment.revision for environment in client.activated] == [1, 1]
    (delta,) = client.store.updates("default", 0).deltas
    (change,) = decode_delta(delta).changes
    assert isinstance(change, RoutingChange)
    assert change.routing.gateway is not None
    assert change.routing.gateway.subject.header == "X-Writ-Subject"


def test_the_anonymous_subject_reaches_engines_only_while_a_route_is_marked(client: Managed) -> None:
    """E11: so a Writ that does not know the rule reads on as long as no route uses it."""
    named = SETTINGS | {"anonymous": {"type": "visitor", "id": "anyone"}}
    assert client.simulate_put(PATH, json=named).json == named
    client.simulate_post(f"{ROOT}/resource-types", json={"id": "page", "actions": ["read"]})
    route = {"id": "r", "methods": ["GET"], "path": "/{id}", "resource_type": "page", "action": "read"}
    assert client.simulate_post(f"{ROOT}/routes", json=route | {"anonymous": True}).status_code == 201
    assert client.simulate_get(f"{ROOT}/routes/r").json == route | {"anonymous": True}
    client.simulate_put(f"{ROOT}/routes/r", json=route | {"anonymous": False})
    assert client.simulate_get(f"{ROOT}/routes/r").json == route | {"anonymous": False}
    assert client.simulate_get(PATH).json == named
    found = []
    for delta in map(decode_delta, client.store.updates("default", 0).deltas):
        for one in delta.changes:
            if isinstance(one, RoutingChange):
                assert one.routing.gateway is not None
                found.append((delta.needs, one.routing.gateway.anonymous is not None))
    assert found == [((), False), (("anonymous",), True), ((), False)]


def test_a_write_of_a_mark_without_the_setting_warns(client: Managed) -> None:
    """E11. A model that silences the warning has none."""
    client.simulate_post(f"{ROOT}/resource-types", json={"id": "page", "actions": ["read"]})
    route = {"methods": ["GET"], "path": "/{id}", "resource_type": "page", "action": "read", "anonymous": True}

    def warned(id: str) -> list[tuple[str, str]]:
        answer = client.simulate_post(f"{ROOT}/routes", json=route | {"id": id})
        assert answer.status_code == 201, answer.text
        found = json.loads(answer.headers.get("Writ-Warnings", "[]"))
        return [(one["code"], one["path"]) for one in found]

    assert warned("a") == [("idle-anonymous", "$.anonymous")]
    client.simulate_put(PATH, json=SETTINGS)
    assert warned("b") == [("idle-anonymous", "$.anonymous")]
    client.simulate_put(PATH, json=SETTINGS | {"anonymous": {"type": "visitor", "id": "anyone"}})
    assert warned("c") == []
    client.simulate_put(PATH, json=SETTINGS)
    types = [{"id": "page", "actions": ["read"]}]
    model = {"model": 1, "resource_types": types, "lints": [{"code": "idle-anonymous", "reason": "it comes"}]}
    assert client.simulate_put(f"{ROOT}/model", json=model).status_code == 200
    assert warned("d") == []


def test_the_audit_log_has_both_states(client: Managed) -> None:
    client.simulate_put(PATH, json=SETTINGS)
    client.simulate_put(PATH, json=SETTINGS | {"max_cache_seconds": 5})
    client.simulate_delete(PATH)
    found = client.simulate_get("/v1/audit", params={"event": "gateway.changed"}).json["items"]
    told = [(entry["details"]["before"], entry["details"]["after"]) for entry in reversed(found)]
    longer = SETTINGS | {"max_cache_seconds": 5}
    assert told == [(None, SETTINGS), (SETTINGS, longer), (longer, None)]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "$"),
        (SETTINGS | {"trusted": []}, "$"),
        (SETTINGS | {"max_cache_seconds": -1}, "$.max_cache_seconds"),
        (SETTINGS | {"trusted_proxies": ["0.0.0.0/0"]}, "$.trusted_proxies[0]"),
        (SETTINGS | {"subject": {"header": "Authorization"}}, "$.subject.header"),
        (SETTINGS | {"subject": {}}, "$.subject"),
        (SETTINGS | {"anonymous": {"type": "visitor"}}, "$.anonymous"),
        (SETTINGS | {"anonymous": {"type": "visitor", "id": ""}}, "$.anonymous.id"),
        (SETTINGS | {"anonymous": {"type": "visitor", "id": "a", "attributes": {}}}, "$.anonymous"),
        (SETTINGS | {"response_headers": {"X-A": "secret"}}, "$.response_headers['X-A']"),
    ],
)
def test_faulty_settings_are_refused(client: Managed, body: dict[str, Any], path: str) -> None:
    answer = client.simulate_put(PATH, json=body)
    assert answer.status_code == 400
    (detail,) = answer.json["details"]
    assert (detail["code"], detail["path"]) == ("bad-gateway", path)
    assert client.store.gateway("default") is None


def test_only_an_administrator_changes_them(client: Managed) -> None:
    made = client.simulate_post("/v1/api-keys", json={"name": "writer", "scopes": ["write"]}).json["key"]
    writer = {"Authorization": f"Bearer {made}"}
    client.simulate_put(PATH, json=SETTINGS)
    assert client.simulate_get(PATH, headers=writer).status_code == 200
    assert client.simulate_put(PATH, json=SETTINGS, headers=writer).status_code == 403
    assert client.simulate_delete(PATH, headers=writer).status_code == 403


def test_settings_do_not_go_with_the_model(client: Managed) -> None:
    client.simulate_put(PATH, json=SETTINGS)
    assert client.simulate_get(f"{ROOT}/model").json == {"model": 1}
    assert client.simulate_put(f"{ROOT}/model", json={"model": 1}).status_code == 200
    assert client.store.gateway("default") is not None
    other = client.simulate_post("/v1/environments", json={"id": "other"})
    assert other.status_code == 201
    assert client.simulate_get("/v1/environments/other/gateway").status_code == 404


def test_routes_are_placed_by_a_parameter(client: Managed) -> None:
    client.create_all()
    route = {"methods": ["GET"], "path": "/x/{id}", "resource_type": "document", "action": "read"}
    answer = client.simulate_post(f"{ROOT}/routes", params={"before": "read-document"}, json={"id": "x"} | route)
    assert answer.status_code == 201
    assert _order(client) == ["x", "read-document"]
    moved = client.simulate_put(f"{ROOT}/routes/read-document", params={"before": "x"}, json=_first(client))
    assert moved.status_code == 200
    assert _order(client) == ["read-document", "x"]
    unknown = client.simulate_post(f"{ROOT}/routes", params={"before": "z"}, json={"id": "y"} | route)
    assert unknown.status_code == 400
    assert client.simulate_post(f"{ROOT}/roles", params={"before": "z"}, json={"id": "y"}).status_code == 400
    revision = client.simulate_get(f"{ROOT}/revisions").json["items"][0]
    assert revision["changes"] == {"routes": {"added": 0, "changed": 0, "removed": 0, "moved": 1}}


def _order(client: Managed) -> list[str]:
    return [one["id"] for one in client.simulate_get(f"{ROOT}/routes").json["items"]]


def _first(client: Managed) -> dict[str, Any]:
    found: dict[str, Any] = client.simulate_get(f"{ROOT}/routes/read-document").json
    return found
