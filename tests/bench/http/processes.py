"""Processes on cores of their own, with the processor time and the memory that they take."""

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.support.processes import children
from tests.support.waiting import wait_until

_TICKS = os.sysconf("SC_CLK_TCK")


class NotStarted(Exception):
    """A service did not start; the message says why."""


def pinned(line: Sequence[str], cores: Sequence[int]) -> list[str]:
    """Returns a command line that runs on `cores` only."""
    return ["taskset", "--cpu-list", ",".join(map(str, cores)), *line]


@contextmanager
def running(line: Sequence[str], log: Path, health: str, headers: Mapping[str, str]) -> Iterator[int]:
    """Runs a service until the block ends, and yields its process id once `health` answers 200.

    Raises:
        NotStarted: it ended, or did not answer in time.
    """
    with log.open("wb") as output, subprocess.Popen(line, stdout=output, stderr=output) as process:
        try:
            _wait(lambda: _is_healthy(health, headers), process, log)
            yield process.pid
        finally:
            process.kill()


def _wait(ready: Callable[[], bool], process: subprocess.Popen[bytes], log: Path) -> None:
    if not wait_until(lambda: process.poll() is not None or ready()) or process.poll() is not None:
        raise NotStarted(f"a service did not start: {log.read_text()[-500:]}")


def _is_healthy(url: str, headers: Mapping[str, str]) -> bool:
    try:
        return httpx.get(url, headers=headers, timeout=5, verify=False).status_code == httpx.codes.OK
    except httpx.TransportError:
        return False


def family(pid: int) -> list[int]:
    """Returns the ids of a process and all its descendants."""
    found = [pid]
    for one in found:
        found += children(one)
    return found


def processor_seconds(pid: int) -> float:
    """Returns the processor time that a process and its descendants have taken, the system's share included."""
    return sum(map(_own_seconds, family(pid)))


def _own_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory of processes in bytes: what is in RAM, and their proportional share of it (`Rss`, `Pss`)."""

    resident: int
    proportional: int


def memory(pid: int) -> Memory:
    """Returns the memory of a process and its descendants together."""
    texts = [Path(f"/proc/{one}/smaps_rollup").read_text() for one in family(pid)]
    return Memory(*(sum(_kibibytes(text, name) for text in texts) * 1_024 for name in ("Rss", "Pss")))


def _kibibytes(text: str, name: str) -> int:
    return int(text.partition(f"\n{name}:")[2].split()[0])


def resident_bytes(pid: int) -> int:
    """Returns the memory of one process that is in RAM."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
