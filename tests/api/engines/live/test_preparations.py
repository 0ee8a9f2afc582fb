"""An environment that ends a worker while it is prepared rests, and no other does."""

import json
import logging
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from writ.api.engines.live.preparations import MOST_REST_SECONDS, PLACES_A_WORKER, RESTING, Preparations, Unprepared

from tests.support.command import writ
from tests.support.processes import children
from tests.support.raw_http import RawConnection, request
from tests.support.server import KEY, running
from tests.support.waiting import wait_until

LOG = logging.getLogger("tests")


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def preparations(clock: Clock) -> Preparations:
    return Preparations(clock, LOG)


def forked(work: Callable[[], None]) -> int:
    """Runs work in a process of its own, which ends without cleaning up, and returns its id."""
    pid = os.fork()
    if not pid:
        with suppress(BaseException):
            work()
        os._exit(1)
    os.waitpid(pid, 0)
    return pid


def die_in(preparations: Preparations, *environments: str) -> None:
    begun = [preparations(environment) for environment in environments]  # kept: what is collected has ended

    def prepare() -> None:
        for preparation in begun:
            preparation.__enter__()

    preparations.worker_gone(forked(prepare))


def lose(preparations: Preparations, environment: str, patch: pytest.MonkeyPatch) -> None:
    """Does as `die_in`, without a fork: this process passes for another one."""
    preparation = preparations(environment)
    with patch.context() as other:
        other.setattr(os, "getpid", lambda: 2**30)
        preparation.__enter__()
    preparations.worker_gone(2**30)


def rests(preparations: Preparations, environment: str) -> bool:
    try:
        with preparations(environment):
            return False
    except Unprepared:
        return True


def test_what_ended_a_worker_rests_and_then_rests_longer(preparations: Preparations, clock: Clock) -> None:
    for seconds in (10, 20, 40):
        die_in(preparations, "large")
        assert (rests(preparations, "large"), rests(preparations, "other")) == (True, False)
        clock.now += seconds - 1
        with pytest.raises(Unprepared, match=r"ended a worker process \d times; it is tried again in 1 seconds"):
            preparations("large").__enter__()
        clock.now += 1
    assert rests(preparations, "large") is False


def test_a_success_is_the_end_of_it(preparations: Preparations, clock: Clock) -> None:
    for _ in range(3):
        die_in(preparations, "large")
    clock.now += MOST_REST_SECONDS
    with preparations("large"):
        pass
    die_in(preparations, "large")
    clock.now += 10
    assert rests(preparations, "large") is False


def test_no_rest_is_longer_than_the_longest(
    preparations: Preparations, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(40):
        clock.now += MOST_REST_SECONDS
        lose(preparations, "large", monkeypatch)
    clock.now += MOST_REST_SECONDS - 1
    assert rests(preparations, "large")
    clock.now += 1
    assert not rests(preparations, "large")


def test_who_ends_in_order_or_fails_lets_nothing_rest(preparations: Preparations) -> None:
    left = preparations("left")

    def leave() -> None:
        left.__enter__()
        preparations.leave()

    def fail() -> None:
        with preparations("failed"):
            raise LookupError

    for work in (leave, fail):
        preparations.worker_gone(forked(work))
    assert not any(rests(preparations, environment) for environment in ("left", "failed"))


def test_all_that_a_worker_prepared_rests(preparations: Preparations) -> None:
    names = [f"e{number}" for number in range(PLACES_A_WORKER)]
    die_in(preparations, *names)
    assert all(rests(preparations, name) for name in names)


def test_the_tables_are_bounded(preparations: Preparations, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that rests shortest gives way."""
    for _ in range(2):
        clock.now += 10
        lose(preparations, "e0", monkeypatch)
    for number in range(1, RESTING + 1):
        lose(preparations, f"e{number}", monkeypatch)
    assert rests(preparations, "e0")
    assert rests(preparations, f"e{RESTING}")
    assert sum(rests(preparations, f"e{number}") for number in range(RESTING + 1)) == RESTING


AT_GATE = """
import importlib, os, sys
from pathlib import Path

here = Path(__file__).parent
sys.path.remove(str(here))
del sys.modules["uvloop"]
uvloop = importlib.import_module("uvloop")
sys.modules["uvloop"] = uvloop
from writ.api.engines.live import preparations

mark = preparations.Preparations._mark


def stops(self, key):
    place = mark(self, key)
    if key == preparations._key("large"):
        (here / "marked").touch()
        (here / "gate").read_bytes()
    return place


preparations.Preparations._mark = stops
"""
"""Takes the place of uvloop: a worker stops at a gate while it prepares the environment `large`."""


def test_a_worker_that_dies_of_an_environment_does_not_die_of_it_again(tmp_path: Path) -> None:
    """A real service: the environment answers 500 with the reason, and the others decide."""
    asked = {"subject": {"type": "u", "id": "a"}, "action": {"name": "read"}, "resource": {"type": "d", "id": "1"}}
    single, data, first = "/access/v1/evaluation", tmp_path / "data", tmp_path / "first"
    (tmp_path / "large.json").write_text('{"model": 1}')
    assert writ("import", tmp_path / "large.json", "--data", data, "--env", "large", "--create").returncode == 0
    first.mkdir()
    (first / "uvloop.py").write_text(AT_GATE)
    os.mkfifo(first / "gate")
    with running(data, workers=1, path=[first]) as server, server.client() as client:
        (worker,) = children(server.process.pid)
        assert client.post(single, json=asked).status_code == 200
        with RawConnection(server.host, server.port) as raw:
            raw.send(request("POST", f"/environments/large{single}", json.dumps(asked).encode(), key=KEY))
            assert wait_until((first / "marked").exists)
            os.kill(worker, signal.SIGKILL)
            with pytest.raises((EOFError, ConnectionError)):
                raw.answer()
        assert wait_until(lambda: children(server.process.pid) not in ([], [worker])) is True
        refused = client.post(f"/environments/large{single}", json=asked)
        assert refused.status_code == 500
        assert "to prepare this environment ended a worker process 1 times" in refused.json()["error"]
        assert client.post(single, json=asked).status_code == 200
        assert "ended while it prepared an environment, which rests for 10 s" in server.log
