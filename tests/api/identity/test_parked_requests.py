"""A request whose body is held back until its credential has ended changes nothing and learns nothing."""

import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace
from writ.api.store.actor import Actor
from writ.api.store.credentials.credentials import ApiKeySpec, ClientSpec
from writ.api.store.elements.edits import Create
from writ.api.store.environments import EnvironmentChange
from writ.api.store.errors import OutOfBounds
from writ.api.store.store import Store

from tests.support.processes import children, templates
from tests.support.raw_http import RawConnection, request
from tests.support.server import Server, running
from tests.support.stored import ACTOR, ENV
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

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


def is_known(server: Server, key: str) -> bool:
    """Whether a key admits anybody still."""
    answer = httpx.get(f"{server.url}/v1/environments/default", headers={"Authorization": f"Bearer {key}"})
    return answer.status_code != 401


def test_a_key_that_expires_meanwhile_is_refused(server: Server) -> None:
    """On a busy machine, the key may expire before its request has begun: then the next one lives longer."""
    text = json.dumps(ROLE).encode()
    for seconds in (3, 10, 40):
        with server.client() as admin, RawConnection(server.host, server.port) as connection:
            end = datetime.now(UTC) + timedelta(seconds=seconds)
            given = {"name": "e", "scopes": ["write"], "expires_at": end.isoformat()}
            key = admin.post("/v1/api-keys", json=given).json().get("key", "")
            connection.send_read(request("POST", "/v1/environments/default/roles", text, key=key)[:-1])
            if seconds < 40 and not is_known(server, key):
                continue
            assert wait_until(lambda key=key: not is_known(server, key))
            connection.send(text[-1:])
            assert connection.answer().status == 401
            assert admin.get("/v1/environments/default/roles/parked").status_code == 404
            return


def test_a_model_is_dated_when_it_is_there_and_not_when_it_began(server: Server) -> None:
    """Else whoever follows the audit log by time would never see it."""
    text = json.dumps({"model": 1, "roles": [{"id": "late"}]}).encode()
    with server.client() as admin, RawConnection(server.host, server.port) as connection:
        path = "/v1/environments/default/model"
        connection.send_read(request("PUT", path, text, key=server.key)[:-1])
        behind = datetime.now(UTC).isoformat()
        connection.send(text[-1:])
        assert connection.answer().status == 200
        found = admin.get("/v1/audit", params={"event": "model.changed", "since": behind}).json()["items"]
        assert len(found) == 1


def test_nothing_is_committed_for_whoever_was_ended_a_moment_ago(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    held = store.credentials
    revoked, deleted = (held.add_client(ACTOR, ClientSpec("c", ["admin"], 60), bytes(32)) for _ in range(2))
    key = held.add_api_key(ACTOR, ApiKeySpec("k", ["admin"]), bytes(32))
    held.revoke_client(ACTOR, revoked.id)
    held.delete_client(ACTOR, deleted.id)
    held.delete_api_key(ACTOR, key.id)
    for actor in (Actor("a", client=revoked.id), Actor("a", client=deleted.id), Actor("a", api_key=key.id)):
        changes: list[Callable[[], object]] = [
            lambda actor=actor: held.add_client(actor, ClientSpec("c", ["admin"], 60), bytes(32)),
            lambda actor=actor: held.add_api_key(actor, ApiKeySpec("k", ["admin"]), bytes(31) + b"x"),
            lambda actor=actor: store.write(ENV, actor, [Create("roles", {"id": "r"})]),
            lambda actor=actor: store.create_environment(actor, "x"),
            lambda actor=actor: store.change_environment(actor, ENV, EnvironmentChange(protected=True)),
        ]
        for change in changes:
            with pytest.raises(OutOfBounds, match="while the request was on its way"):
                change()
    store.close()


def test_nothing_is_committed_with_what_was_taken_away_a_moment_ago(tmp_path: Path) -> None:
    """Scopes and environments of its client, and the very token; what is left may be used."""
    store = Store.open(tmp_path)
    held = store.credentials
    one, other = (store.create_environment(ACTOR, id) for id in ("one", "other"))
    client = held.add_client(ACTOR, ClientSpec("c", ["read", "write"], 60, environments=["one"]), bytes(32))
    held.revoke_token(ACTOR, "revoked", 2**40, 0.0)
    within = Actor("a", frozenset({one.uuid}), client=client.id, token="live", scopes=("write", "admin"))
    for changed in (
        replace(within, scopes=("admin",)),
        replace(within, bounds=frozenset({one.uuid, other.uuid})),
        replace(within, bounds=None),
        replace(within, token="revoked"),
    ):
        with pytest.raises(OutOfBounds, match="revoked or restricted"):
            store.write("one", changed, [Create("roles", {"id": "r"})])
    for fitting in (within, replace(within, scopes=("read", "write", "admin")), replace(within, bounds=frozenset())):
        with suppress(OutOfBounds):  # of no environments at all, as ever
            store.write("one", fitting, [Create("roles", {"id": f"{fitting.scopes[0]}{len(fitting.bounds or ())}"})])
    assert {role.body["id"] for role in store.list("one", "roles").items} == {"write1", "read1"}
    store.close()


def replacing(server: Server) -> int | None:
    """The process that replaces a model."""
    starters = [server.process.pid, *children(server.process.pid)]
    return next((job for one in starters for template in templates(one) for job in templates(template)), None)


@pytest.mark.parametrize(
    "act",
    [
        lambda admin, id, token: admin.patch(f"/v1/clients/{id}", json={"scopes": ["read"]}),
        lambda admin, id, token: admin.patch(f"/v1/clients/{id}", json={"environments": ["other"]}),
    ],
    ids=["scopes", "environments"],
)
def test_a_model_that_is_on_its_way_is_not_replaced_with_what_was_taken_away(
    server: Server, act: Callable[..., httpx.Response]
) -> None:
    model = {"model": 1, "roles": [{"id": f"r{number}", "name": "x" * 100} for number in range(20_000)]}
    with server.client() as admin:
        admin.post("/v1/environments", json={"id": "other"})
        made = admin.post("/v1/clients", json={"name": "c", "scopes": ["write"], "environments": ["default"]}).json()
        form = {"grant_type": "client_credentials"} | {name: made[name] for name in ("client_id", "client_secret")}
        token = httpx.post(f"{server.url}/v1/oauth/token", data=form).json()["access_token"]
        before = admin.get("/v1/environments/default/model").text
        text = json.dumps(model).encode()
        with RawConnection(server.host, server.port) as connection:
            connection.send(request("PUT", "/v1/environments/default/model", text, key=token))
            job = wait_until(lambda: replacing(server))
            assert isinstance(job, int)
            os.kill(job, signal.SIGSTOP)  # it reads the model first
            assert act(admin, made["client_id"], token).status_code == 200
            os.kill(job, signal.SIGCONT)
            assert connection.answer().status == 403
        assert admin.get("/v1/environments/default/model").text == before
