"""Secrets and sessions that end on one of two servers are refused at the other one by the next request."""

import json
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest

from tests.support.openid_provider import CLIENT, OpenIdProvider, openid_provider
from tests.support.server import Server
from tests.support.servers_together import PUBLIC_URL, together
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service


def status(server: Server, key: str) -> int:
    return httpx.get(f"{server.url}/v1/caller", headers={"Authorization": f"Bearer {key}"}).status_code


def token_status(server: Server, id: str, secret: str) -> int:
    fields = {"grant_type": "client_credentials", "client_id": id, "client_secret": secret}
    return httpx.post(f"{server.url}/v1/oauth/token", data=fields).status_code


def sign_in(begins: Server, ends: Server, provider: OpenIdProvider, name: str) -> str:
    """The cookie of a session that begins at a server after a sign-in that began at the other one."""
    begun = httpx.get(f"{begins.url}/console/sign-in")
    sent = urlencode(provider.signs_in(begun.headers["Location"], sub=name, name=name, groups=["admins"]))
    flow = begun.headers["Set-Cookie"].partition(";")[0]
    done = httpx.get(f"{ends.url}/console/callback?{sent}", headers={"Cookie": flow})
    assert done.status_code == 200, done.text
    (cookie,) = [one for one in done.headers.get_list("Set-Cookie") if one.startswith("__Host-writ-session=")]
    return cookie.partition(";")[0]


def signed_in(server: Server, cookie: str) -> str | int:
    """The name of the person with that session at a server, or the status without one."""
    answer = httpx.get(f"{server.url}/v1/caller", headers={"Cookie": cookie})
    return str(answer.json()["name"]) if answer.status_code == 200 else answer.status_code


def test_what_ends_at_one_server_ends_at_the_other_at_once(database: str, tmp_path: Path) -> None:
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps({"ask": "us", "rules": [{"group": "admins", "scope": "admin"}]}))
    with openid_provider() as provider, together(database, tmp_path, 0, workers=1) as services:
        settings = {
            "WRIT_OIDC_ISSUER": provider.url,
            "WRIT_OIDC_CLIENT_ID": CLIENT,
            "WRIT_OIDC_ROLES": str(rules),
        }
        one, other = services.start(**settings), services.start(**settings)
        secrets_end(one, other)
        sessions_end(one, other, provider)


def sessions_end(one: Server, other: Server, provider: OpenIdProvider) -> None:
    """Check that a session counts at both servers, and ends at both, whoever ends it where."""
    cookies = [sign_in(one, other, provider, "Ann"), sign_in(other, one, provider, "Ann")]
    cookies.append(sign_in(one, one, provider, "Ben"))
    assert [signed_in(server, each) for each in cookies for server in (one, other)] == [*["Ann"] * 4, *["Ben"] * 2]
    headers = {"Cookie": cookies[2], "Origin": PUBLIC_URL, "X-Writ-Session": "1"}
    assert httpx.post(f"{one.url}/console/sign-out", headers=headers).status_code == 200
    assert [signed_in(server, cookies[2]) for server in (other, one)] == [401, 401]
    with one.client() as admin, other.client() as elsewhere:
        first, second = admin.get("/v1/sessions").json()["items"]
        assert elsewhere.delete(f"/v1/sessions/{first['id']}").status_code == 204
        assert sorted(str(signed_in(one, each)) for each in cookies[:2]) == ["401", "Ann"]
        assert admin.delete(f"/v1/people/{second['person']}/sessions").status_code == 204
        assert [signed_in(other, each) for each in cookies[:2]] == [401, 401]


def secrets_end(one: Server, other: Server) -> None:
    """Check that a secret whose overlap ended at a server is refused at both."""
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
