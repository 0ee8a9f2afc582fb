"""Commits that no writer tells of: every server sees them within a lease, and no answer tells of them before."""

import os
import signal
from pathlib import Path

import psycopg
import pytest

from tests.support.history_clients import ENV
from tests.support.processes import children
from tests.support.server import Server
from tests.support.servers_together import keeper, revision_token, status_with_key, together
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

TIMES = 5
CONNECTIONS = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = 'writ leases'"


def new_key(server: Server) -> dict[str, str]:
    """An API key."""
    with server.client() as client:
        made = client.post("/v1/api-keys", json={"name": "k", "scopes": ["read"]})
        assert made.status_code == 201, made.text
        return made.json()


def use(server: Server, key: dict[str, str]) -> int:
    """The status of a decision for a caller with an API key."""
    return status_with_key(server, key["key"])


def delete(server: Server, key: dict[str, str]) -> int:
    """The status of the answer to its deletion."""
    with server.client() as client:
        return client.delete(f"/v1/api-keys/{key['id']}").status_code


def delete_untold(database: str, key: dict[str, str]) -> None:
    """The commit of a writer that dies before it draws its ticket."""
    with psycopg.connect(database) as db:
        db.execute("UPDATE credential_generation SET number = number + 1")
        assert db.execute("DELETE FROM api_keys WHERE id = %s", [key["id"]]).rowcount == 1


def test_a_deleted_key_is_gone_everywhere_although_connections_were_lost(database: str, tmp_path: Path) -> None:
    with together(database, tmp_path, 2) as services:
        one, other = services.servers
        for _ in range(TIMES):
            key = new_key(other)
            assert use(one, key) == 200
            with psycopg.connect(database, autocommit=True) as db:
                db.execute(CONNECTIONS)
            assert delete(other, key) == 204, "a lost connection is replaced"
            assert use(one, key) == 401


def test_a_refusal_waits_until_each_server_sees_what_it_tells(database: str, tmp_path: Path) -> None:
    """The second attempt finds that the first one was stored. So the key must be gone everywhere by then."""
    with together(database, tmp_path, 2) as services:
        one, other = services.servers
        for _ in range(TIMES):
            key = new_key(other)
            assert use(one, key) == use(other, key) == 200
            delete_untold(database, key)
            assert delete(other, key) == 404
            assert [use(server, key) for server in (one, other, one, other)] == [401] * 4


def test_a_commit_that_nobody_tells_is_seen_within_a_lease(database: str, tmp_path: Path) -> None:
    with together(database, tmp_path, 2) as services:
        key = new_key(services.servers[0])
        assert [use(server, key) for server in services.servers] == [200, 200]
        delete_untold(database, key)
        for server in services.servers:
            assert wait_until(lambda at=server: use(at, key) == 401)


def test_a_lost_file_of_the_signal_changes_nothing(database: str, tmp_path: Path) -> None:
    """The process that keeps the lease is started again, and has the signal of the workers, not a new one."""
    with together(database, tmp_path, 2) as services:
        one, other = services.servers
        (tmp_path / "data0" / "writ.db-commits").unlink()
        lost = keeper(one)
        os.kill(lost, signal.SIGKILL)
        assert wait_until(lambda: lost not in children(one.process.pid))
        with one.client() as client, other.client() as writer:
            assert wait_until(lambda: client.get("/readyz").status_code == 200)
            for number in range(4 * TIMES):
                made = writer.put(f"{ENV}/roles/r{number}", json={}, headers={"If-None-Match": "*"})
                assert made.status_code == 201, made.text
                assert revision_token(one) == made.headers["Writ-Revision"]
            model = {"model": 1, "roles": [{"id": "whole"}]}
            stored = client.put(f"{ENV}/model", json=model, headers={"If-Match": "*"})  # in a process of its own
            assert stored.status_code == 200, stored.text
            assert [revision_token(one) for _ in range(TIMES)] == [stored.headers["Writ-Revision"]] * TIMES
