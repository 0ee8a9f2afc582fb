"""Several services of different versions on one PostgreSQL: a rolling upgrade to a newer format of the store."""

from http import HTTPStatus
from pathlib import Path

import httpx
import pytest
from writ.api.store.database.newest_format import STORE_FORMAT

from tests.support.history_clients import Histories
from tests.support.next_format import NewerVersion
from tests.support.server import KEY, Server
from tests.support.servers_together import PAUSE, Record, assert_sound, decision, record, shows_something, together
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.service, pytest.mark.timeout(300)]  # several new programs start: a busy machine takes long

OTHER = "/v1/environments/other"
"""The environment of other writes: the history has only those of the register."""

NEWER = "has format {}, and this version of Writ reads up to {}; use a newer version"


def ready(server: Server) -> int:
    """The status of a service's readiness."""
    return httpx.get(f"{server.url}/readyz", timeout=30).status_code


def previewed(server: Server) -> httpx.Response:
    """The answer to a write that is only tried, in tables that lie over those of the store."""
    with server.client() as client:
        changes = [{"kind": "roles", "id": "new", "element": {}}]
        return client.post(f"{OTHER}/changes:preview", json={"changes": changes})


def written(server: Server, id: str) -> httpx.Response:
    """The answer to a write."""
    with server.client() as client:
        return client.put(f"{OTHER}/roles/{id}", json={}, headers={"If-None-Match": "*"})


def assert_works(server: Server, id: str) -> None:
    """A service decides, writes a role of that id, and tries a write."""
    assert (ready(server), decision(server), written(server, id).status_code) == (200, 200, 201)
    tried = previewed(server)
    assert tried.status_code == 200, tried.text


def test_a_rolling_upgrade(record_property: Record, database: str, tmp_path: Path) -> None:
    """A newer format that expands lets older services go on. One that contracts excludes them, and they say so."""
    histories = Histories(KEY, pause=5 * PAUSE)
    with together(database, tmp_path, 2, workers=1) as services:
        old, other = services.servers
        histories.begin(old.url)
        with old.client() as client:
            assert client.post("/v1/environments", json={"id": "other"}).status_code == 201
        assert_works(old, "before")
        with histories.going_on([old.url, other.url], [old.url, other.url]):
            second = services.start(place=NewerVersion(1))
            for number, server in enumerate((old, other, second)):
                assert_works(server, f"expanded{number}")
            with pytest.raises(AssertionError, match=NEWER.format(STORE_FORMAT + 1, STORE_FORMAT)):
                services.start()
            with histories.going_on([second.url], [second.url]):
                third = services.start(place=NewerVersion(2))
                for number, server in enumerate((second, third)):
                    assert_works(server, f"contracted{number}")
                assert wait_until(lambda: ready(old) == 503)
                assert decision(old) == HTTPStatus.INTERNAL_SERVER_ERROR
                for refused in (written(old, "refused"), previewed(old)):
                    assert refused.status_code in (500, 503), refused.text
                assert wait_until(lambda: shows_something(histories.operations))
        logs = [server.log for server in services.servers]
    record(record_property, histories, "a rolling upgrade")
    assert_sound(histories.operations)
    assert not [log for log in logs if "Traceback" in log]
    assert [NEWER.format(STORE_FORMAT + 2, STORE_FORMAT) in log for log in logs] == [True, True, False, False]
