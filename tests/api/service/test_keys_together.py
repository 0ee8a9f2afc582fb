"""The keys of several services on one PostgreSQL: each accepts what another one signed, or does not start."""

import shutil
import signal
from pathlib import Path

import httpx
import psycopg
import pytest
from writ.api.identity.keys.signing_keys import new_key
from writ.api.service.upkeep.key_upkeep import KEY_TROUBLE

from tests.support.history_clients import ENV
from tests.support.server import running
from tests.support.servers_together import together
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

MODEL = {
    "model": 1,
    "resource_types": [{"id": "doc", "actions": ["read", "update"]}],
    "roles": [{"id": "editor", "name": "editor"}],
    "policies": [
        {
            "id": "p",
            "name": "p",
            "effect": "ALLOW",
            "roles": ["editor"],
            "resource_types": [{"resource_type_id": "doc", "actions": ["read", "update"]}],
        }
    ],
    "assignments": [{"role": "editor", "subject": {"type": "user", "id": "ann"}}],
}
SEARCH = {"subject": {"type": "user", "id": "ann"}, "resource": {"type": "doc", "id": "1"}}


def answered(answer: httpx.Response) -> dict:
    """The body of an answer without an error."""
    assert answer.is_success, answer.text
    return answer.json()


def test_each_service_accepts_the_tokens_of_the_other(database: str, tmp_path: Path) -> None:
    with together(database, tmp_path, 0) as services:
        one, other = services.start(), services.start()
        with one.client() as client, other.client() as elsewhere:
            answered(client.put(f"{ENV}/model", json=MODEL, headers={"If-Match": "*"}))
            page = answered(client.post("/access/v1/search/action", json={**SEARCH, "page": {"limit": 1}}))
            asked = {**SEARCH, "page": {"token": page["page"]["next_token"]}}
            rest = answered(elsewhere.post("/access/v1/search/action", json=asked))
            assert [*page["results"], *rest["results"]] == [{"name": "read"}, {"name": "update"}]

            made = answered(client.post("/v1/clients", json={"name": "c", "scopes": ["read"]}))
            form = {"grant_type": "client_credentials"} | {name: made[name] for name in ("client_id", "client_secret")}
            token = answered(httpx.post(f"{one.url}/v1/oauth/token", data=form))["access_token"]
            headers = {"Authorization": f"Bearer {token}"}
            assert answered(httpx.get(f"{other.url}{ENV}/policies", headers=headers))


def test_a_service_with_a_key_of_its_own_does_not_start(database: str, tmp_path: Path) -> None:
    with together(database, tmp_path, 1) as services:
        said = r"this server made its own signing key, and the server `.*data0` on the same database has another one"
        with (
            pytest.raises(AssertionError, match=said),
            running(tmp_path / "own", settings={"WRIT_STORE": database}),
        ):
            pass
        services.start()


def test_running_services_say_that_their_keys_differ(database: str, tmp_path: Path) -> None:
    with together(database, tmp_path, 1) as services:
        (one,), file = services.servers, tmp_path / "copied.pem"
        shutil.copy(tmp_path / "signing.pem", file)
        other = services.start(WRIT_SIGNING_KEY=str(file))
        other.process.send_signal(signal.SIGHUP)  # new workers go on with it
        file.write_bytes(new_key("EdDSA")[1])
        assert wait_until(lambda: all(KEY_TROUBLE in server.log for server in (one, other)))
        other.stop()
        with psycopg.connect(database) as db:
            ended = db.execute("SELECT DISTINCT name FROM server_keys WHERE seen = 0").fetchall()
        assert [name.rpartition("/")[2] for (name,) in ended] == ["data1"]


def test_services_with_other_public_urls_say_so_or_do_not_start(database: str, tmp_path: Path) -> None:
    """The URL is the issuer of tokens: each would refuse those of the other. A service without one can't be right."""
    with together(database, tmp_path, 1) as services:
        (one,) = services.servers
        with pytest.raises(AssertionError, match="so each refuses those of the other one; give every server the same"):
            services.start(WRIT_PUBLIC_URL="")
        other = services.start(WRIT_PUBLIC_URL="https://other.example")
        assert "issues tokens as `https://other.example`, and the server" in other.log
        one.process.send_signal(signal.SIGHUP)  # its new workers register at once
        assert wait_until(lambda: "issues tokens as `https://writ.example`, and the server" in one.log)
