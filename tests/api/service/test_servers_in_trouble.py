"""Several services on one PostgreSQL: answers that are lost, starts at the same time, a full disk."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psycopg
import pytest
from writ.api.store.database.newest_format import STORE_FORMAT

from tests.support import postgres
from tests.support.history_clients import ENV
from tests.support.processes import children
from tests.support.servers_together import (
    Record,
    Together,
    assert_sound,
    decision,
    found_under,
    keeper,
    record,
    tell,
    together,
)
from tests.support.small_disk import SmallDisk
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

STARTS = 20
"""Services that start at the same time."""

CONNECTIONS = """
SELECT count(*) FROM pg_stat_activity WHERE application_name IN ('writ', 'writ leases') AND datname = current_database()
"""

OF_ONE = 5
"""The most connections of a service with one worker that has nothing to do. It has 3 as a rule."""

MEGABYTES = 100
"""The size of the disk that gets full. A new database has 40 MB."""

OTHER = "/v1/environments/other"
"""The environment whose writes fill the disk: the history has only those of the register."""

LARGE = os.urandom(250).hex()
"""The name of a role. Some fill a page of the database."""


def test_a_write_whose_answer_was_lost_takes_effect_once_with_a_precondition(database: str, tmp_path: Path) -> None:
    """The worker dies between its commit and its answer, which waits for the lease of a service that stands still."""
    with together(database, tmp_path, 2) as services:
        writing, other = services.servers
        path = f"{ENV}/roles/r"
        with writing.client() as client:
            made = client.put(path, json={}, headers={"If-None-Match": "*"})
            assert made.status_code == 201, made.text
        condition, answers = {"If-Match": made.headers["ETag"]}, []

        def write() -> None:
            with writing.client() as client:
                try:
                    answers.append(client.put(path, json={"name": "once"}, headers=condition))
                except httpx.HTTPError as ex:
                    answers.append(ex)

        def revision() -> int:
            return db.execute("SELECT revision FROM environments").fetchone()[0]

        with psycopg.connect(database, autocommit=True) as db:
            before = revision()
            tell(other, signal.SIGSTOP)
            thread = threading.Thread(target=write)
            thread.start()
            assert wait_until(lambda: revision() == before + 1)
            for worker in [one for one in children(writing.process.pid) if one != keeper(writing)]:
                os.kill(worker, signal.SIGKILL)
            thread.join()
            tell(other, signal.SIGCONT)
            assert isinstance(answers[0], httpx.HTTPError)
            with other.client() as client:
                again = client.put(path, json={"name": "once"}, headers=condition)
                assert again.status_code == 412, again.text
                assert wait_until(lambda: client.get(path).json().get("name") == "once")
            assert revision() == before + 1


def test_services_that_start_at_the_same_time_make_one_store(database: str, tmp_path: Path) -> None:
    """All get ready: there is one schema, one environment, and no service has other keys."""
    with together(database, tmp_path, 0, workers=1) as services:
        with ThreadPoolExecutor(STARTS) as starts:
            for start in [starts.submit(services.start) for _ in range(STARTS)]:
                start.result()
        with psycopg.connect(database) as db:
            assert db.execute("SELECT id FROM environments").fetchall() == [("default",)]
            assert db.execute("SELECT count(*) FROM servers").fetchone() == (STARTS,)
            assert db.execute("SELECT number, least FROM writ_format").fetchall() == [(STORE_FORMAT, STORE_FORMAT)]
            keys = "SELECT kind, count(DISTINCT key_id), count(DISTINCT server) FROM server_keys GROUP BY kind"
            assert {(ids, servers) for _, ids, servers in db.execute(keys)} == {(1, STARTS)}
            (connections,) = db.execute(CONNECTIONS).fetchone()
            assert connections <= OF_ONE * STARTS
        assert {decision(server) for server in services.servers} == {200}
        for server in services.servers:  # in order, one would wait for the other
            tell(server, signal.SIGKILL)


def test_a_full_disk_refuses_writes_and_loses_none(record_property: Record, tmp_path: Path) -> None:
    place = postgres.needed()
    texts = set[str]()
    with postgres.server(place, megabytes=MEGABYTES) as conninfo:
        host = dict(part.split("=") for part in conninfo.split())["host"]
        disk = SmallDisk(Path(host) / "data")

        def fill(services: Together) -> None:
            with services.servers[0].client() as client:

                def written() -> int:
                    path = f"{OTHER}/roles/{os.urandom(8).hex()}"
                    answer = client.put(path, json={"name": LARGE}, headers={"If-None-Match": "*"})
                    if answer.status_code >= 500:
                        texts.add(answer.text)
                    return answer.status_code

                assert wait_until(lambda: written() == 201)
                disk.fill()
                assert wait_until(lambda: written() >= 500)
                disk.clear()
                assert wait_until(lambda: written() == 201)

        with together(f"postgresql://writ@/postgres?host={host}", tmp_path, 2) as services:
            with services.servers[0].client() as client:
                assert client.post("/v1/environments", json={"id": "other"}).status_code == 201
            histories = found_under(services, fill, seconds=3)
    record(record_property, histories, "the database's disk is full")
    assert any("disk is full; make room" in text for text in texts), texts
    assert_sound(histories.operations)
