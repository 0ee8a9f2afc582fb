"""TLS handshakes: one connection after another, each for one evaluation, with a full handshake or a resumed session."""

import json
import socket
import ssl
import time
from collections.abc import Iterator
from statistics import quantiles
from urllib.parse import urlsplit

from tests.bench.http.load import Failed, Figures
from tests.bench.http.processes import processor_seconds
from tests.bench.http.service import Call, Running

VERSIONS = {"TLS 1.2": ssl.TLSVersion.TLSv1_2, "TLS 1.3": ssl.TLSVersion.TLSv1_3}


class Client:
    """Connects anew for every evaluation, with the session of the connection before if it `resumes`."""

    def __init__(self, running: Running, call: Call, trust: ssl.SSLContext, resumes: bool) -> None:
        parts = urlsplit(running.url)
        self._place, self._trust, self._resumes = (str(parts.hostname), int(parts.port or 0)), trust, resumes
        self._session: ssl.SSLSession | None = None
        body = json.dumps(call.body).encode()
        lines = [f"POST {call.path} HTTP/1.1", "Host: localhost", "Connection: close"]
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in running.headers.items()]
        self._request = "\r\n".join([*lines, "", ""]).encode() + body

    def ask(self) -> bool:
        """Returns whether the server resumed the session. Raises Failed."""
        session = self._session if self._resumes else None
        with (
            socket.create_connection(self._place) as plain,
            self._trust.wrap_socket(plain, server_hostname="localhost", session=session) as connection,
        ):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(self._request)
            answer = b"".join(_pieces(connection))
            self._session = connection.session
            if not answer.startswith(b"HTTP/1.1 200"):
                raise Failed(f"an answer over TLS is {answer[:200]!r}")
            return bool(connection.session_reused)


def measure(running: Running, client: Client, seconds: float) -> Figures:
    """Connects again and again, after a first time that gives the session."""
    client.ask()
    begun, before, times = time.perf_counter(), processor_seconds(running.pid), []
    while time.perf_counter() - begun < seconds:
        started = time.perf_counter()
        client.ask()
        times.append((time.perf_counter() - started) * 1e6)
    spent, wall = processor_seconds(running.pid) - before, time.perf_counter() - begun
    marks = quantiles(times, n=1_000)
    return Figures(len(times) / wall, spent / len(times) * 1e6, marks[499], marks[989], marks[998], len(times))


def resumed_share(running: Running, call: Call, trust: ssl.SSLContext, version: ssl.TLSVersion, count: int) -> float:
    """Returns the share of `count` connections that resume the session of the connection before."""
    trust.minimum_version = trust.maximum_version = version
    client = Client(running, call, trust, resumes=True)
    client.ask()
    return sum(client.ask() for _ in range(count)) / count


def _pieces(connection: ssl.SSLSocket) -> Iterator[bytes]:
    while piece := connection.recv(65_536):
        yield piece
