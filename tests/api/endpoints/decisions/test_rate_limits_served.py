"""Rate limits in a real service, an agent and `writ decide`: all workers of one server count together (C10)."""

import json
import logging
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from writ.api.endpoints.decisions.deciding import Deciding
from writ.api.endpoints.decisions.evaluations import Evaluations
from writ.api.endpoints.decisions.shared_rates import SharedRates
from writ.api.engines.live.preparing_threads import PreparingThreads
from writ.api.http.bodies import ENCODER, Bodies
from writ.api.settings.settings import HttpLimits
from writ.api.telemetry.decision_log.decision_log import NO_LOG
from writ.api.telemetry.metrics.counts import Counts
from writ.bundles.event_loop import TakesLong
from writ.runtime import Engine, RateCounters

from tests.support.bundling import bundle_file
from tests.support.command import WRIT
from tests.support.event_loops import as_event_loop
from tests.support.processes import children
from tests.support.raw_http import RawConnection, request
from tests.support.server import KEY, Server, command, environment, running, started
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

SINGLE, BATCH = "/access/v1/evaluation", "/access/v1/evaluations"
LIMIT, WORKERS = 50, 3
UNUSUAL = {"Content-Type": "application/json; charset=utf-8"}
"""A head that the decision lane leaves to the application."""


def limited(id: str, action: str, limit: int) -> dict[str, Any]:
    return {
        "id": id,
        "effect": "ALLOW",
        "resource_types": [{"resource_type_id": "document", "actions": [action]}],
        "conditions": {"rate_limit": {"limit": limit, "window_seconds": 86_400}},
    }


MODEL = {
    "model": 1,
    "resource_types": [{"id": "document", "actions": ["read", "list"]}],
    "policies": [limited("reads", "read", LIMIT), limited("lists", "list", 4)],
}


def bundle(folder: Path) -> Path:
    return bundle_file({name: rows for name, rows in MODEL.items() if name != "model"}, folder / "m.bundle")


def question(subject: str, action: str = "read") -> dict[str, Any]:
    return {
        "subject": {"type": "user", "id": subject},
        "action": {"name": action},
        "resource": {"type": "document", "id": "d1"},
    }


def answers(server: Server, path: str, *bodies: dict[str, Any], headers: dict[str, str] | None = None) -> list[Any]:
    """The answers to requests on one new connection, so of one worker."""
    with RawConnection(server.host, server.port) as raw:
        found = []
        for body in bodies:
            raw.send(request("POST", path, json.dumps(body).encode(), headers or {}, KEY))
            answer = raw.answer()
            assert answer.status == 200, answer.body
            found.append(answer.json)
        return found


def allowed(server: Server, subject: str, times: int) -> int:
    """How many evaluations are allowed, of many on one new connection."""
    return sum(answer["decision"] for answer in answers(server, SINGLE, *[question(subject)] * times))


def allowed_at_once(server: Server, subject: str) -> int:
    """The same, on eight connections at once."""
    with ThreadPoolExecutor(8) as threads:
        return sum(threads.map(lambda _: allowed(server, subject, LIMIT // 2), range(8)))


@contextmanager
def serving(folder: Path, workers: int = WORKERS) -> Iterator[Server]:
    (folder / "model.json").write_text(json.dumps(MODEL))
    with running(folder / "data", "--import", str(folder / "model.json"), workers=workers) as server:
        yield server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("rates")) as made:
        yield made


def test_all_workers_count_together(server: Server) -> None:
    """At most one evaluation too many for each further worker, whatever the race."""
    assert LIMIT <= allowed_at_once(server, "alice") <= LIMIT + WORKERS - 1
    assert allowed(server, "alice", 5) == 0
    assert LIMIT <= allowed_at_once(server, "bob") <= LIMIT + WORKERS - 1


def test_a_killed_worker_loses_no_count(server: Server) -> None:
    """Its successor goes on with its row."""
    for kills in range(1, WORKERS + 1):
        subject = f"killed{kills}"
        first = sum(allowed(server, subject, 5) for _ in range(6))
        assert first == 30
        victims = children(server.process.pid)[:kills]
        for victim in victims:
            os.kill(victim, signal.SIGKILL)
        replaced(server, victims)
        assert LIMIT <= first + allowed_after_trouble(server, subject) <= LIMIT + WORKERS - 1


def replaced(server: Server, gone: list[int]) -> None:
    """Wait until other workers took the places of those that are gone."""

    def is_done() -> bool:
        living = children(server.process.pid)
        return len(living) == WORKERS and not {*living} & {*gone}

    assert wait_until(is_done)


def allowed_after_trouble(server: Server, subject: str) -> int:
    """Asks until nothing is allowed. A worker that ends may close a connection without an answer."""
    found = refused = tries = 0
    while refused < 10 and tries < 1_000:
        tries += 1
        try:
            (answer,) = answers(server, SINGLE, question(subject))
        except (OSError, AssertionError):
            continue
        found += answer["decision"]
        refused += not answer["decision"]
    assert refused == 10
    return found


def test_a_reload_loses_no_count(server: Server) -> None:
    """Old and new workers run side by side, in rows of their own."""
    before = allowed(server, "reloaded", 20)
    for _ in range(2):
        old = children(server.process.pid)
        server.process.send_signal(signal.SIGHUP)
        replaced(server, old)
    after = allowed_after_trouble(server, "reloaded")
    assert LIMIT <= before + after <= LIMIT + WORKERS - 1


def test_a_batch_counts_each_item_once(server: Server) -> None:
    """The decision lane leaves a batch that counts to the application, before anything was counted."""
    for subject, headers in (("batch", {}), ("unusual", UNUSUAL)):
        item = question(subject, "list")
        (found,) = answers(server, BATCH, {"evaluations": [item] * 3}, headers=headers)
        assert [one["decision"] for one in found["evaluations"]] == [True] * 3
        (found,) = answers(server, BATCH, {"evaluations": [item] * 3}, headers=headers)
        assert [one["decision"] for one in found["evaluations"]] == [True, False, False]
        (alone,) = answers(server, BATCH, item, headers=headers)
        assert alone["context"]["retry_after_seconds"] > 80_000


def test_the_lane_leaves_a_batch_before_it_counts(tmp_path: Path) -> None:
    """It may give up at any later item, and the application then decides all of them."""
    engine = Engine.open(bundle(tmp_path), counters=RateCounters())
    deciding = Deciding(PreparingThreads(), Counts.apart())
    bodies: Any = Bodies(HttpLimits())
    lane: Any = Evaluations(lambda _: engine, time.time, bodies, deciding, HttpLimits(), None, NO_LOG)  # type: ignore[arg-type]  # unused
    with as_event_loop():
        for _ in range(5):
            with pytest.raises(TakesLong):
                lane.at_once(engine, ENCODER.encode({"evaluations": [question("alice", "list")]}))
            _, unlimited = lane.at_once(engine, ENCODER.encode({"evaluations": [question("alice", "unknown")]}))
            assert json.loads(unlimited)["evaluations"][0]["decision"] is False
    assert [engine.decide(question("alice", "list"))["decision"] for _ in range(5)] == [True] * 4 + [False]


def test_an_explained_evaluation_counts_once(server: Server) -> None:
    asked = question("explained", "list") | {"options": {"explain": True}}
    found = answers(server, SINGLE, *[asked] * 5)
    shown = [one["context"]["explanation"]["candidates"][0] for one in found]
    assert [row["conditions"][0]["actual"] for row in shown] == [1, 2, 3, 4, 5]
    assert [row["holds"] for row in shown] == [one["decision"] for one in found] == [True] * 4 + [False]


def test_searches_count_nothing(server: Server) -> None:
    search = {"subject": {"type": "user", "id": "searcher"}, "action": {"name": "list"}}
    resources = search | {"resource": {"type": "document"}, "options": {"return": "filter", "gates": "decide"}}
    actions = {"subject": search["subject"], "resource": {"type": "document", "id": "d1"}, "context": {}}
    answers(server, "/access/v1/search/resource", *[resources] * 6)
    found = answers(server, "/access/v1/search/action", *[actions] * 6)
    assert [[item["name"] for item in one["results"]] for one in found] == [["list", "read"]] * 6
    assert [one["decision"] for one in answers(server, SINGLE, *[question("searcher", "list")] * 5)] == [True] * 4 + [
        False
    ]


def test_environments_count_apart(server: Server) -> None:
    with server.client() as client:
        assert client.post("/v1/environments", json={"id": "other"}).status_code == 201
        assert client.put("/v1/environments/other/model", json=MODEL).status_code in (200, 204)
    for root in ("", "/environments/other"):
        found = answers(server, root + SINGLE, *[question("both", "list")] * 5)
        assert [one["decision"] for one in found] == [True] * 4 + [False]


def test_a_change_of_the_model_keeps_the_counts(server: Server) -> None:
    assert [one["decision"] for one in answers(server, SINGLE, *[question("kept", "list")] * 5)][-1] is False
    with server.client() as client:
        changed = {**MODEL, "roles": [{"id": "new"}]}
        assert client.put("/v1/environments/default/model", json=changed).status_code in (200, 204)
    assert not any(one["decision"] for one in answers(server, SINGLE, *[question("kept", "list")] * 3))


def test_a_restart_starts_empty(tmp_path: Path) -> None:
    """As the handbook says."""
    for _ in range(2):
        with serving(tmp_path, workers=1) as server:
            assert allowed(server, "alice", LIMIT + 10) == LIMIT


def is_ready(server: Server) -> bool:
    with RawConnection(server.host, server.port) as raw:
        raw.send(request("GET", "/readyz"))
        return raw.answer().status == 200


def test_an_agent_counts_for_itself(tmp_path: Path) -> None:
    path = bundle(tmp_path)
    line = command("agent", "--bundle", str(path), "--unsigned", "--bind", "127.0.0.1:0", "--workers", str(WORKERS))
    with started(line, environment(), tmp_path / "agent.log", tmp_path) as agent:
        assert wait_until(lambda: all(is_ready(agent) for _ in range(20)))  # on as many connections, so of every worker
        assert LIMIT <= allowed_at_once(agent, "alice") <= LIMIT + WORKERS - 1


def test_writ_decide_counts_the_lines_of_one_run(tmp_path: Path) -> None:
    path = bundle(tmp_path)
    lines = "".join(f"{json.dumps(question('alice', 'list'))}\n" for _ in range(6)).encode()
    for more in ([], ["--now", "2027-01-31T09:00:00Z"]):
        done = subprocess.run([WRIT, "decide", str(path), *more], input=lines, capture_output=True, check=True)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        assert [one["decision"] for one in found] == [True] * 4 + [False] * 2
        assert found[-1]["context"]["retry_after_seconds"] >= 86_400


def test_a_worker_beyond_the_rows_allows_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """More than twice the workers can only run if reloads follow each other very fast."""
    rates = SharedRates(2, 0, logging.getLogger("tests"))
    rates.start_worker(3)
    assert rates.counters.count(b"key", 5, 60, 1e9) == 1
    assert caplog.messages == []
    rates.start_worker(4)
    assert rates.counters.count(b"key", 5, 60, 1e9) == 6
    assert caplog.messages == ["a worker can't count, so every rate limit is reached there: over 4 run"]
