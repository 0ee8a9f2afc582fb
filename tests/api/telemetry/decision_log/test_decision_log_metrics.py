"""The metrics of the decision log: what real workers wrote, lost and keep in memory, all of them together."""

import os
import signal
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.api.conftest import ALICE, ALLOWED, DENIED, PLAN, READ
from tests.api.telemetry.decision_log.test_decision_log_served import BATCH, MODEL, SINGLE, logging_to
from tests.support.bundling import bundle_file
from tests.support.decision_logs import Collector
from tests.support.processes import children, is_alive
from tests.support.server import Server, command, environment, running, started
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

Numbers = Mapping[tuple[str, str], float]

FULL = Path("/dev/full")
LITTLE_ROOM = {"WRIT_DECISION_LOG_BUFFER_RECORDS": "3", "WRIT_DECISION_LOG_STOP_SECONDS": "0.5"}


def numbers(server: Server) -> Numbers:
    """The metrics of the decision log without the beginning of their names, by their names and reasons."""
    with server.client() as client:
        text = client.get("/metrics").raise_for_status().text
    return {
        (sample.name.removeprefix("writ_decision_log_"), sample.labels.get("reason", "")): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name.startswith("writ_decision_log_")
    }


def _has_ended(process: int) -> bool:
    return not is_alive(process)


def test_all_workers_together_count_what_the_file_has(tmp_path: Path) -> None:
    """Also the worker that was told to stop: its records are counted before it ends."""
    log = tmp_path / "log"
    with running(tmp_path / "data", workers=3, settings=logging_to(log)) as server:
        assert numbers(server)["records_total", ""] == 0
        for number in range(24):  # each client has a connection of its own, so each worker gets some
            with server.client() as client:
                client.post(SINGLE, json=ALLOWED)
                client.post(BATCH, json={"subject": ALICE, "action": READ, "evaluations": [{"resource": PLAN}] * 3})
            if number == 12:
                worker = children(server.process.pid)[0]
                os.kill(worker, signal.SIGTERM)
                assert wait_until(partial(_has_ended, worker))  # it may take a connection until then
        assert wait_until(lambda: numbers(server)["records_total", ""] == 24 * 4)
        found, text = numbers(server), log.read_bytes()
        assert found["bytes_total", ""] == len(text) - text.count(b"\n")
        assert {found["dropped_total", reason] for reason in ("full", "refused", "failed", "stopped")} == {0}
        assert found["errors_total", ""] == 0
        assert wait_until(lambda: numbers(server)["queue_limit_calls", ""] == 3 * 100_000)
        assert numbers(server)["queue_limit_bytes", ""] == 3 * 64 * 2**20
        assert numbers(server)["queue_calls", ""] == numbers(server)["queue_bytes", ""] == 0


@pytest.mark.skipif(not FULL.exists(), reason="the system has no /dev/full")
def test_what_is_dropped_is_counted_by_its_reason(tmp_path: Path) -> None:
    with running(tmp_path / "data", workers=1, settings=logging_to(FULL, LITTLE_ROOM)) as server:
        with server.client() as client:
            for _ in range(20):
                assert client.post(SINGLE, json=ALLOWED).status_code == 200
        assert wait_until(lambda: numbers(server)["dropped_total", "full"] == 17)
        found = numbers(server)
        assert (found["queue_calls", ""], found["queue_limit_calls", ""]) == (3, 3)
        assert found["queue_bytes", ""] > 3 * len(str(ALLOWED))
        assert found["errors_total", ""] >= 1
        assert found["records_total", ""] == 0
        old = children(server.process.pid)
        os.kill(old[0], signal.SIGTERM)
        assert wait_until(lambda: is_told(server, "dropped_total", "stopped", 3))


def is_told(server: Server, name: str, reason: str, value: float) -> bool:
    """Whether a metric has a value. While a worker is replaced, the service may not answer."""
    try:
        return numbers(server)[name, reason] == value
    except httpx.TransportError:
        return False


def test_what_a_collector_refuses_for_good_is_counted(tmp_path: Path) -> None:
    with Collector().serving() as collector:
        collector.status = 400
        settings = logging_to(collector.url, {"WRIT_DECISION_LOG_BATCH_SECONDS": "0.1"})
        with running(tmp_path / "data", workers=1, settings=settings) as server, server.client() as client:
            for _ in range(7):
                client.post(SINGLE, json=DENIED)
            assert wait_until(lambda: numbers(server)["dropped_total", "refused"] == 7)
            collector.status = 200
            client.post(SINGLE, json=ALLOWED)
            assert wait_until(lambda: numbers(server)["records_total", ""] == 1)


def test_an_agent_counts_too(tmp_path: Path) -> None:
    path, log = bundle_file(MODEL, tmp_path / "model.bundle"), tmp_path / "log"
    line = command("agent", "--bundle", str(path), "--unsigned", "--bind", "127.0.0.1:0", "--workers", "2")
    with started([*line, "--decision-log", str(log)], environment(), tmp_path / "messages", tmp_path) as agent:
        for _ in range(5):
            httpx.post(agent.url + SINGLE, json=ALLOWED)
        assert wait_until(lambda: numbers(agent)["records_total", ""] == 5)


def test_without_a_decision_log_there_is_no_room_and_no_record(tmp_path: Path) -> None:
    with running(tmp_path / "data", workers=1) as server, server.client() as client:
        client.post(SINGLE, json=ALLOWED)
        assert set(numbers(server).values()) == {0}
