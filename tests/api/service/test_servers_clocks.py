"""Several services on one PostgreSQL, on machines whose clocks are wrong or that are suspended."""

import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.clocks import SECOND, Machine, library
from tests.support.history_clients import Histories
from tests.support.processes import children, is_stopped
from tests.support.server import KEY, Server
from tests.support.servers_together import (
    LEASE,
    PAUSE,
    Record,
    assert_sound,
    decision,
    keeper,
    outlast,
    record,
    shows_something,
    tell,
    together,
)
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.service, pytest.mark.timeout(300)]  # several new programs start: a busy machine takes long

PERCENT = 5
"""By so much, a clock is wrong."""

ROUNDS = 2
"""The number of times that a fault happens."""


@contextmanager
def clients(faulty: Server, others: Sequence[Server]) -> Iterator[Histories]:
    """Clients that write at the others, and read at all services, and most at the faulty one."""
    histories, urls = Histories(KEY, pause=PAUSE), [one.url for one in others]
    histories.begin(urls[0])
    with histories.going_on(urls, [*urls, *[faulty.url] * 3]):
        yield histories
        assert wait_until(lambda: shows_something(histories.operations))


def test_python_reads_the_clocks_that_a_test_sets(tmp_path: Path) -> None:
    """The other tests here show nothing without it."""
    fast, asleep = (Machine(library(tmp_path), tmp_path / name, percent) for name, percent in (("a", 100), ("b", 0)))
    began, real = time.clock_gettime_ns(time.CLOCK_BOOTTIME), time.monotonic_ns()
    assert wait_until(lambda: time.monotonic_ns() >= real + SECOND // 10)
    asleep.suspended(3600)
    assert fast.clocks()[0] >= began + SECOND // 5
    assert asleep.clocks()[1] < real
    assert asleep.clocks()[0] > began


def test_clocks_that_run_fast_and_slow_by_5_percent(record_property: Record, database: str, tmp_path: Path) -> None:
    """A service with a slow clock uses its lease for longest. Meanwhile one with a fast clock writes.

    The keeper of the first one stands still, so that its service goes on to the end of the lease, and each write waits
    for that end.
    """
    built = library(tmp_path)
    with together(database, tmp_path, 0) as services:
        machines = [Machine(built, tmp_path / f"clocks{percent}", percent) for percent in (-PERCENT, PERCENT)]
        slow, *others = [*(services.start(place=one) for one in machines), services.start()]
        with clients(slow, others) as histories:
            for _ in range(ROUNDS):
                process = keeper(slow)
                os.kill(process, signal.SIGSTOP)
                assert wait_until(lambda: decision(slow) == 500)
                outlast(1)
                os.kill(process, signal.SIGCONT)
                assert wait_until(lambda: decision(slow) == 200)
    record(record_property, histories, "clocks that run 5 % fast and 5 % slow, a keeper stops")
    assert_sound(histories.operations)


def test_a_machine_is_suspended_between_a_look_at_the_lease_and_the_answer(
    record_property: Record, database: str, tmp_path: Path
) -> None:
    """One worker stops right after its look, and all processes with it, for two leases.

    Only CLOCK_BOOTTIME goes on meanwhile. The late answer may be from before, since its request is. No later one is.
    """
    machine = Machine(library(tmp_path), tmp_path / "clocks")
    with together(database, tmp_path, 0) as services:
        suspended, *others = [services.start(place=machine), services.start(), services.start()]
        with clients(suspended, others) as histories:
            for _ in range(ROUNDS):
                outlast(0.5)
                worker = next(one for one in children(suspended.process.pid) if one != keeper(suspended))
                machine.stop_after_look(worker)
                assert wait_until(lambda worker=worker: is_stopped(worker))
                tell(suspended, signal.SIGSTOP)
                outlast(2)
                machine.suspended(2 * LEASE)
                tell(suspended, signal.SIGCONT)
                assert wait_until(lambda: decision(suspended) == 200)
    record(record_property, histories, "a suspended machine")
    assert_sound(histories.operations)
