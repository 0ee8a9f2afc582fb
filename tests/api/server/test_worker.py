"""Workers and signals."""

import os
import signal
import time
from pathlib import Path

import httpx
import pytest

from tests.support.processes import children
from tests.support.server import running
from tests.support.waiting import wait_until

SIGNALLED = """
import importlib, os, signal, sys
from pathlib import Path

here = Path(__file__).parent
sys.path.remove(str(here))
del sys.modules["uvloop"]
real = importlib.import_module("uvloop")
new_event_loop = real.new_event_loop


def signalled():
    try:
        (here / "once").touch(exist_ok=False)
    except FileExistsError:
        pass
    else:
        os.kill(os.getpid(), signal.SIGTERM)
    return new_event_loop()


real.new_event_loop = signalled
"""
"""Takes the place of uvloop: the first worker that asks for a loop, while it boots, gets a signal then."""


def test_a_worker_that_is_asked_to_stop_while_it_boots_stops(tmp_path: Path) -> None:
    """A lost signal would let the master wait for the whole limit of a stop when it stops."""
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "uvloop.py").write_text(SIGNALLED)
    with running(tmp_path / "data", path=[tmp_path / "first"]) as server:
        assert wait_until(lambda: server.log.count("Booting worker") == 2) is True, server.log
        assert server.log.count("Worker exiting") == 1
        assert server.stop() == 0
        assert server.log.count("Worker exiting") == 2


PROMPT_SECONDS = 2.5
"""An idle service stops in 0.4 s here, and before, it took 3 s. Of five tries on a busy machine, one is as prompt."""


def ready(url: str) -> tuple[int, str]:
    answer = httpx.get(f"{url}/readyz", timeout=5)
    return answer.status_code, answer.json()["status"]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_idle_service_stops_at_once(tmp_path: Path, workers: int) -> None:
    """Also with a connection that waits for its next request."""
    assert any(_seconds_to_stop(tmp_path, workers) < PROMPT_SECONDS for _ in range(5))


def _seconds_to_stop(tmp_path: Path, workers: int) -> float:
    with running(tmp_path / "data", workers=workers) as server, server.client() as client:
        assert client.get("/healthz").status_code == 200
        begun = time.monotonic()
        assert server.stop() == 0
        return time.monotonic() - begun


def test_readiness_fails_before_the_service_stops(tmp_path: Path) -> None:
    """Everything else is answered meanwhile, over new connections too, and a worker that ends is replaced."""
    with running(tmp_path / "data", "--drain-seconds", "60") as server:
        assert ready(server.url) == (200, "ready")
        (worker,) = children(server.process.pid)
        server.process.send_signal(signal.SIGTERM)
        assert wait_until(lambda: ready(server.url) == (503, "draining")) is True
        assert httpx.get(f"{server.url}/healthz").status_code == 200
        os.kill(worker, signal.SIGKILL)
        assert wait_until(lambda: children(server.process.pid) not in ([], [worker])) is True
        assert ready(server.url) == (503, "draining")
        assert server.process.poll() is None
        begun = time.monotonic()
        assert server.stop() == 0, "a second signal ends the wait"
        assert time.monotonic() - begun < 30
        assert "stopping in 60 seconds; readiness fails from now on" in server.log


def test_draining_ends_by_itself(tmp_path: Path) -> None:
    with running(tmp_path / "data", "--drain-seconds", "0.7") as server:
        begun = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - begun >= 0.7


def test_no_signal_starts_a_second_master(tmp_path: Path) -> None:
    with running(tmp_path / "data") as server:
        before = children(server.process.pid)
        server.process.send_signal(signal.SIGUSR2)
        assert wait_until(lambda: "USR2 is ignored" in server.log) is True
        assert children(server.process.pid) == before
        assert ready(server.url) == (200, "ready")
        assert "Traceback" not in server.log


def test_a_service_starts_again_right_after_its_master_was_killed(tmp_path: Path) -> None:
    """Its workers hold the lock of the data directory and the socket, until they see that the master is gone."""
    with running(tmp_path / "data", workers=2) as server:
        server.process.kill()
        with running(tmp_path / "data") as again:
            assert ready(again.url) == (200, "ready")
