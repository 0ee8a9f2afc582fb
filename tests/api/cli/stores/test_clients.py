"""`writ clients`: the clients of a store, while a service runs on it."""

import json
from pathlib import Path

import httpx
from writ.api.store.actor import command_actor

from tests.support.command import writ
from tests.support.server import running


def test_clients_are_made_renewed_revoked_and_deleted_beside_a_service(tmp_path: Path) -> None:
    folder = tmp_path / "data"

    def clients(*arguments: str) -> bytes:
        done = writ("clients", *arguments, "--data", folder)
        assert done.returncode == 0, done.stderr
        return done.stdout

    with running(folder) as server, server.client() as admin:

        def status(secret: str) -> int:
            form = {"grant_type": "client_credentials", "client_id": made["client_id"], "client_secret": secret}
            return httpx.post(f"{server.url}/v1/oauth/token", data=form).status_code

        arguments = ("--scope", "read", "--scope", "write", "--env", "default", "--lifetime", "60")
        made = json.loads(clients("create", "importer", *arguments, "--description", "nightly"))
        old = made.pop("client_secret")
        assert (made["scopes"], made["environments"], made["token_lifetime"]) == (["read", "write"], ["default"], 60)
        assert admin.get(f"/v1/clients/{made['client_id']}").json() == made
        assert [json.loads(line) for line in clients().splitlines()] == [made]
        assert status(old) == 200
        new = json.loads(clients("secret", made["client_id"]))["client_secret"]
        assert (status(old), status(new)) == (401, 200)
        assert clients("revoke", made["client_id"]) == b""
        assert status(new) == 401
        clients("delete", made["client_id"])
        assert clients() == b""
        told = [(one["event"], one["actor"]) for one in admin.get("/v1/audit").json()["items"]]
        assert told[0] == ("client.deleted", command_actor().name)


def test_what_cannot_be_done_is_said_in_one_line(tmp_path: Path) -> None:
    with running(tmp_path / "data"):
        pass
    for arguments, sentence in [
        (("revoke", "x"), "there is no client `x`"),
        (("secret", "x"), "there is no client `x`"),
        (("create", "c", "--scope", "read", "--env", "x"), "there is no environment `x`"),
        (("create", "", "--scope", "read"), "`name` must not be empty"),
    ]:
        done = writ("clients", *arguments, "--data", tmp_path / "data")
        assert (done.returncode, done.stderr.decode()) == (2, f"Error: {sentence}\n")
    done = writ("clients", "--data", tmp_path / "nowhere")
    assert done.returncode == 2
    assert "has no store" in done.stderr.decode()


def test_the_directory_counts_wherever_it_is_said(tmp_path: Path) -> None:
    """Said before the subcommand it was left aside, and another store was changed."""
    with running(tmp_path / "writ-data"), running(tmp_path / "other"):
        pass
    made = writ("clients", "--data", tmp_path / "other", "create", "c", "--scope", "read", cwd=tmp_path)
    assert made.returncode == 0
    assert writ("clients", "--data", tmp_path / "writ-data").stdout == b""
    assert writ("clients", "--data", tmp_path / "writ-data", "list", cwd=tmp_path).returncode == 2
    for arguments in (("clients", "--data", "nowhere", "revoke", "x"), ("keys", "--data", "nowhere", "rotate")):
        done = writ(*arguments, cwd=tmp_path)
        assert done.returncode == 2
        assert b"`nowhere` has no store" in done.stderr
    done = writ("audit", "--client", "x", "verify", cwd=tmp_path)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, b"Error: `--client` can't be used with `verify`")
