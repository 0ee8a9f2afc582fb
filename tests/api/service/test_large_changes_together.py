"""Changes without a delta at one of two services on one PostgreSQL: the other one decides by no older revision."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from writ.api.engines.live.import_model import builder_lock

from tests.support.history_clients import ENV
from tests.support.server import Server
from tests.support.servers_together import Together, together
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

DOCUMENT = {"id": "document", "actions": ["read"]}
GRANT = {"id": "g1", "subject": {"type": "user", "id": "alice"}, "resource": {"type": "document", "id": "d1"}}
MODEL: dict[str, Any] = {"model": 1, "resource_types": [DOCUMENT], "grants": [GRANT | {"actions": ["read"]}]}
ASKED = {"subject": GRANT["subject"], "action": {"name": "read"}, "resource": GRANT["resource"]}
MERGE = {"Content-Type": "application/merge-patch+json"}
Client = httpx.Client


def declare(name: str) -> Callable[[Client], httpx.Response]:
    """Declares an attribute, which no delta can."""
    change = {"attributes": {name: "string"}}
    return lambda client: client.patch(f"{ENV}/resource-types/document", json=change, headers=MERGE)


def replace(**members: Any) -> Callable[[Client], httpx.Response]:
    """Replaces the whole model."""
    return lambda client: client.put(f"{ENV}/model", json=MODEL | members, headers={"If-Match": "*"})


def withdraw(client: Client) -> httpx.Response:
    return client.delete(f"{ENV}/grants/g1")


@pytest.fixture(scope="module")
def services(postgresql: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Together]:
    given = dict(part.split("=") for part in postgresql.split())
    url = f"postgresql://{given['user']}@/postgres?host={given['host']}&options=-c%20search_path%3Dlarge"
    with psycopg.connect(postgresql, autocommit=True) as db:
        db.execute("CREATE SCHEMA large")
    with together(url, tmp_path_factory.mktemp("large"), 2) as found:
        yield found


def answers(server: Server) -> set[tuple[int, Any]]:
    """The answers of the workers of a service."""
    found = set()
    for _ in range(6):  # each on a connection of its own
        with server.client() as client:
            answer = client.post("/access/v1/evaluation", json=ASKED)
            found.add((answer.status_code, answer.json().get("decision")))
    return found


def data(server: Server, services: Together) -> Path:
    return services._folder / f"data{services.servers.index(server)}"


def test_a_withdrawal_after_large_changes_counts_at_each_server_at_once(services: Together) -> None:
    one, other = services.servers
    with one.client() as client:
        replace()(client).raise_for_status()
        assert answers(one) | answers(other) == {(200, True)}
        for change in (declare("a"), declare("b"), withdraw):
            change(client).raise_for_status()
        assert answers(other) | answers(one) == {(200, False)}


@pytest.mark.parametrize(
    "members",
    [
        {"extensions": ["now"]},
        {"requests": "strict"},
        {"resources": [{"type": "document", "id": f"r{n}"} for n in range(1_001)]},
    ],
    ids=["extensions", "requests", "many"],
)
def test_a_whole_model_counts_at_each_server_at_once(services: Together, members: dict[str, Any]) -> None:
    one, other = services.servers
    with one.client() as here, other.client() as there:
        replace()(here).raise_for_status()
        assert answers(one) | answers(other) == {(200, True)}
        replace(grants=[], **members)(there).raise_for_status()
        assert answers(one) | answers(other) == {(200, False)}


def test_a_write_waits_for_the_bundle_of_another_server(services: Together) -> None:
    one, other = services.servers
    written: list[int] = []

    def write() -> None:
        with one.client() as client:
            client.timeout = 120
            written.append(replace(grants=[], extensions=["now"])(client).status_code)

    with one.client() as client:
        replace()(client).raise_for_status()
    writing = threading.Thread(target=write)
    with builder_lock(data(other, services)):
        writing.start()
        wait_until(lambda: answers(one) == {(200, False)})  # it has its own bundle, and waits
        assert answers(other) == {(200, True)}, "the write is not answered yet"
        assert writing.is_alive()
        assert written == []
    writing.join()
    assert (written, answers(other)) == ([200], {(200, False)})
