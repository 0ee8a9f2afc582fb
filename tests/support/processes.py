"""Reads the state of a running process (Linux: `/proc`)."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

_ESTABLISHED: Final = "01"


def children(process: int) -> list[int]:
    """The processes that `process` started and that still run, but for the template process of jobs."""
    return [int(child) for child in _listed(process) if not _is_template(child)]


def templates(process: int) -> list[int]:
    """The template processes of jobs that `process` started and that still run."""
    return [int(child) for child in _listed(process) if _is_template(child)]


def _listed(process: int) -> list[str]:
    """The processes that any thread of `process` started: a program in Go starts them from whichever it likes."""
    found: list[str] = []
    for one in sorted(Path(f"/proc/{process}/task").iterdir()):
        with suppress(FileNotFoundError, ProcessLookupError):  # the thread ended since it was listed
            found += (one / "children").read_text().split()
    return found


def _is_template(process: str) -> bool:
    try:
        return b"engines.jobs.template" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:  # it ended just now
        return False


def connections(process: int, port: int) -> int:
    """Returns the number of clients that are connected to `process` at the local `port`, over IPv4."""
    rows = [line.split() for line in Path(f"/proc/{process}/net/tcp").read_text().splitlines()[1:]]
    sockets = {f"socket:[{row[9]}]" for row in rows if row[3] == _ESTABLISHED and row[1].endswith(f":{port:04X}")}
    return sum(_target(handle) in sockets for handle in Path(f"/proc/{process}/fd").iterdir())


def has_read(port: int, client: int) -> bool:
    """Returns whether the server at the local `port` has taken all that the client at the port `client` sent."""
    ends = f":{port:04X}", f":{client:04X}"
    rows = [line.split() for kind in ("tcp", "tcp6") for line in Path(f"/proc/net/{kind}").read_text().splitlines()[1:]]
    unread = [row[4].partition(":")[2] for row in rows if row[1].endswith(ends[0]) and row[2].endswith(ends[1])]
    return not any(int(bytes_, 16) for bytes_ in unread)


def is_waited_for(lock: Path) -> bool:
    """Returns whether a process waits for the lock on a file that another one holds."""
    node = f":{lock.stat().st_ino} "
    return any("->" in line and node in line for line in Path("/proc/locks").read_text().splitlines())


def _target(handle: Path) -> str:
    with suppress(FileNotFoundError):  # closed since it was listed
        return os.readlink(handle)
    return ""


def is_alive(process: int) -> bool:
    """Returns whether a process runs. One that ended and waits to be reaped does not."""
    return _state(process) not in ("Z", "")


def is_stopped(process: int) -> bool:
    """Returns whether a signal has stopped a process."""
    return _state(process) == "T"


def _state(process: int) -> str:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""
