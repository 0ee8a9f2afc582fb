"""A request whose body is held back until its credential has ended changes nothing and learns nothing."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from api.store.actor import Actor
from api.store.credentials import ApiKeyWanted, ClientWanted
from api.store.edits import Create
from api.store.refusals import OutOfBounds
from api.store.store import Store
from tests.support.raw_http import RawConnection, request
from tests.support.server import Server, running
from tests.support.stored import ACTOR, ENV

ROLE = {"id": "parked"}
PARKED = {
    "a new key": ("POST", "/v1/api-keys", {"name": "k", "scopes": ["admin"]}),
    "a new client": ("POST", "/v1/clients", {"name": "c", "scopes": ["admin"]}),
    "a role": ("POST", "/v1/environments/default/roles", ROLE),
    "a batch": ("POST", "/v1/environments/default/roles:batch", {"items": [ROLE]}),
    "a model": ("PUT", "/v1/environments/default/model", {"model": 1, "roles": [ROLE]}),
    "an environment": ("POST", "/v1/environments", {"id": "parked"}),
    "a decision": (
        "POST",
        "/access/v1/evaluation",
        {"subject": {"type": "u", "id": "1"}, "action": {"name": "a"}, "resource": {"type": "r", "id": "1"}},
    ),
    "a search": (
        "POST",
        "/access/v1/search/resource",
        {"subject": {"type": "u", "id": "1"}, "action": {"name": "a"}, "resource": {"type": "r"}},
    ),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("parked") / "data", workers=2) as found:
        yield found


@pytest.mark.parametrize(("method", "path", "body"), PARKED.values(), ids=PARKED)
def test_what_was_parked_is_refused(server: Server, method: str, path: str, body: object) -> None:
    with server.client() as admin:
        made = admin.post("/v1/clients", json={"name": "thief", "scopes": ["admin"]}).json()
        form = {"grant_type": "client_credentials"} | {name: made[name] for name in ("client_id", "client_secret")}
        token = httpx.post(f"{server.url}/v1/oauth/token", data=form).json()["access_token"]
        text = json.dumps(body).encode()
        with RawConnection(server.host, server.port) as connection:
            connection.send(request(method, path, text, key=token)[:-1])
            assert admin.get("/v1/clients", headers={"Authorization": f"Bearer {token}"}).status_code == 200
            assert admin.post(f"/v1/clients/{made['client_id']}/revoke").status_code == 204
            connection.send(text[-1:])
            assert connection.answer().status == 401
        assert admin.get("/v1/environments/default/roles/parked").status_code == 404
        assert admin.get("/v1/environments/parked").status_code == 404
        assert [key for key in admin.get("/v1/api-keys").json()["items"] if key["name"] == "k"] == []
        assert [one for one in admin.get("/v1/clients").json()["items"] if one["name"] == "c"] == []


def test_nothing_is_committed_for_whoever_was_ended_a_moment_ago(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    held = store.credentials
    revoked, deleted = (held.add_client(ACTOR, ClientWanted("c", ["admin"], 60), bytes(32)) for _ in range(2))
    key = held.add_api_key(ACTOR, ApiKeyWanted("k", ["admin"]), bytes(32))
    held.revoke_client(ACTOR, revoked.id)
    held.delete_client(ACTOR, deleted.id)
    held.delete_api_key(ACTOR, key.id)
    for actor in (Actor("a", client=revoked.id), Actor("a", client=deleted.id), Actor("a", api_key=key.id)):
        changes: list[Callable[[], object]] = [
            lambda actor=actor: held.add_client(actor, ClientWanted("c", ["admin"], 60), bytes(32)),
            lambda actor=actor: held.add_api_key(actor, ApiKeyWanted("k", ["admin"]), bytes(31) + b"x"),
            lambda actor=actor: store.write(ENV, actor, [Create("roles", {"id": "r"})]),
            lambda actor=actor: store.create_environment(actor, "x"),
            lambda actor=actor: store.protect_environment(actor, ENV, True),
        ]
        for change in changes:
            with pytest.raises(OutOfBounds, match="ended while"):
                change()
    store.close()
