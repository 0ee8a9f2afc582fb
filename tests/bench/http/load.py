"""The load: wrk on a core of its own, and what it costs the server."""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Self

from tests.bench.http.processes import pinned, processor_seconds
from tests.bench.http.service import Call, Running

SCRIPT = Path(__file__).with_name("wrk.lua")
_SPARE_SECONDS = 60


class Failed(Exception):
    """Some requests were not answered by a 200; the message says which."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How often every row has its turn, and for how long."""

    rounds: int
    seconds: int


@dataclass(frozen=True, slots=True)
class Figures:
    """Requests in a second, the server's processor time for one and the latencies, these three in microseconds."""

    rate: float
    processor: float
    p50: float
    p99: float

    @property
    def spread(self) -> float:
        """How many times as long the slowest hundredth waits as the middle."""
        return self.p99 / self.p50

    @classmethod
    def middle(cls, turns: Sequence[Self]) -> Self:
        """Returns the median of each figure."""
        return cls(*(median(getattr(turn, name) for turn in turns) for name in cls.__dataclass_fields__))


def write_bodies(calls: Sequence[Call], file: Path) -> Path:
    """Writes one body a line, as the script wants them."""
    file.write_text("".join(f"{json.dumps(call.body, separators=(',', ':'))}\n" for call in calls))
    return file


@dataclass(frozen=True, slots=True)
class Wrk:
    """wrk, on a core of its own."""

    binary: str
    core: int

    def run(self, running: Running, path: str, bodies: Path, connections: int, seconds: int) -> Figures:
        """Asks the questions in `bodies` again and again. Raises Failed."""
        line = [self.binary, "--threads", "1", "--connections", str(connections), "--duration", f"{seconds}s"]
        line += ["--script", str(SCRIPT), "--timeout", "10s", "--header", "Content-Type: application/json"]
        for name, value in running.headers.items():
            line += ["--header", f"{name}: {value}"]
        line += [running.url + path, "--", str(bodies)]
        before = processor_seconds(running.pid)
        done = subprocess.run(
            pinned(line, [self.core]), capture_output=True, text=True, timeout=seconds + _SPARE_SECONDS, check=True
        )
        spent = processor_seconds(running.pid) - before
        said = json.loads(done.stdout.splitlines()[-1])
        if said["failed"] or not said["requests"]:
            raise Failed(f"{said['failed']} of {said['requests']} requests to {running.url}{path} failed")
        requests = said["requests"]
        return Figures(requests / said["seconds"], spent / requests * 1e6, said["p50"], said["p99"])
