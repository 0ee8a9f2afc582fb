"""Measures the management API of a real service: writes a second, and decisions beside listings and exports.

`python -m tests.bench.management [--grants N] [--seconds S]`
"""

import argparse
import http.client
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import quantiles
from typing import Final

from tests.support.server import KEY, ROOT, Server, running

TYPES = [{"id": "document", "actions": ["read", "update"]}]
ENVIRONMENT = "/v1/environments/default"
QUESTION = {
    "subject": {"type": "user", "id": "u1"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1"},
}


class Client:
    """One connection of an administrator."""

    def __init__(self, host: str, port: int) -> None:
        self._connection = http.client.HTTPConnection(host, port)
        self._headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}

    def ask(self, method: str, path: str, body: object = None) -> bytes:
        """The body of an answer that is no error."""
        text = None if body is None else json.dumps(body)
        self._connection.request(method, path, text, self._headers)
        answer = self._connection.getresponse()
        content = answer.read()
        assert answer.status < 400, (answer.status, content)
        return content


def grant(name: str, number: int) -> dict[str, object]:
    """A direct grant, one subject's own."""
    return {
        "id": f"{name}-{number}",
        "subject": {"type": "user", "id": f"u{number}"},
        "resource": {"type": "document", "id": f"d{number}"},
        "actions": ["read"],
    }


def writes_a_second(server: Server, connections: int, seconds: float) -> float:
    """Single grants that are created over some connections at once."""
    counts = [0] * connections
    end = time.monotonic() + seconds

    def create(number: int) -> None:
        client = Client(server.host, server.port)
        name = f"{time.monotonic_ns()}-{number}"
        while time.monotonic() < end:
            client.ask("POST", f"{ENVIRONMENT}/grants", grant(name, counts[number]))
            counts[number] += 1

    threads = [threading.Thread(target=create, args=(number,)) for number in range(connections)]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.monotonic() - started)


def decisions_beside(server: Server, work: str | None, seconds: float) -> tuple[float, float]:
    """The median and the 99th percentile of decisions, in ms, while a process does `work` over and over."""
    other = None
    if work is not None:
        line = [sys.executable, "-m", "tests.bench.management", "--work", work, server.host, str(server.port)]
        other = subprocess.Popen(line, cwd=ROOT)
        time.sleep(1)
    times = list(_decisions(server, seconds))
    if other is not None:
        other.kill()
        other.wait()
    marks = quantiles(times, n=100)
    return marks[49] * 1e3, marks[98] * 1e3


def _decisions(server: Server, seconds: float) -> Iterator[float]:
    client = Client(server.host, server.port)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        started = time.perf_counter()
        client.ask("POST", "/access/v1/evaluation", QUESTION)
        yield time.perf_counter() - started


def list_all(client: Client) -> None:
    """Page through all grants."""
    cursor: str | None = ""
    while cursor is not None:
        behind = f"&cursor={cursor}" if cursor else ""
        page = client.ask("GET", f"{ENVIRONMENT}/grants?limit=1000{behind}")
        # Only the end is parsed, or the client would want a processor for itself.
        cursor = json.loads(b'{"next_cursor":' + page.rpartition(b'"next_cursor":')[2])["next_cursor"]


def export(client: Client) -> None:
    """Read the whole model."""
    client.ask("GET", f"{ENVIRONMENT}/model")


WORK: Final[Mapping[str, Callable[[Client], None]]] = {"listing": list_all, "export": export}


def work_on(name: str, host: str, port: int) -> None:
    """Do some work over and over, until killed."""
    client = Client(host, port)
    while True:
        WORK[name](client)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--grants", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--work", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work_on(options.work[0], options.work[1], int(options.work[2]))
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "data") as server:
        client = Client(server.host, server.port)
        model = {"model": 1, "resource_types": TYPES, "grants": [grant("g", n) for n in range(options.grants)]}
        started = time.monotonic()
        client.ask("PUT", f"{ENVIRONMENT}/model", model)
        print(f"PUT model with {options.grants} grants: {time.monotonic() - started:.1f} s")
        for connections in (1, 4, 16):
            rate = writes_a_second(server, connections, options.seconds)
            print(f"POST of single grants, {connections} connections: {rate:.0f} a second")
        for work in (None, *WORK):
            median, p99 = decisions_beside(server, work, options.seconds)
            print(f"decisions beside {work or 'nothing'}: median {median:.2f} ms, p99 {p99:.2f} ms")


if __name__ == "__main__":
    main()
