"""Several services of different versions on one PostgreSQL: a rolling upgrade to a newer format of the store."""

import signal
import subprocess
from http import HTTPStatus
from pathlib import Path

import httpx
import psycopg
import pytest
from writ.api.store.database.newest_format import STORE_FORMAT

from tests.support.history_clients import Histories
from tests.support.next_format import NewerVersion
from tests.support.server import KEY, Server, command, environment
from tests.support.servers_together import (
    LEASE,
    PAUSE,
    Record,
    assert_sound,
    decision,
    record,
    shows_something,
    tell,
    together,
)
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


def written(server: Server, id: str, body: dict[str, str] | None = None) -> httpx.Response:
    """The answer to a write."""
    with server.client() as client:
        return client.put(f"{OTHER}/roles/{id}", json=body or {}, headers={"If-None-Match": "*"})


def assert_works(server: Server, id: str) -> None:
    """A service decides, writes a role of that id, and tries a write."""
    assert (ready(server), decision(server), written(server, id).status_code) == (200, 200, 201)
    tried = previewed(server)
    assert tried.status_code == 200, tried.text


def stop(server: Server) -> None:
    """Stop a service in order."""
    server.process.send_signal(signal.SIGTERM)
    server.process.wait()


def upgraded(place: NewerVersion, database: str, folder: Path, *words: str) -> tuple[int, str]:
    """The exit code of `writ upgrade` of a newer version, and what it says."""
    line = place.within(command("upgrade", "--data", str(folder / "command"), *words))
    settings = environment({"WRIT_STORE": database, "WRIT_LEASE_SECONDS": str(LEASE)})
    done = subprocess.run(line, env=settings, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


def formats(database: str) -> tuple[int, int]:
    """The format of the store, and the least one whose programs may use it."""
    with psycopg.connect(database) as db:
        row = db.execute("SELECT number, least FROM writ_format").fetchone()
    assert row is not None
    return row


def test_a_canary_is_taken_back(record_property: Record, database: str, tmp_path: Path) -> None:
    """A newer server changes nothing for the older ones. When it has gone, they go on and start again."""
    histories = Histories(KEY, pause=5 * PAUSE)
    with together(database, tmp_path, 2, workers=1) as services:
        old, other = services.servers
        histories.begin(old.url)
        with old.client() as client:
            assert client.post("/v1/environments", json={"id": "other"}).status_code == 201
        with histories.going_on([old.url, other.url], [old.url, other.url]):
            canary = services.start(place=NewerVersion(1))
            for number, server in enumerate((old, other, canary)):
                assert_works(server, f"expanded{number}")
            assert "run `writ upgrade --finish`" in canary.log
            stop(canary)
            assert_works(services.start(), "back")
            with pytest.raises(AssertionError, match="stop all servers, and then run `writ upgrade`"):
                services.start(place=NewerVersion(2))
            assert wait_until(lambda: shows_something(histories.operations))
        assert formats(database) == (STORE_FORMAT, STORE_FORMAT)
        logs = [server.log for server in services.servers]
    record(record_property, histories, "a canary of a newer format")
    assert_sound(histories.operations)
    assert not [log for log in logs if "Traceback" in log]


def test_a_rolling_upgrade(record_property: Record, database: str, tmp_path: Path) -> None:
    """Servers of two formats share a store until `writ upgrade --finish`, which waits until the older are gone."""
    histories, newer = Histories(KEY, pause=5 * PAUSE), NewerVersion(1)
    with together(database, tmp_path, 2, workers=1) as services:
        old, killed = services.servers
        histories.begin(old.url)
        with old.client() as client:
            assert client.post("/v1/environments", json={"id": "other"}).status_code == 201
        second = services.start(place=newer)
        with histories.going_on([killed.url, second.url], [old.url, killed.url, second.url]):
            refused = written(second, "unread", {"name": "Unread"})
            assert (refused.status_code, "can't be stored yet" in refused.text) == (409, True)
            code, said = upgraded(newer, database, tmp_path, "--finish")
            assert (code, f"a server of format {STORE_FORMAT} has a lease" in said) == (1, True), said
            assert (upgraded(newer, database, tmp_path)[0], formats(database)) == (1, (STORE_FORMAT, STORE_FORMAT))
            stop(old)
            for number, server in enumerate((killed, second)):
                assert_works(server, f"shared{number}")
            assert wait_until(lambda: shows_something(histories.operations))
            tell(killed, signal.SIGKILL)  # its row stays, and no write may remove it before
            code, said = upgraded(newer, database, tmp_path, "--finish")
            assert (code, formats(database)) == (0, (STORE_FORMAT + 1, STORE_FORMAT + 1)), said
            assert upgraded(newer, database, tmp_path, "--finish")[0] == 0
            assert written(second, "unread", {"name": "Read"}).status_code == 201
            assert_works(second, "contracted")
            with pytest.raises(AssertionError, match=NEWER.format(STORE_FORMAT + 1, STORE_FORMAT)):
                services.start()
        logs = [server.log for server in services.servers]
    record(record_property, histories, "a rolling upgrade")
    assert_sound(histories.operations)
    assert not [log for log in logs if "Traceback" in log]


def test_a_server_that_comes_back_after_the_contraction_refuses(database: str, tmp_path: Path) -> None:
    """An older server that was stopped meanwhile decides nothing, and says why."""
    newer = NewerVersion(1)
    with together(database, tmp_path, 1, workers=1) as services:
        (old,) = services.servers
        tell(old, signal.SIGSTOP)
        code, said = upgraded(newer, database, tmp_path)
        assert code == 0, said
        tell(old, signal.SIGCONT)
        assert wait_until(lambda: ready(old) == 503)
        assert wait_until(lambda: decision(old) == HTTPStatus.INTERNAL_SERVER_ERROR)
        for refused in (written(old, "refused"), previewed(old)):
            assert refused.status_code in (500, 503), refused.text
        assert wait_until(lambda: NEWER.format(STORE_FORMAT + 1, STORE_FORMAT) in old.log)
