"""What a service manager hears: `sd_notify` of systemd, over a real datagram socket."""

import os
import signal
import time
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from writ.api.server.supervision.notices import Notices

from tests.support.processes import children
from tests.support.server import running
from tests.support.service_manager import managing
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service


@pytest.mark.parametrize("abstract", [False, True], ids=["path", "abstract"])
def test_a_service_tells_when_it_is_ready_reloads_and_stops(tmp_path: Path, abstract: bool) -> None:
    address = f"@writ-{uuid4()}" if abstract else str(tmp_path / "notify")
    settings = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "200000"}
    with managing(address) as manager, running(tmp_path / "data", workers=2, settings=settings) as server:
        assert wait_until(manager.states) == ["READY=1"]
        assert "READY=1\nSTATUS=2 workers serving" in manager.heard
        assert wait_until(lambda: manager.hear().count("WATCHDOG=1") >= 3) is True
        before = time.monotonic_ns() // 1_000
        server.process.send_signal(signal.SIGHUP)
        assert wait_until(lambda: len(manager.states()) == 3) is True
        assert manager.states() == ["READY=1", "RELOADING=1", "READY=1"]
        told = next(text for text in manager.heard if text.startswith("RELOADING=1"))
        assert before <= int(told.partition("\nMONOTONIC_USEC=")[2]) <= time.monotonic_ns() // 1_000
        assert server.stop() == 0
        assert manager.states() == ["READY=1", "RELOADING=1", "READY=1", "STOPPING=1"]


SLOW_LOOP = """
import importlib, sys
from pathlib import Path

here = Path(__file__).parent
sys.path.remove(str(here))
del sys.modules["uvloop"]
real = importlib.import_module("uvloop")
new_event_loop = real.new_event_loop


def late():
    try:
        (here / "once").touch(exist_ok=False)
    except FileExistsError:
        (here / "gate").read_bytes()
    return new_event_loop()


real.new_event_loop = late
"""
"""Takes the place of uvloop: all workers but the first one stop at a gate before they serve."""


def test_it_is_ready_when_all_workers_serve_and_not_before(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "uvloop.py").write_text(SLOW_LOOP)
    os.mkfifo(tmp_path / "first" / "gate")
    settings = {"NOTIFY_SOCKET": str(tmp_path / "notify")}
    with (
        managing(settings["NOTIFY_SOCKET"]) as manager,
        running(tmp_path / "data", workers=2, settings=settings, path=[tmp_path / "first"]) as server,
    ):
        assert httpx.get(f"{server.url}/readyz").status_code == 200, "the first worker serves"
        assert manager.hear() == []
        (tmp_path / "first" / "gate").write_bytes(b"")
        assert wait_until(manager.states) == ["READY=1"]


def test_a_draining_service_says_that_it_stops_and_goes_on_beating(tmp_path: Path) -> None:
    """A worker that is replaced meanwhile makes it not ready again."""
    settings = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "2000000"}
    with (
        managing(settings["NOTIFY_SOCKET"]) as manager,
        running(tmp_path / "data", "--drain-seconds", "60", settings=settings) as server,
    ):
        assert wait_until(manager.states) == ["READY=1"]
        server.process.send_signal(signal.SIGTERM)
        assert wait_until(lambda: manager.states()[1:]) == ["STOPPING=1"]
        (worker,) = children(server.process.pid)
        os.kill(worker, signal.SIGKILL)
        assert wait_until(lambda: children(server.process.pid) not in ([], [worker])) is True
        beats = manager.hear().count("WATCHDOG=1")
        assert wait_until(lambda: manager.hear().count("WATCHDOG=1") > beats) is True
        server.stop()
        assert manager.states() == ["READY=1", "STOPPING=1"]


def test_no_other_process_inherits_the_socket(tmp_path: Path) -> None:
    """The variables are gone from the environment, which processes that the service starts would inherit."""
    with managing(str(tmp_path / "notify")) as manager:
        variables = {"NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "1", "WATCHDOG_PID": "1", "HOME": "/"}
        notices = Notices.of(variables)
        assert variables == {"HOME": "/"}
        notices.workers_serve(1, 1)
        assert manager.hear() == ["READY=1\nSTATUS=1 worker serving"], "the watchdog is that of another process"


def test_a_service_without_workers_is_not_alive(tmp_path: Path) -> None:
    """So the manager restarts a service whose workers can't start."""
    with managing(str(tmp_path / "notify")) as manager:
        notices = Notices(manager.address, watchdog_seconds=0.001)
        notices.workers_serve(0, 2)
        assert manager.hear() == []
        notices.workers_serve(1, 2)
        assert manager.hear() == ["WATCHDOG=1"], "it is alive, and not ready"


@pytest.mark.parametrize("address", ["/nowhere/notify", "\0", "x" * 200])
def test_a_manager_that_is_gone_stops_nothing(address: str, caplog: pytest.LogCaptureFixture) -> None:
    Notices(address).workers_serve(1, 1)
    assert "the service manager was not told `READY=1`" in caplog.text


def test_without_a_manager_the_master_polls_as_it_always_did() -> None:
    notices = Notices.of({})
    notices.workers_serve(1, 1)
    assert notices.poll_seconds(1.0) == 1.0
