"""Credentials on a service of several workers: what ends, ends on all of them at once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest

from tests.support.command import writ
from tests.support.server import Server, running
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

ASKED = {
    "subject": {"type": "user", "id": "alice"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("credentials") / "data"


@pytest.fixture(scope="module")
def workers(folder: Path) -> Iterator[Server]:
    with running(folder, workers=2, settings={"WRIT_PUBLIC_URL": "https://writ.example"}) as started:
        yield started


@pytest.fixture
def admin(workers: Server) -> Iterator[httpx.Client]:
    with workers.client() as client:
        yield client


def asked(server: Server, secret: str) -> set[int]:
    """The statuses of decisions on several connections, so that every worker is asked."""
    headers = {"Authorization": f"Bearer {secret}"}
    return {httpx.post(f"{server.url}/access/v1/evaluation", json=ASKED, headers=headers).status_code for _ in range(8)}


def api_key(admin: httpx.Client) -> dict[str, Any]:
    made = admin.post("/v1/api-keys", json={"name": "k", "scopes": ["read"]})
    assert made.status_code == 201
    return dict(made.json())


def client(admin: httpx.Client) -> dict[str, Any]:
    made = admin.post("/v1/clients", json={"name": "c", "scopes": ["read"]})
    assert made.status_code == 201
    return dict(made.json())


def fields(client: dict[str, Any], **more: str) -> dict[str, str]:
    return {"client_id": client["client_id"], "client_secret": client["client_secret"]} | more


def token_of(server: Server, client: dict[str, Any]) -> httpx.Response:
    return httpx.post(f"{server.url}/v1/oauth/token", data=fields(client, grant_type="client_credentials"))


def test_a_deleted_key_is_refused_by_every_worker(workers: Server, admin: httpx.Client) -> None:
    key, other = api_key(admin), api_key(admin)
    assert asked(workers, key["key"]) == {200}
    assert admin.delete(f"/v1/api-keys/{key['id']}").status_code == 204
    assert (asked(workers, key["key"]), asked(workers, other["key"])) == ({401}, {200})


def test_revoked_clients_and_tokens_are_refused_by_every_worker(workers: Server, admin: httpx.Client) -> None:
    own = client(admin)
    tokens = [token_of(workers, own).json()["access_token"] for _ in range(2)]
    assert [asked(workers, token) for token in tokens] == [{200}, {200}]
    assert httpx.post(f"{workers.url}/v1/oauth/revoke", data=fields(own, token=tokens[0])).status_code == 200
    assert [asked(workers, token) for token in tokens] == [{401}, {200}]
    assert admin.post(f"/v1/clients/{own['client_id']}/revoke").status_code == 204
    assert [asked(workers, token) for token in tokens] == [{401}, {401}]
    assert token_of(workers, own).json() == {"error": "invalid_client"}


def test_a_rotated_key_is_refused_on_connections_that_used_it(workers: Server, admin: httpx.Client) -> None:
    """A worker remembers a key, and the decision lane its admission: the next request is refused all the same."""
    key = api_key(admin)
    old = workers.client(), workers.client(), workers.client(), workers.client()
    for one in old:
        one.headers["Authorization"] = f"Bearer {key['key']}"
        assert [one.post("/access/v1/evaluation", json=ASKED).status_code for _ in range(3)] == [200] * 3
    first = admin.post(f"/v1/api-keys/{key['id']}/rotate", json={"overlap_seconds": 60}).json()["key"]
    assert [one.post("/access/v1/evaluation", json=ASKED).status_code for one in old] == [200] * len(old)
    last = admin.post(f"/v1/api-keys/{key['id']}/rotate").json()["key"]
    assert [one.post("/access/v1/evaluation", json=ASKED).status_code for one in old] == [401] * len(old)
    assert (asked(workers, first), asked(workers, last)) == ({401}, {200})
    for one in old:
        one.close()


def test_an_overlap_ends_by_itself_on_every_worker(workers: Server, admin: httpx.Client) -> None:
    own, key = client(admin), api_key(admin)
    new = admin.post(f"/v1/api-keys/{key['id']}/rotate", json={"overlap_seconds": 2}).json()["key"]
    renewed = admin.post(f"/v1/clients/{own['client_id']}/secret", json={"overlap_seconds": 2}).json()
    assert wait_until(lambda: asked(workers, key["key"]) == {401})
    assert token_of(workers, own).json() == {"error": "invalid_client"}
    assert (asked(workers, new), token_of(workers, renewed).status_code) == ({200}, 200)


def test_a_key_is_rotated_and_lost_while_the_service_runs(workers: Server, admin: httpx.Client, folder: Path) -> None:
    own, key = client(admin), api_key(admin)
    old = token_of(workers, own).json()["access_token"]
    claims = jwt.decode(old, options={"verify_signature": False})
    assert (claims["iss"], claims["aud"]) == ("https://writ.example", "https://writ.example")
    assert writ("keys", "rotate", "--data", folder).returncode == 0
    for _ in range(8):
        new = token_of(workers, own).json()["access_token"]
        assert jwt.get_unverified_header(new)["kid"] != jwt.get_unverified_header(old)["kid"]
        assert asked(workers, new) == {200}
    assert asked(workers, old) == {200}
    shown = writ("keys", "--data", folder)
    assert (shown.returncode, shown.stdout.count(b"BEGIN PUBLIC KEY")) == (0, 2)
    assert len(admin.get("/.well-known/jwks.json").json()["keys"]) == 2
    for file in (folder / "keys").iterdir():
        file.write_text("damaged")
    answer = token_of(workers, own)
    assert (answer.status_code, answer.json()) == (500, {"error": "server_error"})
    assert "no token can be issued" in workers.log
    assert (asked(workers, key["key"]), asked(workers, workers.key)) == ({200}, {200})
    assert writ("keys", "--data", folder).returncode == 2
    assert writ("keys", "rotate", "--data", folder).returncode == 0
    assert token_of(workers, own).status_code == 200


def test_keys_are_given_by_the_environment(tmp_path: Path) -> None:
    given = tmp_path / "given.pem"
    with running(tmp_path / "es", settings={"WRIT_SIGNING_ALGORITHM": "ES256"}) as server, server.client() as admin:
        own = token_of(server, client(admin)).json()["access_token"]
        assert jwt.get_unverified_header(own)["alg"] == "ES256"
        (file,) = (tmp_path / "es" / "keys").iterdir()
        given.write_bytes(file.read_bytes())
    with running(tmp_path / "given", settings={"WRIT_SIGNING_KEY": str(given)}) as server, server.client() as admin:
        token = token_of(server, client(admin)).json()["access_token"]
        assert jwt.get_unverified_header(token)["kid"] == jwt.get_unverified_header(own)["kid"]
        assert not (tmp_path / "given" / "keys").exists()
