"""In a whole service, batches and jobs end with their clients, but for a write that began."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
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


def samples(server: Server, start: str) -> dict[str, float]:
    """Returns the metrics whose line begins with a text."""
    with server.client() as client:
        lines = client.get("/metrics").text.splitlines()
    found = [line.rpartition(" ") for line in lines if line.startswith(start)]
    return {name: float(value) for name, _, value in found}


def serving(server: Server) -> float:
    """Returns the connections with a request in work, but for the one that asks."""
    return samples(server, "writ_http_connections")['writ_http_connections{state="serving"}']


@contextmanager
def left(server: Server, sent: bytes) -> Iterator[None]:
    """A client that leaves before the block, once the service works on the long question that it sent."""
    with RawConnection(server.host, server.port) as connection:
        connection.send(sent)
        assert wait_until(lambda: serving(server) >= 1)
    yield


@contextmanager
def stopped_template(server: Server) -> Iterator[None]:
    """The process that starts jobs does nothing in the block."""
    (template,) = templates(server.process.pid)
    os.kill(template, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(template, signal.SIGCONT)


def replacement(roles: int, query: str = "") -> bytes:
    """A request that replaces the model with one of so many roles."""
    model = {"model": 1, "roles": [{"id": f"role-{number}"} for number in range(roles)]}
    return request("PUT", f"{ENV}/model{query}", json.dumps(model).encode(), {"If-Match": "*"}, key=KEY)


def asked(server: Server, path: str, body: Any) -> httpx.Response:
    with server.client() as client:
        return client.post(path, json=body)


def test_a_job_ends_with_its_client(server: Server) -> None:
    """The next question has its turn, though the process of the first one never answered."""
    with (
        stopped_template(server),
        left(server, request("POST", f"{ENV}/who-can", json.dumps(WHO_CAN).encode(), key=KEY)),
    ):
        assert wait_until(lambda: serving(server) == 0) is True
    assert asked(server, f"{ENV}/who-can", WHO_CAN).status_code == 200


def test_a_batch_ends_with_its_client(server: Server) -> None:
    before = samples(server, "writ_decisions_total")
    with left(server, request("POST", "/access/v1/evaluations", LONG_BATCH, key=KEY)):
        assert wait_until(lambda: serving(server) == 0) is True
    assert samples(server, "writ_decisions_total") == before, "it was not answered"


def test_a_dry_run_of_a_replacement_ends_with_its_client(server: Server) -> None:
    with stopped_template(server), left(server, replacement(1, "?dry_run=true")):
        assert wait_until(lambda: serving(server) == 0) is True


def test_a_replacement_that_began_is_finished(tmp_path: Path, model_file: Path) -> None:
    data = tmp_path / "data"
    with running(data, "--import", str(model_file)) as server, closing(connect(data / "writ.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        (template,) = templates(server.process.pid)
        with RawConnection(server.host, server.port) as connection:
            connection.send(replacement(7))
            assert wait_until(lambda: templates(template)), "its process, a fork of the template"
            assert wait_until(lambda: serving(server) >= 1)
        assert wait_until(lambda: serving(server) == 0) is True
        other.execute("ROLLBACK")
        with server.client() as client:
            assert wait_until(lambda: len(client.get(f"{ENV}/roles").json()["items"]) == 7)
