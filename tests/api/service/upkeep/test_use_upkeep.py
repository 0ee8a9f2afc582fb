"""When credentials were last used: noted by every worker, and stored by one, once a minute at most."""

import asyncio
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.api.identity.uses import CredentialUses
from writ.api.service.upkeep import upkeep as upkeep_module
from writ.api.service.upkeep.tasks import use_tasks
from writ.api.service.upkeep.upkeep import Upkeep
from writ.api.service.upkeep.use_upkeep import UseUpkeep
from writ.api.store.credentials.credentials import ApiKeySpec, ClientSpec
from writ.api.store.database.sqlite.opening import FILE
from writ.api.store.store import Store

from tests.api.conftest import ALLOWED
from tests.support.clock import Clock
from tests.support.closing import closed_later
from tests.support.managed import LOG
from tests.support.processes import children
from tests.support.server import Server, running
from tests.support.stored import ACTOR
from tests.support.waiting import rounds, wait_until

NOON = 1_800_000_000.0
CLIENTS, KEYS = "/v1/clients", "/v1/api-keys"


class Service:
    """A store with an upkeep of the last uses, on a clock that a test sets."""

    def __init__(self, directory: Path, busy_seconds: float) -> None:
        self.clock = Clock(NOON + 17)
        self.store = closed_later(Store.open(directory, "NORMAL", busy_seconds=busy_seconds, clock=self.clock))
        self.uses = CredentialUses(self.clock)
        self.parts = UseUpkeep(self.uses, self.store.credentials, self.clock)
        self.upkeep = Upkeep([*use_tasks(self.parts)], LOG)
        self._numbers = iter(range(256))

    def key(self) -> str:
        """Makes an API key. Returns its id."""
        secret = bytes([next(self._numbers)] * 32)
        return self.store.credentials.add_api_key(ACTOR, ApiKeySpec("k", ("read",)), secret).id

    def client(self) -> str:
        """Makes a client. Returns its id."""
        return self.store.credentials.add_client(ACTOR, ClientSpec("c", ("read",), 60), bytes(32)).id

    def used(self, key: str) -> str | None:
        """The last use of an API key that is stored."""
        return self.store.credentials.api_key(key).last_used

    def settle(self) -> None:
        """Does what is due."""
        asyncio.run(self.upkeep.run_due())


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Service]:
    made = Service(tmp_path, busy_seconds=getattr(request, "param", 0.1))
    monkeypatch.setattr(upkeep_module.time, "monotonic", made.clock)
    yield made
    made.upkeep.end_service()
    made.store.close()


def test_the_minute_of_a_use_is_stored(service: Service) -> None:
    key, client, unused = service.key(), service.client(), service.key()
    service.uses.note(f"api-key:{key}")
    service.uses.note(f"client:{client}")
    service.uses.note("admin-key")
    service.settle()
    assert service.used(key) == "2027-01-15T08:00:00Z"
    assert service.store.credentials.client(client).last_used == "2027-01-15T08:00:00Z"
    assert service.used(unused) is None


def test_it_is_written_once_a_minute_and_the_data_version_tells_so(service: Service) -> None:
    key, other = service.key(), service.key()
    with closing(sqlite3.connect(service.store.path)) as db:

        def version() -> int:
            return int(db.execute("PRAGMA data_version").fetchone()[0])

        signal = service.store.path.with_name(f"{FILE}-commits")
        versions, told = [version()], signal.read_bytes()
        for second in range(180):
            service.uses.note(f"api-key:{key if second % 2 else other}")
            service.settle()
            if version() != versions[-1]:
                versions.append(version())
            service.clock.now += 1
        assert len(versions) - 1 == 3
        service.settle()  # what was noted since the last write
        last = version()
        for _ in range(100):  # nobody uses anything
            service.settle()
            service.clock.now += 60
        assert version() == last
        assert signal.read_bytes() == told


def test_a_use_changes_neither_the_generation_nor_a_revision_nor_the_audit_log(service: Service) -> None:
    key = service.key()
    generation, environments = service.store.credentials.generation(), service.store.environments()
    with closing(sqlite3.connect(service.store.path)) as db:
        entries = db.execute("SELECT count(*) FROM audit").fetchone()
        service.uses.note(f"api-key:{key}")
        service.settle()
        assert service.used(key) is not None
        assert db.execute("SELECT count(*) FROM audit").fetchone() == entries
    assert (service.store.credentials.generation(), service.store.environments()) == (generation, environments)


def test_a_deleted_credential_has_no_use(service: Service) -> None:
    key, client = service.key(), service.client()
    names = (f"api-key:{key}", f"client:{client}")
    for round_ in range(2):
        for name in names:
            service.uses.note(name)
        service.settle()
        if round_ == 0:
            service.store.credentials.delete_api_key(ACTOR, key)
            service.store.credentials.delete_client(ACTOR, client)
        service.clock.now += 60
    with closing(sqlite3.connect(service.store.path)) as db:
        assert db.execute("SELECT * FROM credential_uses").fetchall() == []


def test_an_earlier_use_does_not_replace_a_later_one_unless_a_clock_was_wrong(service: Service) -> None:
    key = service.key()
    record = service.store.credentials.record_uses
    record({f"api-key:{key}": int(NOON) + 60}, NOON + 61)
    record({f"api-key:{key}": int(NOON)}, NOON + 61)
    assert service.used(key) == "2027-01-15T08:01:00Z"
    record({f"api-key:{key}": int(NOON) + 10**8}, NOON + 10**8)
    record({f"api-key:{key}": int(NOON) + 120}, NOON + 121)
    assert service.used(key) == "2027-01-15T08:02:00Z"


def test_what_a_locked_store_does_not_take_is_stored_later(service: Service, caplog: pytest.LogCaptureFixture) -> None:
    key = service.key()
    with closing(sqlite3.connect(service.store.path, isolation_level=None)) as db, caplog.at_level(logging.ERROR):
        db.execute("BEGIN IMMEDIATE")
        service.uses.note(f"api-key:{key}")
        service.settle()
        service.clock.now += 60
        service.settle()
        assert service.used(key) is None
        assert [one.getMessage().count("was locked by another write") for one in caplog.records] == [1]
        db.execute("ROLLBACK")
    service.clock.now += 60
    service.settle()
    assert service.used(key) == "2027-01-15T08:00:00Z"


@pytest.mark.parametrize("service", [60.0], indirect=True, ids=["patient"])
def test_a_beat_never_waits_for_the_store(service: Service) -> None:
    key = service.key()
    with closing(sqlite3.connect(service.store.path, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        service.uses.note(f"api-key:{key}")

        async def beat() -> None:
            began = time.perf_counter()
            service.upkeep.beat()
            await rounds(5)
            assert time.perf_counter() - began < 30  # the store would wait for 60 s
            db.execute("ROLLBACK")

        asyncio.run(beat())
    service.upkeep.end_worker()
    assert service.used(key) is not None


@given(st.lists(st.sampled_from("abcdefgh"), max_size=60), st.sampled_from([64, 200, 4096]))
def test_what_does_not_fit_into_the_pipe_waits(names: list[str], most: int) -> None:
    """A worker hands on what another one collects; nothing is lost, and each has its newest minute."""
    clock, stored = Clock(NOON), dict[str, int]()

    class Kept:
        """Takes the uses."""

        def record_uses(self, uses: dict[str, int], _now: float) -> None:
            """See `Credentials`."""
            stored.update(uses)

    uses = CredentialUses(clock)
    kept: Any = Kept()
    upkeep = UseUpkeep(uses, kept, clock)
    expected = {}
    for place, name in enumerate(names):
        actor = f"client:{name * (most // 3)}"
        uses.note(actor)
        expected[actor] = int(clock.now) // 60 * 60
        if place % 7 == 0:
            upkeep._hand_on()
        if place % 11 == 0:
            upkeep._collect()
        clock.now += 20
    for _ in range(len(names)):
        upkeep._hand_on()
        upkeep._collect()
    upkeep.end_service()
    assert stored == expected


def test_the_rest_of_a_line_whose_reader_was_killed_does_no_harm(service: Service) -> None:
    key = service.key()
    os.write(service.parts._filled, b"key:gone 18000\n7 \n")
    service.uses.note(f"api-key:{key}")
    service.settle()
    assert service.used(key) == "2027-01-15T08:00:00Z"


# -- the service


@pytest.fixture
def server(tmp_path: Path, model_file: Path) -> Iterator[Server]:
    with running(tmp_path / "data", "--import", str(model_file), workers=2) as started:
        yield started


def last_uses(server: Server) -> dict[str, str | None]:
    """The last use of each API key and client, by name."""
    with server.client() as admin:
        return {
            one["name"]: one["last_used_at"]
            for path in (KEYS, CLIENTS)
            for one in admin.get(path).raise_for_status().json()["items"]
        }


def decide(server: Server, token: str) -> int:
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.post(f"{server.url}/access/v1/evaluation", json=ALLOWED, headers=headers, timeout=30).status_code


def made(server: Server, path: str, name: str) -> dict[str, Any]:
    with server.client() as admin:
        answer: dict[str, Any] = admin.post(path, json={"name": name, "scopes": ["read"]}).raise_for_status().json()
        return answer


def token_of(server: Server, client: dict[str, Any]) -> str:
    form = {"grant_type": "client_credentials"} | {name: client[name] for name in ("client_id", "client_secret")}
    return str(httpx.post(f"{server.url}/v1/oauth/token", data=form).raise_for_status().json()["access_token"])


def test_the_service_knows_last_uses_and_keeps_them_when_it_stops(tmp_path: Path, model_file: Path) -> None:
    with running(tmp_path / "data", "--import", str(model_file), workers=2) as server:
        first, second, silent = (made(server, KEYS, name) for name in ("first", "second", "silent"))
        assert (first["last_used_at"], silent["last_used_at"]) == (None, None)
        made(server, CLIENTS, "quiet")
        began = int(time.time()) // 60 * 60
        assert decide(server, first["key"]) == 200
        found = wait_until(lambda: last_uses(server)["first"])
        assert isinstance(found, str)
        assert began <= _seconds(found) <= time.time()
        issued = made(server, CLIENTS, "issued")
        token_of(server, issued)  # within the minute in which nothing more is written
        for _ in range(6):
            assert decide(server, second["key"]) == 200
        assert last_uses(server)["silent"] is None
        assert server.stop() == 0
    with running(tmp_path / "data", workers=1) as server:
        found = last_uses(server)
        assert {name for name, used in found.items() if used is None} == {"silent", "quiet"}


def test_the_use_of_a_token_is_one_of_its_client(server: Server) -> None:
    client = made(server, CLIENTS, "caller")
    token = token_of(server, client)
    issued = wait_until(lambda: last_uses(server)["caller"])
    assert isinstance(issued, str)
    assert decide(server, token) == 200
    path = f"{CLIENTS}/{client['client_id']}"
    with server.client() as admin:
        assert admin.get(path).json()["last_used_at"] == issued
        assert admin.patch(path, json={"name": "new"}).json()["last_used_at"] == issued


def test_a_worker_that_is_killed_leaves_the_writing_to_another(server: Server) -> None:
    key = made(server, KEYS, "after")
    for victim in children(server.process.pid):  # one of them holds the lock
        os.kill(victim, 9)
    assert wait_until(lambda: _is_up(server))
    assert wait_until(lambda: _decides(server, key["key"]))
    assert wait_until(lambda: last_uses(server)["after"])
    assert "the last uses" not in server.log


def _is_up(server: Server) -> bool:
    try:
        return httpx.get(f"{server.url}/readyz").status_code == 200
    except httpx.TransportError:
        return False


def _decides(server: Server, token: str) -> bool:
    try:
        return decide(server, token) == 200
    except httpx.TransportError:
        return False


def _seconds(text: str) -> float:
    return time.mktime(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ")) - time.timezone


def test_workers_write_one_after_the_other(server: Server) -> None:
    """Both workers note uses of many keys at once, and the database changes once for all of them.

    On a busy machine, the uses of one go on until after the first note.
    """
    keys = [made(server, KEYS, f"k{number}") for number in range(8)]
    data = Path(str(server._log)).with_suffix("") / FILE
    with closing(sqlite3.connect(data)) as db:
        versions = {db.execute("PRAGMA data_version").fetchone()}
        threads = [threading.Thread(target=decide, args=(server, one["key"])) for one in keys for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        def has_all() -> bool:
            versions.add(db.execute("PRAGMA data_version").fetchone())
            return all(last_uses(server)[f"k{number}"] for number in range(8))

        assert wait_until(has_all)
        versions.add(db.execute("PRAGMA data_version").fetchone())
        assert len(versions) - 1 < len(keys) / 2
