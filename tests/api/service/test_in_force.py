"""Histories of clients of a whole service under faults: no decision is stale, and no confirmed write is lost."""

import os
import random
import signal
import time
from collections.abc import Callable

import pytest

from tests.support.histories import faults
from tests.support.history_clients import Histories
from tests.support.processes import children
from tests.support.server import KEY, Server, running
from tests.support.servers_together import go_on
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

SECONDS = 6.0
MOST_SECONDS = 60.0
"""A busy machine needs longer for the least number of operations."""
LEAST = 50
"""Writes and reads of a run, so that a history without operations shows nothing."""


def nothing(_server: Server, histories: Histories) -> None:
    """No fault: what a fault is compared with."""
    go_on(histories)


def kill(server: Server, histories: Histories) -> None:
    """A worker dies, and the service starts another one."""
    before = children(server.process.pid)
    os.kill(random.choice(before), signal.SIGKILL)
    assert wait_until(lambda: len({*children(server.process.pid)} - {*before}) == 1)
    go_on(histories)


def pause(server: Server, histories: Histories) -> None:
    """A worker stands still, perhaps between its look at the signal of commits and its answer."""
    worker = random.choice(children(server.process.pid))
    os.kill(worker, signal.SIGSTOP)
    time.sleep(0.3)
    os.kill(worker, signal.SIGCONT)
    go_on(histories)


def renew(server: Server, histories: Histories) -> None:
    """New workers take over from the old ones, which answer what they have."""
    before = children(server.process.pid)
    server.process.send_signal(signal.SIGHUP)
    assert wait_until(lambda: not {*before} & {*children(server.process.pid)})
    go_on(histories)


def fewer(histories: Histories) -> int:
    """The number of writes or of reads, whichever is less."""
    writes = sum(one.is_write for one in histories.operations)
    return min(writes, len(histories.operations) - writes)


@pytest.mark.parametrize("fault", [nothing, kill, pause, renew])
def test_the_revision_in_force_is_linearizable(fault: Callable[[Server, Histories], None], tmp_path):
    with running(tmp_path / "data", workers=2) as server:
        histories = Histories(KEY)
        histories.begin(server.url)
        with histories.going_on([server.url] * 2, [server.url] * 3):
            began = time.monotonic()
            while time.monotonic() < began + SECONDS or (
                fewer(histories) <= LEAST and time.monotonic() < began + MOST_SECONDS
            ):
                fault(server, histories)
    assert not faults(histories.operations)
    assert fewer(histories) > LEAST
