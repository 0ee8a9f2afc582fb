"""A load that never sleeps, on a core of its own: `busy_load.c`, or `python_load` where that can't be compiled.

A client that sleeps makes the server pay for waking it.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from tests.bench.http import python_load
from tests.bench.http.load import Failed, Figures
from tests.bench.http.processes import pinned, processor_seconds
from tests.bench.http.service import Call, Running

SOURCE: Final = Path(__file__).with_suffix(".c")
COMPILED, IN_PYTHON = "busy_load.c", "python_load, since a C compiler or the headers of OpenSSL are missing"

_SPARE_SECONDS: Final = 60


@dataclass(frozen=True, slots=True)
class BusyLoad:
    """The load generator: its name for the report, its command line without arguments, and its core."""

    name: str
    line: tuple[str, ...]
    core: int

    @classmethod
    def made(cls, folder: Path, core: int) -> "BusyLoad":
        """Compiles the C source into `folder`, or falls back to Python."""
        compiler, binary = shutil.which("cc"), folder / "busy_load"
        if compiler is not None:
            line = [compiler, "-O2", "-D_GNU_SOURCE", "-o", str(binary), str(SOURCE), "-lssl", "-lcrypto", "-lm"]
            if subprocess.run(line, capture_output=True, timeout=_SPARE_SECONDS).returncode == 0:
                return cls(COMPILED, (str(binary),), core)
        return cls.in_python(core)

    @classmethod
    def in_python(cls, core: int) -> "BusyLoad":
        """Returns the fallback."""
        return cls(IN_PYTHON, (sys.executable, "-m", python_load.__name__), core)

    def run(self, running: Running, requests: Path, connections: int, seconds: float, rate: float = 0.0) -> Figures:
        """Sends the requests of a file again and again.

        Without a `rate`, each connection has one request under way. With one, so many requests become due in a second,
        and a latency counts from then. Raises Failed.
        """
        place = urlsplit(running.url)
        asked = [place.port, connections, seconds, rate, int(place.scheme == "https"), requests]
        line = pinned([*self.line, *map(str, asked)], [self.core])
        said, spent = _asked(line, running.pid, seconds + _SPARE_SECONDS)
        if said["failed"] or not said["answered"]:
            raise Failed(f"{said['failed']} of {said['answered']} answers of {running.url} are no 200")
        return Figures(
            rate=said["requests"] / said["seconds"],
            processor=spent / said["answered"] * 1e6,
            p50=said["p50"],
            p99=said["p99"],
            p999=said["p999"],
            answered=said["answered"],
            lost=said["lost"],
        )


def _asked(line: Sequence[str], server: int, seconds: float) -> tuple[dict[str, Any], float]:
    """Returns the figures of a generator, and the server's processor seconds without those for new connections."""
    pipe = subprocess.PIPE
    with subprocess.Popen(line, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            ready = process.stdout.readline()
            before = processor_seconds(server)
            if ready:
                process.stdin.write("\n")
                process.stdin.flush()
            figures = process.stdout.readline()
            spent = processor_seconds(server) - before
            _, errors = process.communicate(timeout=seconds)
        finally:
            process.kill()
    if not figures:
        raise Failed(f"the load generator failed: {errors.strip()}")
    said = json.loads(figures)
    assert isinstance(said, dict)
    return said, spent


def post(call: Call, headers: Mapping[str, str]) -> bytes:
    """Returns the bytes of a POST as a client library sends it."""
    body = json.dumps(call.body, separators=(",", ":")).encode()
    fields = {
        "Host": "127.0.0.1",
        "Accept": "*/*",
        "User-Agent": "bench",
        "Content-Type": "application/json",
        **headers,
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"POST {call.path} HTTP/1.1\r\n{lines}Content-Length: {len(body)}\r\n\r\n".encode() + body


def write_requests(requests: Sequence[bytes], file: Path) -> Path:
    """Writes requests, each behind its length, as the generators want them."""
    file.write_bytes(b"".join(b"%d\n%b" % (len(one), one) for one in requests))
    return file
