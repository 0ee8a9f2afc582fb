"""Several services on one PostgreSQL, and several publishers: one does the work for all, and another one takes over."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import psycopg
import pytest
from prometheus_client.parser import text_string_to_metric_families
from writ.api.engines.live.data_directory import prepare_directory
from writ.api.store.elements.edits import Create
from writ.api.store.errors import StoreUnavailable
from writ.api.store.leases.reaching import reached_without_lease
from writ.api.store.store import Store

from tests.support.command import writ
from tests.support.history_clients import ENV as ENV_URL
from tests.support.published import PublishedFolder
from tests.support.server import Server, command, environment
from tests.support.servers_together import LEASE, Together, tell, together
from tests.support.stored import ACTOR, ENV
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

SWEEPS = "SELECT count(*) FROM changes WHERE actor NOT LIKE 'admin%'"


def has_duty(server: Server) -> bool:
    """Returns whether a service does the upkeep, as its metrics say."""
    with server.client() as client:
        text = client.get("/metrics").raise_for_status().text
    found = [one for family in text_string_to_metric_families(text) for one in family.samples]
    return {one.name: one.value for one in found}["writ_upkeep_duty"] == 1.0


def put_expired(server: Server) -> None:
    """Write a model with a grant that has expired long ago."""
    with server.client() as client:
        subject, resource = {"type": "user", "id": "a"}, {"type": "document", "id": "d"}
        grant = {"id": "g", "subject": subject, "resource": resource, "actions": ["read"]}
        types = [{"id": "document", "actions": ["read"]}]
        model = {"model": 1, "resource_types": types, "grants": [grant | {"expires_at": "2020-01-01T00:00:00Z"}]}
        client.put(f"{ENV_URL}/model", json=model, headers={"If-Match": "*"}).raise_for_status()


def count(url: str, query: str) -> int:
    with psycopg.connect(url) as db:
        row = db.execute(query.encode()).fetchone()
    assert row is not None
    return int(row[0])


def held_by_first(services: Together) -> tuple[Server, Server]:
    """Starts two services. The first one has the duty."""
    first = services.start()
    assert wait_until(lambda: has_duty(first))
    second = services.start()
    assert not has_duty(second)
    return first, second


def test_a_service_takes_the_upkeep_over_from_one_that_was_killed(database: str, tmp_path: Path) -> None:
    """The one with the duty looks for expired grants once a minute, and the new one at once."""
    with together(database, tmp_path, 0, workers=1) as services:
        first, second = held_by_first(services)
        put_expired(first)
        tell(first, signal.SIGKILL)
        assert wait_until(lambda: count(database, "SELECT count(*) FROM grants") == 0)
        assert has_duty(second)
        assert count(database, SWEEPS) == 1


def test_a_service_that_was_stopped_does_no_upkeep_when_it_goes_on(database: str, tmp_path: Path) -> None:
    with together(database, tmp_path, 0, workers=1) as services:
        first, second = held_by_first(services)
        put_expired(first)
        tell(first, signal.SIGSTOP)
        assert wait_until(lambda: count(database, "SELECT count(*) FROM grants") == 0)
        tell(first, signal.SIGCONT)
        assert [has_duty(one) for one in (first, second)] == [False, True]
        assert count(database, SWEEPS) == 1


def test_a_service_that_ends_in_order_gives_the_upkeep_back(database: str, tmp_path: Path) -> None:
    with together(database, tmp_path, 0, workers=1) as services:
        first, second = held_by_first(services)
        first.process.terminate()
        first.process.wait(60)
        assert count(database, "SELECT count(*) FROM duties WHERE name LIKE '%data0'") == 0
        assert wait_until(lambda: has_duty(second))


class Publishers:
    """Publishers of the store in a database, each with its data directory, as on several machines."""

    def __init__(self, url: str, folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack, self.target = folder, stack, folder / "published"
        key = folder / "bundle.pem"
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(key)], check=True)
        subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", folder / "public.pem"], check=True)
        self.settings = {"WRIT_STORE": url, "WRIT_LEASE_SECONDS": str(LEASE), "WRIT_BUNDLE_KEY": str(key)}
        self._store = stack.enter_context(closing(Store.open(folder / "w", server=reached_without_lease(url))))
        self._seen = (0, 0, 0)
        self._count = 0

    def line(self, number: int, *more: str) -> list[str]:
        """The command line of one."""
        data = self._folder / f"data{number}"
        prepare_directory(data)
        return command("publish", str(self.target), "--data", str(data), *more)

    def start(self, number: int) -> subprocess.Popen[bytes]:
        """Starts one that follows."""
        with self.output(number).open("wb") as out, self.log(number).open("wb") as log:
            line = self.line(number, "--follow", "--format", "json")
            process = subprocess.Popen(line, stdout=out, stderr=log, env=environment(self.settings))
        self._stack.callback(lambda: (process.kill(), process.wait()))
        return process

    def output(self, number: int) -> Path:
        return self._folder / f"out{number}"

    def log(self, number: int) -> Path:
        return self._folder / f"log{number}"

    def change(self) -> None:
        """One more revision, which is published soon."""
        self._count += 1
        assert wait_until(self._is_written) is True
        assert wait_until(lambda: self.published() == self._store.environment(ENV).revision)

    def _is_written(self) -> bool:
        """Writes, unless a publisher was stopped while it held the lock: PostgreSQL soon takes that from it."""
        try:
            self._store.write(ENV, ACTOR, [Create("roles", {"id": f"r{self._count}"})])
        except StoreUnavailable:
            return False
        return True

    def published(self) -> int:
        """The revision that is published. It never goes back, and neither does anything else of the index."""
        if not (self.target / "writ-index.jws").exists():
            return -1
        index = PublishedFolder(str(self.target), [(self._folder / "public.pem").read_bytes()]).check()
        found = index.epoch, index.revision, index.number
        assert found >= self._seen
        self._seen = found
        return index.revision

    def waits(self, number: int) -> bool:
        """Returns whether one has said that it waits."""
        return b"Waiting: " in self.log(number).read_bytes()


@pytest.fixture
def publishers(database: str, tmp_path: Path) -> Iterator[Publishers]:
    with ExitStack() as stack:
        yield Publishers(database, tmp_path, stack)


def killed(process: subprocess.Popen[bytes]) -> None:
    process.kill()


def stopped(process: subprocess.Popen[bytes]) -> None:
    os.kill(process.pid, signal.SIGSTOP)


@pytest.mark.parametrize("fault", [killed, stopped])
def test_a_publisher_takes_over_from_another_one(
    publishers: Publishers, fault: Callable[[subprocess.Popen[bytes]], None]
) -> None:
    first = publishers.start(0)
    assert wait_until(lambda: publishers.published() == 0)
    publishers.start(1)
    assert wait_until(lambda: publishers.waits(1))
    waiting = json.loads(publishers.output(1).read_text())["waiting_for"]
    assert waiting.endswith(f"data0:{first.pid}")
    publishers.change()
    assert publishers.output(1).read_text().count("\n") == 1, "it has published nothing"
    fault(first)
    publishers.change()
    assert b"publishes to" in publishers.log(1).read_bytes().splitlines()[-2]
    if fault is stopped:
        first.send_signal(signal.SIGCONT)
        assert wait_until(lambda: publishers.waits(0))
        publishers.change()
        first.terminate()
        assert first.wait(60) == 0


def test_a_publisher_that_ends_in_order_hands_over_at_once_and_a_single_publication_waits_for_nobody(
    publishers: Publishers,
) -> None:
    first = publishers.start(0)
    assert wait_until(lambda: publishers.published() == 0)
    done = writ("publish", publishers.target, "--data", publishers.target, settings=publishers.settings)
    assert done.returncode == 2
    assert f"data0:{first.pid}` publishes to `".encode() in done.stderr
    first.terminate()
    assert first.wait(60) == 0
    done = writ("publish", publishers.target, "--data", publishers.target, settings=publishers.settings)
    assert done.returncode == 0, done.stderr
    assert b"Waiting" not in done.stderr
