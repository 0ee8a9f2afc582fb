"""A rotation on one of two servers of a database counts at the other one for the next request."""

from pathlib import Path

import httpx
import pytest

from tests.support.server import Server, wait_until
from tests.support.servers_together import together

pytestmark = pytest.mark.service


def status(server: Server, key: str) -> int:
    return httpx.get(f"{server.url}/v1/caller", headers={"Authorization": f"Bearer {key}"}).status_code


def token_status(server: Server, id: str, secret: str) -> int:
    fields = {"grant_type": "client_credentials", "client_id": id, "client_secret": secret}
    return httpx.post(f"{server.url}/v1/oauth/token", data=fields).status_code


def test_the_other_server_refuses_an_ended_secret_at_once(database: str, tmp_path: Path) -> None:
    with together(database, tmp_path, 2, workers=1) as services:
        one, other = services.servers
        with one.client() as admin:
            key = admin.post("/v1/api-keys", json={"name": "k", "scopes": ["read"]}).json()
            client = admin.post("/v1/clients", json={"name": "c", "scopes": ["read"]}).json()
            id, secret, path = client["client_id"], client["client_secret"], f"/v1/api-keys/{key['id']}"
            assert (status(other, key["key"]), token_status(other, id, secret)) == (200, 200)
            kept = admin.post(f"{path}/rotate", json={"overlap_seconds": 600}).json()["key"]
            renewed = admin.post(f"/v1/clients/{id}/secret", json={"overlap_seconds": 600}).json()["client_secret"]
            assert [status(other, each) for each in (key["key"], kept)] == [200, 200]
            assert [token_status(other, id, each) for each in (secret, renewed)] == [200, 200]
            assert admin.delete(f"{path}/old-keys").status_code == 204
            assert status(other, key["key"]) == 401
            last = admin.post(f"{path}/rotate", json={"overlap_seconds": 2}).json()["key"]
            assert admin.post(f"/v1/clients/{id}/secret").status_code == 200
            assert [token_status(other, id, each) for each in (secret, renewed)] == [401, 401]
            assert wait_until(lambda: status(other, kept) == 401)
            assert [status(server, last) for server in (one, other)] == [200, 200]
