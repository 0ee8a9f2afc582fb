"""Reads the state of a running process (Linux: `/proc`)."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

_ESTABLISHED: Final = "01"


def children(process: int) -> list[int]:
    """The processes that `process` started and that still run."""
    listed = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(child) for child in listed.split()]


def connections(process: int, port: int) -> int:
    """How many clients are connected to `process` at the local `port`, over IPv4."""
    rows = [line.split() for line in Path(f"/proc/{process}/net/tcp").read_text().splitlines()[1:]]
    sockets = {f"socket:[{row[9]}]" for row in rows if row[3] == _ESTABLISHED and row[1].endswith(f":{port:04X}")}
    return sum(_target(handle) in sockets for handle in Path(f"/proc/{process}/fd").iterdir())


def _target(handle: Path) -> str:
    with suppress(FileNotFoundError):  # closed since it was listed
        return os.readlink(handle)
    return ""
