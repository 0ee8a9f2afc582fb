"""Management over the wire: a change is in force for the next decision, and a client may go away at any point."""

from collections.abc import Iterator

import httpx
import msgspec
import pytest

from tests.support.managed import MEMBERS
from tests.support.raw_http import RawConnection, request
from tests.support.server import KEY, Server, running

QUESTION = {
    "subject": {"type": "user", "id": "alice"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1"},
}


@pytest.fixture(scope="module")
def managed_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("managed") / "data", workers=2) as started:
        yield started


@pytest.fixture
def client(managed_server: Server) -> Iterator[httpx.Client]:
    with managed_server.client() as client:
        yield client


def decided(client: httpx.Client, env: str) -> set[bool]:
    """What an environment answers on several connections, so that every worker is asked."""
    answers = set()
    for _ in range(8):
        fresh = httpx.post(
            f"{client.base_url}/environments/{env}/access/v1/evaluation",
            json=QUESTION,
            headers={"Authorization": f"Bearer {KEY}"},
        )
        answers.add(fresh.json()["decision"])
    return answers


def test_an_environment_is_managed_and_asked_by_its_name(client: httpx.Client) -> None:
    assert client.post("/v1/environments", json={"id": "stage"}).status_code == 201
    client.post("/v1/environments/stage/resource-types", json=MEMBERS["resource-types"])
    assert decided(client, "stage") == {False}
    made = client.post("/v1/environments/stage/grants", json=MEMBERS["grants"])
    assert (made.status_code, decided(client, "stage")) == (201, {True})
    assert decided(client, "default") == {False}, "its own model"
    assert client.delete(made.headers["Location"]).status_code == 204
    assert decided(client, "stage") == {False}
    assert client.delete("/v1/environments/stage").status_code == 204
    gone = client.post("/environments/stage/access/v1/evaluation", json=QUESTION)
    assert (gone.status_code, gone.json()) == (404, {"error": "there is no environment `stage`"})


def test_a_model_is_in_force_once_it_is_put(client: httpx.Client) -> None:
    document = {"model": 1, "resource_types": [MEMBERS["resource-types"]], "grants": [MEMBERS["grants"]]}
    chunks = (bytes([one]) for one in msgspec.json.encode(document))
    headers = {"Content-Type": "application/json"}
    assert client.put("/v1/environments/default/model", content=chunks, headers=headers).status_code == 200
    assert decided(client, "default") == {True}
    client.put("/v1/environments/default/model", json={"model": 1})
    assert decided(client, "default") == {False}


def test_a_client_that_leaves_in_the_middle_of_an_export_harms_nobody(
    client: httpx.Client, managed_server: Server
) -> None:
    roles = [{"id": f"r{number}", "name": "x" * 500} for number in range(20_000)]
    assert client.put("/v1/environments/default/model", json={"model": 1, "roles": roles}).status_code == 200
    for _ in range(4):
        with RawConnection(managed_server.host, managed_server.port) as connection:
            connection.send(request("GET", "/v1/environments/default/model", key=KEY))
            assert connection.socket.recv(1_000).startswith(b"HTTP/1.1 200")
    assert client.get("/v1/environments/default/model").json()["roles"] == roles
    errors = [line for line in managed_server.log.splitlines() if "[ERROR]" in line]
    assert [line for line in errors if "the engines can't be updated" not in line] == []
