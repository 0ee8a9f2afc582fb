"""Machines whose clocks a test sets: a library of C, preloaded into a server's processes, reads them from a file.

`cc` builds the library, else the test is skipped.
"""

import json
import mmap
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

SOURCE: Final = Path(__file__).with_suffix(".c")
SECOND: Final = 10**9
_NUMBERS: Final = 5
_PERCENT, _BASE, _BEHIND, _STOPS, _INSTANT = range(_NUMBERS)
_PROBE: Final = """
import json, time
print(json.dumps([time.clock_gettime_ns(time.CLOCK_BOOTTIME), time.monotonic_ns()]))
"""


class Machine:
    """The place of one server, whose CLOCK_BOOTTIME runs by `percent` faster than the real one."""

    address: Final = "127.0.0.1"

    def __init__(self, library: Path, file: Path, percent: int = 0) -> None:
        """`file` is new."""
        self._library, self._file = library, file
        file.write_bytes(bytes(8 * _NUMBERS))
        with file.open("r+b") as opened:
            self._set = memoryview(mmap.mmap(opened.fileno(), 0)).cast("q")
        self._set[_BASE] = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        self._set[_PERCENT] = percent

    def within(self, line: Sequence[str]) -> list[str]:
        """Returns the command line that runs `line` here."""
        return ["env", f"LD_PRELOAD={self._library}", f"CLOCKS_OF_TESTS={self._file}", *line]

    def stand_at(self, nanoseconds: int) -> None:
        """Let CLOCK_REALTIME stand still at an instant."""
        self._set[_INSTANT] = nanoseconds

    def suspended(self, seconds: float) -> None:
        """CLOCK_MONOTONIC has stood still for so long, and CLOCK_BOOTTIME has not."""
        self._set[_BEHIND] += round(seconds * SECOND)

    def stop_after_look(self, process: int) -> None:
        """Let a process stop right after its next look at CLOCK_BOOTTIME."""
        self._set[_STOPS] = process

    def clocks(self) -> tuple[int, int]:
        """Returns what Python reads here: the nanoseconds of CLOCK_BOOTTIME and of CLOCK_MONOTONIC."""
        done = subprocess.run(self.within([sys.executable, "-c", _PROBE]), check=True, capture_output=True)
        boot, monotonic = json.loads(done.stdout)
        return boot, monotonic


def library(folder: Path) -> Path:
    """Returns the library, built into a folder."""
    cc, built = shutil.which("cc"), folder / "clocks.so"
    if cc is None:
        pytest.skip("there is no C compiler: apt-get install gcc, for `cc`")
    line = [cc, "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", str(built), str(SOURCE), "-ldl"]
    subprocess.run(line, check=True, capture_output=True)
    return built
