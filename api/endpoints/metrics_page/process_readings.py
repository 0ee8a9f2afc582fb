"""Reads the processes of a server from `/proc`: some small files for each answer with metrics, none for a decision.

Where there is no `/proc`, the metrics of processes are missing.
"""

import os
import resource
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from ...telemetry.metrics.machine_metrics import (
    PROCESS_CPU,
    PROCESS_MAX_FDS,
    PROCESS_MEMORY,
    PROCESS_OPEN_FDS,
    PROCESS_START,
)
from ...telemetry.metrics.metric import Metric, Series

ATTEMPTS: Final = 3
"""The readings until no worker has ended meanwhile. Its time would be counted twice, or not."""

_PROC: Final = Path("/proc")
_UTIME, _STIME, _CUTIME, _CSTIME, _START, _RSS = 11, 12, 13, 14, 19, 21
"""The places of fields in `/proc/PID/stat` after the name of the program (proc_pid_stat(5))."""


class _Process(NamedTuple):
    """A process. `own` and `ended` are the processor time of it and of its children that have ended, in clock ticks."""

    own: int
    ended: int
    start: int
    pages: int
    files: int


class ProcessReadings:
    """Reads the master and the workers. It is made in the master, before the workers are forked."""

    def __init__(self) -> None:
        self._master = os.getpid()
        self._started = _started(_process(self._master))

    def read(self, workers: Iterable[int]) -> dict[Metric, dict[Series, float]]:
        """Returns the metrics of the master and of the workers with these ids."""
        found = self._processes([one for one in workers if one != self._master])
        if not found:
            return {}
        ticks, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
        read: dict[Metric, dict[Series, float]] = {
            PROCESS_CPU: {(): sum(one.own + one.ended for one in found) / ticks},
            PROCESS_MEMORY: {(): sum(one.pages for one in found) * page},
            PROCESS_OPEN_FDS: {(): max(one.files for one in found)},
        }
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]  # the workers have the same
        if limit != resource.RLIM_INFINITY:
            read[PROCESS_MAX_FDS] = {(): limit}
        if self._started is not None:
            read[PROCESS_START] = {(): self._started}
        return read

    def _processes(self, workers: list[int]) -> list[_Process]:
        """Returns the processes that can be read. The master has the time of workers that ended."""
        master = _process(self._master)
        for _ in range(ATTEMPTS):
            found = [one for one in map(_process, workers) if one is not None]
            before, master = master, _process(self._master)
            if master is None or before is None or master.ended == before.ended:
                break
        return [*found, *(() if master is None else (master,))]


def _process(id: int) -> _Process | None:
    """Returns a process, or None if it can't be read, since it has ended."""
    try:
        fields = (_PROC / str(id) / "stat").read_bytes().rpartition(b")")[2].split()
        files = len(os.listdir(_PROC / str(id) / "fd"))
        own, ended = int(fields[_UTIME]) + int(fields[_STIME]), int(fields[_CUTIME]) + int(fields[_CSTIME])
        return _Process(own, ended, int(fields[_START]), int(fields[_RSS]), files)
    except (OSError, ValueError, IndexError):
        return None


def _started(master: _Process | None) -> float | None:
    """Returns when the master started (epoch seconds), or None if that is not known.

    It is computed once: each time, it would differ by the milliseconds by which the clock is corrected. The file
    `/proc/stat` has the start of the machine, but a service under systemd may not read it.
    """
    if master is None:
        return None
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - master.start / os.sysconf("SC_CLK_TCK")
    return time.time() - age
