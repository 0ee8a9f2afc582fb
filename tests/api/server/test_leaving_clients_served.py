"""In a whole service, batches and jobs end with their clients, but for a write that began."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from socket import SHUT_WR
from sqlite3 import connect
from typing import Any

import httpx
import pytest

from tests.api.conftest import ALLOWED
from tests.support.processes import templates
from tests.support.raw_http import RawConnection, request
from tests.support.server import KEY, Server, running
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

SCROLL = {"type": "document", "id": "d1", "properties": {"text": "x" * 1_000}}
LONG_BATCH = json.dumps(
    ALLOWED | {"resource": SCROLL, "options": {"explain": True}, "evaluations": [{}] * 20_000}
).encode()
"""Thousands of explanations: seconds of work."""
MOST = {"WRIT_MAX_BATCH_ITEMS": "20000", "WRIT_MAX_EXPLANATION_BYTES": str(2**30)}
WHO_CAN = {"action": {"name": "read"}, "resource": {"type": "document"}}
ENV = "/v1/environments/default"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, model_file: Path) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("leaving")
    with running(folder / "data", "--import", str(model_file), settings=MOST) as started:
        yield started


@contextmanager
def left(server: Server, sent: bytes) -> Iterator[RawConnection]:
    """A client that sends a long question, and closes its sending side once the service has read it."""
    with RawConnection(server.host, server.port) as connection:
        connection.send_read(sent)
        connection.socket.shutdown(SHUT_WR)
        yield connection


def decisions(server: Server) -> list[str]:
    """Returns how many decisions the metrics count."""
    with server.client() as client:
        return [line for line in client.get("/metrics").text.splitlines() if line.startswith("writ_decisions_total")]


@contextmanager
def stopped(process: int) -> Iterator[None]:
    """A process that does nothing in the block."""
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def stopped_template(server: Server) -> AbstractContextManager[None]:
    """The process that starts jobs does nothing in the block."""
    (template,) = templates(server.process.pid)
    return stopped(template)


def replacement(roles: int, query: str = "") -> bytes:
    """A request that replaces the model with one of so many roles."""
    model = {"model": 1, "roles": [{"id": f"role-{number}"} for number in range(roles)]}
    return request("PUT", f"{ENV}/model{query}", json.dumps(model).encode(), {"If-Match": "*"}, key=KEY)


def asked(server: Server, path: str, body: Any) -> httpx.Response:
    with server.client() as client:
        return client.post(path, json=body)


def test_a_job_ends_with_its_client(server: Server) -> None:
    """The next question has its turn, though the process of the first one never answered."""
    question = request("POST", f"{ENV}/who-can", json.dumps(WHO_CAN).encode(), key=KEY)
    with stopped_template(server), left(server, question) as connection:
        assert connection.is_closed()
    assert asked(server, f"{ENV}/who-can", WHO_CAN).status_code == 200


def test_a_batch_ends_with_its_client(server: Server) -> None:
    before = decisions(server)
    with left(server, request("POST", "/access/v1/evaluations", LONG_BATCH, key=KEY)) as connection:
        assert connection.is_closed(), "it was not answered"
    assert decisions(server) == before


def test_a_dry_run_of_a_replacement_ends_with_its_client(server: Server) -> None:
    with stopped_template(server), left(server, replacement(1, "?dry_run=true")) as connection:
        assert connection.is_closed()


def test_a_replacement_that_began_is_finished(tmp_path: Path, model_file: Path) -> None:
    """Its process stands still while the client leaves. Another write holds it up until it does."""
    data = tmp_path / "data"
    with running(data, "--import", str(model_file)) as server, closing(connect(data / "writ.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        (template,) = templates(server.process.pid)
        with RawConnection(server.host, server.port) as connection:
            connection.send(replacement(7))
            found = wait_until(lambda: templates(template))
            assert isinstance(found, list)
            (job,) = found  # a fork of the template
            with stopped(job):
                connection.socket.shutdown(SHUT_WR)
                assert connection.is_closed()
                other.execute("ROLLBACK")
        with server.client() as client:
            assert wait_until(lambda: len(client.get(f"{ENV}/roles").json()["items"]) == 7)
