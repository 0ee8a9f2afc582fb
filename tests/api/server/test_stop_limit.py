"""A stop ends within its limit: workers that stand still are killed, and last the master ends itself.

The limit counts in the master, by its own clock. So the exit code and the lines of the log tell whether it was kept.
`test_long_work` gives requests up.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.processes import children
from tests.support.server import environment, running
from tests.support.waiting import PATIENCE_SECONDS, wait_until

pytestmark = pytest.mark.service

SHORTEST = 10
"""The lowest limit that the setting takes."""

OVER = "what the service does last is given up"
STANDING_STILL = """
import socket, threading
from writ.api.server.server import Service, run
from writ.api.server.supervision.part import Part
from writ.api.settings.settings import HttpLimits

listener = socket.create_server(("127.0.0.1", 0))
still = Part(end_service=threading.Event().wait)
run(Service(app=None, listener=listener, limits=HttpLimits(), workers=1, log_level="info", parts=[still],
            stop_seconds=3))
"""


def test_a_worker_that_does_not_end_is_killed_within_the_limit(tmp_path: Path) -> None:
    with running(tmp_path / "data", settings={"WRIT_STOP_SECONDS": str(SHORTEST)}) as server:
        (worker,) = children(server.process.pid)
        os.kill(worker, signal.SIGSTOP)
        assert server.stop() == 0
        assert f"killed the workers that did not end in time: {worker}" in server.log
        assert OVER not in server.log


def test_the_master_ends_itself_at_the_limit(tmp_path: Path) -> None:
    """So it does if what it does last stands still, such as a store that does not answer."""
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen([sys.executable, "-c", STANDING_STILL], stderr=log, env=environment())
    try:
        assert wait_until(lambda: "Booting worker" in (tmp_path / "log").read_text()) is True
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_SECONDS) == 1
    finally:
        process.kill()
    assert f"the stop took 3 seconds; {OVER}" in (tmp_path / "log").read_text()
