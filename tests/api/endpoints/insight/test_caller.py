"""`GET /v1/caller`: a caller learns what its own credential is and may do, and nothing of others."""

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from falcon import testing

from tests.support.clock import Clock
from tests.support.managed import Managed

CALLER = "/v1/caller"
NOW = 1_800_000_000.0
"""2027-01-15T08:00:00Z."""


@pytest.fixture
def timed(tmp_path: Path) -> Managed:
    client = Managed(tmp_path, clock=Clock(NOW))
    assert client.simulate_post("/v1/environments", json={"id": "stage"}).status_code == 201
    return client


def asked(service: Managed, credential: str, method: str = "GET") -> testing.Result:
    return service.simulate_request(method, CALLER, headers={"Authorization": f"Bearer {credential}"})


def made_key(service: Managed, **members: Any) -> dict[str, Any]:
    answer = service.simulate_post("/v1/api-keys", json={"name": "ci"} | members)
    assert answer.status_code == 201, answer.text
    return dict(answer.json)


def made_client(service: Managed, **members: Any) -> dict[str, Any]:
    answer = service.simulate_post("/v1/clients", json={"name": "billing"} | members)
    assert answer.status_code == 201, answer.text
    return dict(answer.json)


def token_of(service: Managed, client: dict[str, Any], scope: str) -> str:
    fields = {"grant_type": "client_credentials", "scope": scope}
    fields |= {name: client[name] for name in ("client_id", "client_secret")}
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    bare = testing.TestClient(service.app)
    answer = bare.simulate_post("/v1/oauth/token", body=urlencode(fields), headers=headers)
    assert answer.status_code == 200, answer.text
    return str(answer.json["access_token"])


def test_the_administrators_key_has_every_scope_and_no_id(timed: Managed) -> None:
    found = timed.simulate_get(CALLER)
    assert (found.status_code, found.headers["Cache-Control"]) == (200, "no-store")
    assert found.json == {
        "kind": "admin_key",
        "id": None,
        "name": None,
        "scopes": ["decide", "read", "write", "admin"],
        "environments": None,
        "expires_at": None,
    }


def test_an_api_key_learns_its_bounds_and_its_end(timed: Managed) -> None:
    key = made_key(timed, scopes=["write"], environments=["stage"], expires_at="2027-01-15T10:00:00+01:00")
    assert asked(timed, key["key"]).json == {
        "kind": "api_key",
        "id": key["id"],
        "name": "ci",
        "scopes": ["decide", "read", "write"],
        "environments": ["stage"],
        "expires_at": "2027-01-15T09:00:00Z",
    }


def test_a_key_of_a_deleted_environment_is_bound_to_none_that_exists(timed: Managed) -> None:
    key = made_key(timed, scopes=["read"], environments=["stage"])
    assert timed.simulate_delete("/v1/environments/stage").status_code == 204
    assert asked(timed, key["key"]).json["environments"] == []


def test_a_token_shows_what_it_has_of_its_clients_rights(timed: Managed) -> None:
    """Writ takes a token a second longer than its lifetime, since instants in tokens are whole seconds."""
    client = made_client(timed, scopes=["read", "write"], token_lifetime=60)
    token = token_of(timed, client, "read")
    assert asked(timed, token).json == {
        "kind": "client",
        "id": client["client_id"],
        "name": "billing",
        "scopes": ["decide", "read"],
        "environments": None,
        "expires_at": "2027-01-15T08:01:01Z",
    }


def test_a_key_that_ended_is_refused_and_a_parameter_too(timed: Managed) -> None:
    key = made_key(timed, scopes=["read"])
    assert asked(timed, key["key"]).status_code == 200
    assert timed.simulate_delete(f"/v1/api-keys/{key['id']}").status_code == 204
    refused = asked(timed, key["key"])
    assert (refused.status_code, refused.headers["WWW-Authenticate"].split()[0]) == (401, "Bearer")
    assert timed.simulate_get(f"{CALLER}?id=x").status_code == 400
    assert asked(timed, key["key"], "POST").status_code == 405
