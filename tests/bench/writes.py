"""Measures single writes over HTTP: `python -m tests.bench.writes [--before FOLDER] [--seconds S] [--rounds N]`.

One worker on one core creates direct grants, each a request and a revision of its own. The client has another core.
FOLDER is another checkout of Writ, such as one of an earlier commit. Both services then run side by side, and take
turns in each round, so that a noisy machine is noisy to both.
"""

import argparse
import json
import os
import selectors
import socket
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import httpx

from tests.support.processes import children
from tests.support.server import KEY, ROOT, Server, running

CONNECTIONS = (1, 8, 32)
SERVER_CORE, CLIENT_CORE = 0, 1
PATH = "/v1/environments/default"
GRANTS = 1_000
"""The grants that the model has at first."""

PROBES = 200
_HEAD_END = b"\r\n\r\n"
_CREATED = b"HTTP/1.1 201"


@dataclass(slots=True)
class Row:
    """The figures of one service at one number of connections: writes a second, and milliseconds of processor time."""

    rates: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)


class Writers:
    """Connections to services of one store. Each has one write at a time on its way.

    The writes go to the environments of some paths, one after the other.
    """

    def __init__(self, servers: Sequence[Server], count: int, paths: Sequence[str] = (PATH,)) -> None:
        places = [(one.host, one.port) for one in servers]
        self._sockets = [socket.create_connection(places[number % len(places)]) for number in range(count)]
        self._paths = paths
        self._waiting = selectors.DefaultSelector()
        for one in self._sockets:
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._waiting.register(one, selectors.EVENT_READ)
        self._number = time.monotonic_ns()

    def run(self, seconds: float) -> float:
        """Write for so many seconds. Returns the writes a second."""
        started, count = time.monotonic(), 0
        for one in self._sockets:
            self._send(one)
        open_ones = len(self._sockets)
        while open_ones:
            for key, _ in self._waiting.select():
                assert isinstance(key.fileobj, socket.socket)
                _receive(key.fileobj)
                count += 1
                if time.monotonic() - started < seconds:
                    self._send(key.fileobj)
                else:
                    open_ones -= 1
        return count / (time.monotonic() - started)

    def close(self) -> None:
        """Close the connections."""
        self._waiting.close()
        for one in self._sockets:
            one.close()

    def _send(self, to: socket.socket) -> None:
        self._number += 1
        body, path = json.dumps(grant(self._number)).encode(), self._paths[self._number % len(self._paths)]
        head = (
            f"POST {path}/grants HTTP/1.1\r\nHost: writ\r\nAuthorization: Bearer {KEY}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        to.sendall(head.encode() + body)


def _receive(source: socket.socket) -> None:
    answer = source.recv(65_536)
    while _HEAD_END not in answer or len(answer.split(_HEAD_END, 1)[1]) < _length(answer):
        answer += source.recv(65_536)
    assert answer.startswith(_CREATED), answer


def _length(answer: bytes) -> int:
    head = answer.split(_HEAD_END, 1)[0].lower()
    return int(head.split(b"content-length:")[1].split(b"\r\n")[0])


def grant(number: int) -> dict[str, object]:
    """A direct grant, one subject's own."""
    return {
        "id": f"g{number}",
        "subject": {"type": "user", "id": f"u{number}"},
        "resource": {"type": "document", "id": f"d{number}"},
        "actions": ["read"],
    }


def fsync_cost(folder: Path) -> float:
    """Returns the median milliseconds that the disk takes for a small write that must be on it."""
    times = []
    with (folder / "probe").open("wb", buffering=0) as file:
        for _ in range(PROBES):
            started = time.perf_counter()
            file.write(b"x" * 4_096)
            os.fsync(file.fileno())
            times.append(time.perf_counter() - started)
    return median(times) * 1e3


def processor_seconds(pid: int) -> float:
    """Returns the processor time of a service's processes up to now."""
    ticks = 0
    for one in (pid, *children(pid)):
        fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


@contextmanager
def service(folder: Path, checkout: Path) -> Iterator[Server]:
    """A service of a checkout on one core, with a small model."""
    packages = folder / "packages"
    packages.mkdir(parents=True)
    (packages / "writ").symlink_to(checkout)
    with running(folder / "data", path=(packages,)) as server:
        for pid in (server.process.pid, *children(server.process.pid)):
            for thread in Path(f"/proc/{pid}/task").iterdir():
                os.sched_setaffinity(int(thread.name), {SERVER_CORE})
        model = {
            "model": 1,
            "resource_types": [{"id": "document", "actions": ["read"]}],
            "grants": [grant(number) for number in range(GRANTS)],
        }
        with server.client() as client:
            client.put(f"{PATH}/model", json=model).raise_for_status()
        yield server


def measured(servers: Sequence[Server], rounds: int, seconds: float) -> list[dict[int, Row]]:
    """Returns the figures of each service by the number of connections."""
    found = [{count: Row() for count in CONNECTIONS} for _ in servers]
    for number in range(rounds):
        for count in CONNECTIONS:
            for server, rows in list(zip(servers, found, strict=True))[:: 1 if number % 2 else -1]:
                writers = Writers([server], count)
                before = processor_seconds(server.process.pid)
                rate = writers.run(seconds)
                spent = processor_seconds(server.process.pid) - before
                writers.close()
                rows[count].rates.append(rate)
                rows[count].costs.append(spent / (rate * seconds) * 1e3)
    return found


def check(server: Server) -> None:
    """Each answered write was a revision of its own, and each grant is stored."""
    with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {KEY}"}, timeout=60) as client:
        revision = client.get(PATH).json()["revision"]
        grants = len(client.get(f"{PATH}/model").json()["grants"])
        assert grants == GRANTS + revision - 1, (grants, revision)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--folder", type=Path, help="a folder on the disk to measure")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    os.sched_setaffinity(0, {CLIENT_CORE})
    checkouts = [ROOT, *([options.before.resolve()] if options.before else [])]
    with tempfile.TemporaryDirectory(dir=options.folder) as name, ExitStack() as stack:
        folder = Path(name)
        print(f"fsync of 4 KiB: {fsync_cost(folder):.2f} ms")
        servers = [stack.enter_context(service(folder / str(n), one)) for n, one in enumerate(checkouts)]
        found = measured(servers, options.rounds, options.seconds)
        for server in servers:
            check(server)
    print("\n".join(table(found)))


def table(found: Sequence[Mapping[int, Row]]) -> Iterator[str]:
    """Yields the lines of the table. The ratio is the median of the rounds' own ratios."""
    heads = ("this checkout", "before")[: len(found)]
    yield f"{'connections':12}" + "".join(f"{head:>28}" for head in heads) + ("      ratio" if len(found) > 1 else "")
    for count in CONNECTIONS:
        cells = [f"{median(rows[count].rates):8.0f} a second, {median(rows[count].costs):.2f} ms" for rows in found]
        if len(found) > 1:
            pairs = zip(*(rows[count].rates for rows in found), strict=True)
            cells.append(f"{median(this / before for this, before in pairs):.2f}".rjust(11))
        yield f"{count:<12}" + "".join(f"{cell:>28}" for cell in cells[: len(found)]) + "".join(cells[len(found) :])


if __name__ == "__main__":
    main()
