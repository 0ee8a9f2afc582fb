"""A store on PostgreSQL that comes back from a dump, as the deployment page says: lost revisions stay lost."""

import re
import shlex
import subprocess
from pathlib import Path

import httpx
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.api.conftest import ALLOWED
from tests.support import postgres
from tests.support.history_clients import ENV
from tests.support.server import ROOT, Server
from tests.support.servers_together import revision_token, status_with_key, together
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

TICKETS = 12
"""The writes after the dump, and as many again: they draw the same tickets."""

PAGE = (ROOT / "api/DEPLOYMENT.md").read_text()


def run(name: str, *words: str) -> None:
    """Run a program of PostgreSQL."""
    subprocess.run([str(postgres.needed() / name), *words], check=True, capture_output=True)


def restore(database: str, dump: Path, *more: str) -> None:
    """Bring a dump back, as the page says."""
    (line,) = re.findall(r"^ *(pg_restore .*)$", PAGE, re.MULTILINE)
    words = [{"$WRIT_STORE": database, "writ.dump": str(dump)}.get(word, word) for word in shlex.split(line)]
    assert wait_until(lambda: is_restored(words, more)) is True


def is_restored(words: list[str], more: tuple[str, ...]) -> bool:
    """Restores. A service that reads meanwhile may have locks in another order: then PostgreSQL ends one of the two."""
    done = subprocess.run([str(postgres.needed() / words[0]), *words[1:], *more], capture_output=True)
    if b"deadlock detected" in done.stderr:
        return False
    assert done.returncode == 0, done.stderr
    return True


def another(database: str) -> str:
    """Makes an empty database beside another one. Returns its URL."""
    copy = database.replace("/together_", "/restored_")
    name = copy.partition("?")[0].rpartition("/")[2]
    with psycopg.connect(database, autocommit=True) as db:
        db.execute(f"CREATE DATABASE {name}".encode())
    return copy


def dumped(server: Server, database: str, dump: Path) -> tuple[str, str]:
    """Dumps a database between two writes. Returns the revision tokens of both."""
    with server.client() as client:
        kept = client.post(f"{ENV}/roles", json={"id": "kept", "name": "kept"})
        run("pg_dump", "--format=custom", f"--file={dump}", database)
        lost = client.post(f"{ENV}/roles", json={"id": "lost", "name": "lost"})
    return kept.headers["Writ-Revision"], lost.headers["Writ-Revision"]


def assert_restored(server: Server, kept: str, lost: str) -> None:
    """The service has what was dumped, in another epoch."""
    with server.client() as client:
        assert client.get(f"{ENV}/roles/kept").status_code == 200
        assert client.get(f"{ENV}/roles/lost").status_code == 404
        other = client.post(f"{ENV}/roles", json={"id": "other", "name": "other"})
        assert other.is_success, other.text
        epochs = [int(token.split(".")[1]) for token in (kept, lost, other.headers["Writ-Revision"])]
        assert epochs[0] == epochs[1] < epochs[2]
        refused = client.post("/access/v1/evaluation", json=ALLOWED, headers={"Writ-Min-Revision": lost})
        assert refused.status_code == 409, refused.text
        assert "other-epoch" in refused.text


def test_a_dump_comes_back_with_another_epoch(database: str, tmp_path: Path) -> None:
    """In the same cluster, where the copy has the identifier and the timeline of the original."""
    dump = tmp_path / "writ.dump"
    with together(database, tmp_path, 1) as services:
        (old,) = services.servers
        tokens = dumped(old, database, dump)
        old.stop()
        copy = another(database)
        restore(copy, dump)
        assert_restored(services.start(WRIT_STORE=copy), *tokens)


def test_a_dump_that_comes_back_under_a_service_is_noticed_too(database: str, tmp_path: Path) -> None:
    """The page says to stop all services. One that goes on must not give the numbers of lost revisions again."""
    dump = tmp_path / "writ.dump"
    with together(database, tmp_path, 1, workers=1) as services:
        (server,) = services.servers
        tokens = dumped(server, database, dump)
        restore(database, dump, "--clean", "--single-transaction")
        assert wait_until(lambda: "restored from a dump" in server.log)
        with server.client() as client:
            assert wait_until(lambda: client.get(f"{ENV}/roles/lost").status_code == 404)
            first = {"id": "first", "name": "first"}  # the thread that waits for servers is on the store of before
            assert wait_until(lambda: client.post(f"{ENV}/roles", json=first).status_code in (201, 409))
        assert_restored(server, *tokens)


def test_several_services_forget_what_a_dump_has_undone(database: str, tmp_path: Path) -> None:
    """The tickets begin again at a lower number, and the credentials that the dump lacks are unknown at once."""
    dump = tmp_path / "writ.dump"
    with together(database, tmp_path, 2, workers=1) as services:
        one, other = services.servers
        with other.client() as writer:
            run("pg_dump", "--format=custom", f"--file={dump}", database)
            for number in range(TICKETS):
                made = writer.post(f"{ENV}/roles", json={"id": f"lost{number}", "name": "lost"})
                assert made.is_success, made.text
            key = writer.post("/v1/api-keys", json={"name": "lost", "scopes": ["read"]}).json()["key"]
            assert status_with_key(one, key) == 200
            restore(database, dump, "--clean", "--single-transaction")
            assert wait_until(lambda: "restored from a dump" in one.log + other.log)
            assert wait_until(lambda: is_written(writer, "first"))
            assert status_with_key(one, key) == 401
            for number in range(TICKETS):
                made = writer.post(f"{ENV}/roles", json={"id": f"new{number}", "name": "new"})
                assert made.is_success, made.text
                assert revision_token(one) == made.headers["Writ-Revision"]


def is_written(client: httpx.Client, role: str) -> bool:
    """Returns whether a role is stored by now."""
    return client.post(f"{ENV}/roles", json={"id": role, "name": role}).status_code in (201, 409)


def test_a_base_backup_that_comes_back_under_services_is_noticed_too(tmp_path: Path) -> None:
    """It has the identifier, the timeline and the rows of the original. The services have seen more than it has."""
    place = postgres.needed()
    with postgres.server(place) as conninfo:
        given = conninfo_to_dict(conninfo)
        url = f"postgresql://{given['user']}@/postgres?host={given['host']}"
        with together(url, tmp_path, 2, workers=1) as services:
            one, other = services.servers
            with one.client() as client:
                kept = client.post(f"{ENV}/roles", json={"id": "kept", "name": "kept"}).headers["Writ-Revision"]
                postgres.back_up(place, conninfo)
                lost = client.post(f"{ENV}/roles", json={"id": "lost", "name": "lost"}).headers["Writ-Revision"]
            postgres.restart(place, conninfo, copy=True)
            for number, server in enumerate((one, other)):
                with server.client() as client:
                    assert wait_until(lambda at=client, role=f"first{number}": is_written(at, role))
            assert_restored(one, kept, lost)
            with other.client() as client:
                assert client.get(f"{ENV}/roles/lost").status_code == 404
                entries = client.get("/v1/audit", params={"event": "store.restored"}).json()["items"]
            assert len(entries) == 1
