"""A worker that has the application twice, with its guard and without one, and the load that compares the two.

So nothing differs but the guard: not the process, its memory, its connections, nor the requests.
"""

import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest.mock import patch

import falcon.asgi
from writ.api.cli.main import main as command_line
from writ.api.identity.credential import Credential, Scope
from writ.api.service.app import create_app, create_application
from writ.api.service.parts import ServiceParts

from tests.bench.models import Document
from tests.support.server import KEY, ROOT, Server, environment

GUARDED, OPEN = "guarded", "open"
"""The applications: as it is served, and with a guard that lets all pass without a look."""

_CONTROL: Final = "/bench/"
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)


_ANYBODY = Credential(Scope.ADMIN, "anybody")


class NoGuard:
    """Lets all pass."""

    def __init__(self, *_: object, **__: object) -> None: ...

    def confirm(self, _req: object) -> None:
        """See `Guard`."""

    async def process_resource(self, req: falcon.asgi.Request, *_: object) -> None:
        """Pass."""
        req.context.credential = _ANYBODY


class Twice:
    """An ASGI application that is one of the two; `_CONTROL` chooses, and tells the worker's processor time."""

    def __init__(self, parts: ServiceParts) -> None:
        guarded = create_app(parts)
        with patch("writ.api.service.server_parts.Guard", NoGuard):
            self._apps: Mapping[str, Any] = {GUARDED: guarded, OPEN: create_app(parts)}
        self._chosen = guarded

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        """Answer as the chosen one, or choose."""
        path = scope.get("path", "")
        if not path.startswith(_CONTROL):
            await self._chosen(scope, receive, send)
            return
        self._chosen = self._apps[path.removeprefix(_CONTROL)]
        spent = b"%d" % time.process_time_ns()
        headers = [(b"content-length", b"%d" % len(spent))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": spent})


@contextmanager
def serving(folder: Path, document: Document) -> Iterator[Server]:
    """`writ serve` with both applications and that model, one worker, as a process of its own."""
    model, log = folder / "model.json", folder / "log"
    model.write_text(json.dumps({"model": 1} | document))
    line = [sys.executable, "-m", "tests.bench.guarded", "serve", "--data", str(folder / "data")]
    line += ["--import", str(model), "--bind", "127.0.0.1:0", "--workers", "1"]
    settings = environment({"WRIT_ADMIN_KEY": KEY, "WRIT_SYNCHRONOUS": "NORMAL"})
    with log.open("wb") as output, subprocess.Popen(line, stdout=output, stderr=output, env=settings, cwd=ROOT) as own:
        try:
            server = Server(own, log, KEY)
            yield server
            server.stop()
        finally:
            own.kill()


def post(path: str, body: bytes, media: str, credential: str | None) -> bytes:
    """A request as it goes over the wire."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {media}\r\nContent-Length: {len(body)}\r\n"
    known = "" if credential is None else f"Authorization: Bearer {credential}\r\n"
    return f"{head}{known}\r\n".encode() + body


class Times(NamedTuple):
    """Microseconds for a request: of the worker's processor, and on the wall."""

    worker: float
    wall: float


class Load:
    """Connections that stay, each with one request under way, so that the worker always has the next one to do."""

    def __init__(self, server: Server, connections: int) -> None:
        self._sockets = [socket.create_connection((server.host, server.port)) for _ in range(connections)]
        for one in self._sockets:
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def timed(self, app: str, warm_up: Sequence[bytes], requests: Sequence[bytes]) -> tuple[list[bytes], Times]:
        """The bodies of one application's answers, and what a request took; `warm_up` comes before any time is."""
        self._choose(app)
        self.ask(warm_up)
        spent, begun = self._choose(app), time.perf_counter_ns()
        bodies = self.ask(requests)
        wall, spent = time.perf_counter_ns() - begun, self._choose(app) - spent
        return bodies, Times(spent / len(requests) / 1e3, wall / len(requests) / 1e3)

    def ask(self, requests: Sequence[bytes]) -> list[bytes]:
        """The bodies of the answers, in order."""
        found, width = [], len(self._sockets)
        for number, request in enumerate(requests):
            connection = self._sockets[number % width]
            if number >= width:
                found.append(_body(connection))
            connection.sendall(request)
        last = range(max(0, len(requests) - width), len(requests))
        return found + [_body(self._sockets[number % width]) for number in last]

    def _choose(self, app: str) -> int:
        """The processor time of the worker so far, in nanoseconds."""
        (spent,) = self.ask([f"GET {_CONTROL}{app} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()])
        return int(spent)


def _body(connection: socket.socket) -> bytes:
    head, _, body = connection.recv(65_536).partition(b"\r\n\r\n")
    length = _LENGTH.search(head + b"\r\n")
    assert length is not None, head
    assert head.startswith(b"HTTP/1.1 200"), (head, body)
    while len(body) < int(length[1]):
        body += connection.recv(65_536)
    return body


if __name__ == "__main__":
    # Without the decision lane, so that every request passes the guard of the application.
    with patch(
        "writ.api.service.start.create_application",
        lambda parts: replace(create_application(parts), asgi=Twice(parts), lane=None),
    ):
        command_line()
