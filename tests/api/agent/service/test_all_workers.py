"""An agent is ready when all of its workers are, and one line of the log says that it is stale."""

import json
import threading
import time
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from writ.api.agent.service.all_workers import LONGEST_REASON, AllWorkers
from writ.api.agent.status import Status
from writ.api.server.shares import places_for

from tests.support.feed import History
from tests.support.server import Server, command, environment, started
from tests.support.signed import KEY, public_pem
from tests.support.upstream import Handler, Upstream, serving
from tests.support.waiting import wait_until

READY = Status("following", "e", 1, 1, 1, 0.0, 0.0, 0.0, 0.0, False, None, True)
NOT_YET = replace(READY, state="starting", error="`the source` gave no answer")
STALE = replace(READY, state="behind", is_stale=True, error="the source is silent")
FOREVER = 60.0
SILENT = "the source has not said since "


def workers(count: int, begun: int | None = None) -> list[AllWorkers]:
    """The table as each of some workers sees it after the fork. Those that have begun are ready."""
    table = AllWorkers(count)
    found = [copy(table) for _ in range(count)]
    for place, one in enumerate(found[:begun]):
        one.begin(place)
        one.tell(READY)
    return found


def test_each_worker_must_have_begun() -> None:
    """After that, one that ends is not missed: no request reaches it."""
    one, other = workers(2, begun=1)
    assert one.refusal() == "not all workers have begun yet"
    other.begin(1)
    assert one.refusal() == "another worker is not ready: it has no bundle yet"
    other.tell(READY)
    assert (one.refusal(), other.refusal()) == (None, None)
    other.leave()
    other.tell(NOT_YET)  # by its thread, while it ends
    assert (one.refusal(), other.refusal()) == (None, None)


def test_another_worker_says_why() -> None:
    """During a reload, there are old workers beside the new ones."""
    one, other = workers(2)
    other.tell(NOT_YET)
    assert one.refusal() == "another worker is not ready: `the source` gave no answer"
    assert other.refusal() is None, "its own status says so"
    newer = copy(one)
    newer.begin(places_for(2) - 1)
    newer.tell(replace(STALE, error="ü" * LONGEST_REASON))
    other.tell(READY)
    assert one.refusal() == f"another worker is not ready: {'ü' * (LONGEST_REASON // 2)}"


def test_a_worker_that_was_killed_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the master, which knows its process id."""
    one, other = workers(2)
    monkeypatch.setattr("os.getpid", lambda: 4711)
    other.tell(NOT_YET)
    master = copy(one)
    master.worker_gone(4712)
    assert one.refusal() is not None
    master.worker_gone(4711)
    assert one.refusal() is None


def test_one_worker_tells_the_log_and_the_last_one_that_it_ended() -> None:
    """A worker that did not hear of its source yet is not stale."""
    one, other = workers(2)
    one.tell(STALE, has_heard=False)
    assert (one.turned_stale(), other.turned_stale()) == (None, None)
    other.tell(STALE)
    assert (one.turned_stale(), other.turned_stale()) == (None, True)
    one.tell(STALE)
    assert (one.turned_stale(), other.turned_stale()) == (None, None)
    other.tell(READY)
    assert (one.turned_stale(), other.turned_stale()) == (None, None)
    one.tell(READY)
    assert (other.turned_stale(), one.turned_stale()) == (False, None)


# -- in a real agent


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    history = History()
    history.issued, history.lifetime = int(time.time()), 36_000
    with serving(history) as found:
        yield found


def readiness(server: Server) -> set[tuple[int, str | None]]:
    """The answers of `/readyz` on many connections, so of every worker."""
    answers = [httpx.get(f"{server.url}/readyz") for _ in range(12)]
    return {(one.status_code, one.json().get("error")) for one in answers}


def one_is_behind(answers: set[tuple[int, str | None]]) -> bool:
    """Returns whether one worker says that its source is silent, and all others say it of that one."""
    if len(answers) != 2 or {status for status, _ in answers} != {503}:
        return False
    own, others = sorted((str(error) for _, error in answers), reverse=True)
    return own.startswith(SILENT) and others == f"another worker is not ready: {own}"


@pytest.mark.agent
def test_an_agent_is_ready_when_all_workers_are(upstream: Upstream, tmp_path: Path) -> None:
    """The source holds the question of one of them for too long. That one goes on deciding."""
    (tmp_path / "key.pem").write_bytes(public_pem(KEY))
    (tmp_path / "token").write_text("token")
    source = ("--env", "prod", "--upstream", upstream.url, "--token-file", str(tmp_path / "token"))
    options = ("--key", str(tmp_path / "key.pem"), "--max-staleness", "3", "--workers", "2", "--bind", "127.0.0.1:0")
    held: list[object] = []
    released = threading.Event()

    def hold_one(handler: Handler) -> bool:
        if not held:
            held.append(handler.client_address)
        if handler.client_address == held[0]:
            released.wait(FOREVER)
        return False

    with started(command("agent", *source, *options), environment(), tmp_path / "log", tmp_path) as server:
        assert wait_until(lambda: readiness(server) == {(200, None)})
        upstream.fault = hold_one
        assert wait_until(lambda: one_is_behind(readiness(server))) is True
        question = {"subject": {"type": "user", "id": "bob"}, "action": {"name": "read"}}
        body = json.dumps({**question, "resource": {"type": "document", "id": "1"}})
        asked = {"headers": {"Authorization": "Bearer token", "Content-Type": "application/json"}, "content": body}
        for _ in range(6):
            assert httpx.post(f"{server.url}/access/v1/evaluation", **asked).json()["decision"] is True
        released.set()
        assert wait_until(lambda: readiness(server) == {(200, None)})
        assert wait_until(lambda: "the source has confirmed the revision in force again" in server.log)
        assert f"the revision in force is stale: {SILENT}" in server.log
