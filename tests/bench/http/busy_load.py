"""A load that never sleeps, on a core of its own: `busy_load.c` where there is a C compiler, else the same in Python.

A client that sleeps makes the server pay for waking it. The fallback asks about a tenth as often, so a server waits
for it; its processor time a request then has more of the event loop in it.
"""

import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tests.bench.http.load import Failed, Figures
from tests.bench.http.processes import pinned, processor_seconds
from tests.bench.http.service import Call, Running

SOURCE = Path(__file__).with_suffix(".c")
_SPARE_SECONDS = 60


@dataclass(frozen=True, slots=True)
class BusyLoad:
    """The load generator: its command line without arguments, and its core."""

    line: tuple[str, ...]
    core: int

    @classmethod
    def made(cls, folder: Path, core: int) -> "BusyLoad":
        """Compiles the C source into `folder`, or falls back to this module."""
        compiler, binary = shutil.which("cc"), folder / "busy_load"
        if compiler is None:
            return cls((sys.executable, "-m", __name__), core)
        subprocess.run([compiler, "-O2", "-D_GNU_SOURCE", "-o", binary, SOURCE], check=True, timeout=_SPARE_SECONDS)
        return cls((str(binary),), core)

    def run(self, running: Running, requests: Path, connections: int, seconds: float) -> Figures:
        """Sends the requests of a file again and again. Raises Failed."""
        port = urlsplit(running.url).port
        line = pinned([*self.line, str(port), str(connections), str(seconds), str(requests)], [self.core])
        before = processor_seconds(running.pid)
        done = subprocess.run(line, capture_output=True, text=True, timeout=seconds + _SPARE_SECONDS)
        spent = processor_seconds(running.pid) - before
        said = json.loads(done.stdout or '{"requests": 0, "failed": 0}')
        if said["failed"] or not said["requests"]:
            raise Failed(f"{said['failed']} of {said['requests']} requests to {running.url} failed: {done.stderr}")
        return Figures(said["requests"] / said["seconds"], spent / said["requests"] * 1e6, said["p50"], said["p99"])


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


def _read_requests(file: Path) -> Iterator[bytes]:
    data, at = file.read_bytes(), 0
    while at < len(data):
        end = data.index(b"\n", at)
        at = end + 1 + int(data[at:end])
        yield data[end + 1 : at]


def main(port: str, connections: str, seconds: str, file: str) -> None:
    """Does what `busy_load.c` does, and prints the same figures."""
    requests, number, times, failed = list(_read_requests(Path(file))), 0, [], 0
    sockets = [socket.create_connection(("127.0.0.1", int(port))) for _ in range(int(connections))]
    began = time.perf_counter()
    while time.perf_counter() < began + float(seconds):
        for one in sockets:
            asked = time.perf_counter()
            one.sendall(requests[number % len(requests)])
            failed += not _answer(one).startswith(b"HTTP/1.1 200")
            number += 1
            times.append((time.perf_counter() - asked) * 1e6)
    times.sort()
    figures = {"requests": number, "seconds": time.perf_counter() - began, "failed": failed}
    print(json.dumps(figures | {"p50": times[number // 2], "p99": times[number * 99 // 100]}))


def _answer(one: socket.socket) -> bytes:
    """Returns an answer, which is waited for without sleeping."""
    data, one_by_one = b"", socket.MSG_DONTWAIT
    while True:
        try:
            data += one.recv(262_144, one_by_one)
        except BlockingIOError:
            continue
        head, end, body = data.partition(b"\r\n\r\n")
        if end and len(body) >= int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]):
            return data


if __name__ == "__main__":
    main(*sys.argv[1:])
