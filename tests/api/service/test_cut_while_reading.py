"""A service whose workers read while the packets from and to its database vanish: it still answers every decision."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from writ.api.store.database.commit_signal import CommitSignal
from writ.api.store.database.sqlite.opening import FILE

from tests.support import postgres
from tests.support.network_namespaces import Network
from tests.support.server import Server
from tests.support.servers_together import Together, apart, decision
from tests.support.waiting import wait_until

pytestmark = pytest.mark.network

UNNOTICED: Final = "keepalives=0&tcp_user_timeout=0&connect_timeout=600"
"""With these settings, a worker would notice after minutes. A client of these tests waits for half a minute."""

MODEL: Final = {
    "model": 1,
    "resource_types": [{"id": "doc", "actions": ["read"]}],
    "roles": [{"id": "reader"}],
    "subjects": [{"type": "user", "id": "a"}],
    "resources": [{"type": "doc", "id": "1", "attributes": {"open": True}}],
    "assignments": [{"role": "reader", "subject": {"type": "user", "id": "a"}}],
    "policies": [
        {
            "id": "p",
            "effect": "ALLOW",
            "roles": ["reader"],
            "resource_types": [{"resource_type_id": "doc", "actions": ["read"]}],
            "conditions": {"resource_attrs": [{"key": "open", "op": "eq", "value": True}]},
        }
    ],
}
ASKED: Final = {"subject": {"type": "user", "id": "a"}, "action": {"name": "read"}}
RESOURCE: Final = {"resource": {"type": "doc", "id": "1"}}
EVALUATION: Final = "/access/v1/evaluation"
SEARCH: Final = "/access/v1/search/resource"
CALLS: Final[Mapping[str, Mapping[str, Any]]] = {
    EVALUATION: {**ASKED, **RESOURCE, "options": {"attributes": "registered"}},
    "/access/v1/evaluations": {**ASKED, "evaluations": [RESOURCE, RESOURCE]},
    SEARCH: {**ASKED, "resource": {"type": "doc"}, "options": {"return": "results"}},
}
"""The decisions that are asked for, by path. Two of them read the store in a thread."""


@pytest.fixture
def url(net: Network) -> Iterator[str]:
    """The URL of a database in the network. Its clients notice a dead network by nothing but the lease."""
    place = postgres.needed()
    with postgres.server(place, address=net.databases[0]):
        yield f"postgresql://writ@{net.databases[0]}/postgres?{UNNOTICED}"


def new_key(server: Server) -> str:
    """Returns a key that no worker knows yet."""
    with server.client() as client:
        made = accepted(lambda: client.post("/v1/api-keys", json={"name": "n", "scopes": ["read"]}))
    return str(made.json()["key"])


def accepted(call: Callable[[], httpx.Response]) -> httpx.Response:
    """Returns the first answer that is no refusal: a service of a busy machine may have no lease for a moment."""
    found = wait_until(lambda: (answer := call()).is_success and answer)
    assert isinstance(found, httpx.Response)
    return found


def status(server: Server, path: str, key: str) -> int:
    """The status of the answer to a call with a key. Raises httpx.ReadTimeout if none comes."""
    with server.client() as client:
        found = client.post(path, json=CALLS[path], headers={"Authorization": f"Bearer {key}"})
    return found.status_code


def prepared(services: Together) -> Server:
    """Returns the one service, with the model and with engines that know it."""
    (server,) = services.servers
    with server.client() as client:
        accepted(lambda: client.put("/v1/environments/default/model", json=MODEL))
        for path, body in CALLS.items():
            accepted(partial(client.post, path, json=body))
    return server


def raise_signal(server: Server, folder: Path) -> None:
    """Every worker of the service must look into the database before its next decision."""
    CommitSignal(folder / "data0" / FILE).send()


def look_up_nothing(server: Server, folder: Path) -> None:
    """No worker needs to look into the database, but for credentials and what a search or an evaluation asks."""


def test_a_service_without_leases_decides_for_its_time_while_its_database_is_cut(
    net: Network, url: str, tmp_path: Path
) -> None:
    with apart(url, tmp_path, net, 0) as services:
        local = {"WRIT_CONSISTENCY": "local", "WRIT_STALE_SECONDS": "600"}
        server = services.start("--workers", "1", place=net.place(), **local)  # a second one may not know the model
        prepared(services)
        with net.places[0].cut():
            raise_signal(server, tmp_path)
            assert wait_until(lambda: decision(server) != 200 or "the engines can't be updated" in server.log)
            assert {decision(server) for _ in range(20)} == {200}
            assert status(server, SEARCH, server.key) == 503
        assert wait_until(lambda: status(server, SEARCH, server.key) == 200)


@pytest.mark.parametrize("change", [raise_signal, look_up_nothing])
def test_each_decision_is_answered_while_workers_wait_for_the_database(
    change: Callable[[Server, Path], None], net: Network, url: str, tmp_path: Path
) -> None:
    with apart(url, tmp_path, net, 1) as services:
        server, (place,) = prepared(services), net.places
        keys = [server.key, new_key(server), new_key(server)]
        with ThreadPoolExecutor(4 * len(CALLS) * len(keys)) as clients, place.cut():
            change(server, tmp_path)
            asked = [clients.submit(status, server, path, key) for _ in range(4) for path in CALLS for key in keys]
            found = {one.result() for one in asked}
            assert found <= {200, 500}
            assert wait_until(lambda: decision(server) == 500)
            again = [clients.submit(status, server, path, key) for path in CALLS for key in keys]
            assert {one.result() for one in again} == {500}
        assert wait_until(lambda: all(status(server, path, key) == 200 for path in CALLS for key in keys))
