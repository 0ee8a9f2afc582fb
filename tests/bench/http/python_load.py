"""The load generator of `busy_load.c` in Python, for machines that can't compile it: the same arguments and figures.

It asks about 15,000 times a second at most, so a fast server waits for it: the processor time of a request then has
more of the event loop in it, and its latencies are partly the client's.
"""

import json
import random
import socket
import ssl
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

PATIENCE_SECONDS: Final = 10.0
PIECE: Final = 262_144

_NOTHING_YET: Final = (BlockingIOError, ssl.SSLWantReadError)


@dataclass(slots=True)
class Connection:
    """A connection with at most one request under way, which was due at `due`."""

    socket: socket.socket
    due: float = 0.0
    received: bytes = b""
    is_busy: bool = False
    is_lost: bool = False

    def ask(self, request: bytes, due: float) -> None:
        """Send a request. A server that takes nothing for some seconds has closed the connection."""
        self.due, self.received, self.is_busy = due, b"", True
        try:
            self.socket.settimeout(PATIENCE_SECONDS)
            self.socket.sendall(request)
            self.socket.setblocking(False)
        except OSError:
            self.lose()

    def status(self) -> int:
        """Takes what came. Returns the status of a complete answer, or 0."""
        try:
            piece = self.socket.recv(PIECE)
        except _NOTHING_YET:
            return 0
        except OSError:
            piece = b""
        if not piece:
            self.lose()
            return 0
        self.received += piece
        head, end, body = self.received.partition(b"\r\n\r\n")
        if not end or not _is_whole(head.lower(), body):
            return 0
        self.is_busy = False
        return int(head[9:12])

    def lose(self) -> None:
        """Use it no more."""
        self.is_busy, self.is_lost = False, True


def _is_whole(head: bytes, body: bytes) -> bool:
    if b"\r\ntransfer-encoding: chunked" in head:
        return body.endswith(b"\r\n0\r\n\r\n")
    return len(body) >= int(head.partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0])


@dataclass(slots=True)
class Load:
    """All connections. With a `rate`, so many requests a second become due; else each follows an answer."""

    connections: Sequence[Connection]
    requests: Sequence[bytes]
    rate: float
    sent: int = 0
    answered: int = 0
    failed: int = 0
    latencies: list[float] = field(default_factory=list)
    _random: random.Random = field(default_factory=lambda: random.Random(1))

    def run(self, seconds: float) -> float:
        """Asks for so many seconds, and returns how many it were."""
        began = at = due = time.perf_counter()
        while at < began + seconds and not all(one.is_lost for one in self.connections):
            for one in self.connections:
                if one.is_busy and self._look(one):
                    self.latencies.append((time.perf_counter() - one.due) * 1e6)
                at = time.perf_counter()
                if not (one.is_busy or one.is_lost) and due <= at:
                    one.ask(self.requests[self.sent % len(self.requests)], due if self.rate else at)
                    self.sent += 1
                    due += self._random.expovariate(self.rate) if self.rate else 0.0
        return at - began

    def finish(self) -> None:
        """Wait for the last answers. A connection that has none after some seconds is lost."""
        end = time.perf_counter() + PATIENCE_SECONDS
        while time.perf_counter() < end and (busy := [one for one in self.connections if one.is_busy]):
            for one in busy:
                self._look(one)
        for one in self.connections:
            if one.is_busy:
                one.lose()

    def _look(self, one: Connection) -> bool:
        status = one.status()
        self.answered += status > 0
        self.failed += status not in (0, 200)
        return status > 0

    def figures(self, seconds: float) -> dict[str, float]:
        """Returns the figures, after `finish`."""
        times = sorted(self.latencies) or [0.0]
        marks = {name: times[min(len(times) - 1, int(share * len(times)))] for name, share in _SHARES.items()}
        lost = sum(one.is_lost for one in self.connections)
        counts = {"answered": self.answered, "failed": self.failed, "lost": lost}
        return {"requests": len(self.latencies), "seconds": seconds, **counts, **marks}


_SHARES: Final = {"p50": 0.5, "p99": 0.99, "p999": 0.999}


def read_requests(file: Path) -> Iterator[bytes]:
    """Yields the requests of a file, each of which is behind its length in decimal and a line end."""
    data, at = file.read_bytes(), 0
    while at < len(data):
        end = data.index(b"\n", at)
        at = end + 1 + int(data[at:end])
        yield data[end + 1 : at]


def main(port: str, connections: str, seconds: str, rate: str, secure: str, file: str) -> None:
    """Does what `busy_load.c` does, and prints the same two lines."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    opened = [_connected(int(port), context if int(secure) else None) for _ in range(int(connections))]
    load = Load(opened, list(read_requests(Path(file))), float(rate))
    print("ready", flush=True)
    sys.stdin.readline()
    taken = load.run(float(seconds))
    load.finish()
    print(json.dumps(load.figures(taken)), flush=True)
    sys.stdin.read()


def _connected(port: int, context: ssl.SSLContext | None) -> Connection:
    plain = socket.create_connection(("127.0.0.1", port))
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    one = plain if context is None else context.wrap_socket(plain)
    one.setblocking(False)
    return Connection(one)


if __name__ == "__main__":
    main(*sys.argv[1:])
