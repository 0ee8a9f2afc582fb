"""A small AuthZEN decision point that is not Writ, and that misbehaves as a test says: a real server on loopback."""

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.certificates import Pair
from tests.support.dripping import drip

METADATA = "/.well-known/authzen-configuration"


@dataclass
class Asked:
    """A request that the server got."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any
    port: int = 0
    """The client's, so it tells connections apart."""


@dataclass
class DecisionPoint:
    """The server. Each function in `script` answers one request in its place; then every question is allowed.

    `metadata` is its document, without the URLs' beginning, or None if it has none. `whole` is one as it is sent.
    """

    url: str = ""
    metadata: dict[str, str] | None = None
    whole: dict[str, str] | None = None
    script: list[Callable[["Handler"], None]] = field(default_factory=list)
    always: Callable[["Handler"], None] | None = None
    asked: list[Asked] = field(default_factory=list)

    @property
    def questions(self) -> list[Asked]:
        """The requests for decisions and searches."""
        return [one for one in self.asked if one.path.startswith("/access")]


class Handler(BaseHTTPRequestHandler):
    """Answers as the script says."""

    protocol_version = "HTTP/1.1"
    point: DecisionPoint

    def log_message(self, *_: object) -> None: ...

    def do_GET(self) -> None:
        self._answered(None)

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        is_json = self.headers.get("Content-Type") == "application/json"
        self._answered(json.loads(text) if is_json else text.decode())

    def do_PUT(self) -> None:
        self.do_POST()

    def _answered(self, body: Any) -> None:
        point, headers = self.point, {name.lower(): value for name, value in self.headers.items()}
        point.asked.append(Asked(self.command, self.path, headers, body, self.client_address[1]))
        if self.path.startswith(METADATA):
            document = point.metadata
            whole = None if document is None else {name: point.url + path for name, path in document.items()}
            told = point.whole or whole
            self.reply(404 if told is None else 200, told or {"error": "there is no such path"})
        elif point.script:
            point.script.pop(0)(self)
        elif point.always is not None:
            point.always(self)
        elif isinstance(body, dict) and "evaluations" in body:
            self.reply(200, {"evaluations": [{"decision": True} for _ in body["evaluations"]]})
        else:
            self.reply(200, {"decision": True})

    def reply(self, status: int, body: Any, **headers: str) -> None:
        """Answer with a body as JSON, or as it is if it is bytes."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def drop(self) -> None:
        """End the connection without an answer."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)


def drops(handler: Handler) -> None:
    """Break the connection."""
    handler.drop()


def answers(status: int, body: Any = None, **headers: str) -> Callable[[Handler], None]:
    """Answer with a status."""
    return lambda handler: handler.reply(status, {"error": "as the test says"} if body is None else body, **headers)


def stays_silent(handler: Handler) -> None:
    """Answer nothing until the client leaves."""
    handler.connection.recv(1)
    handler.close_connection = True


def drips(handler: Handler) -> None:
    """Answer a byte at a time, until the client leaves."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    drip(handler.connection)
    handler.close_connection = True


def drips_headers(handler: Handler) -> None:
    """Answer with a header that goes on, a byte at a time, until the client leaves."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    drip(handler.connection, b"a")
    handler.close_connection = True


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # with the library's five, the kernel resets connections that come at once


@contextmanager
def deciding(tls: Pair | None = None, **members: Any) -> Iterator[DecisionPoint]:
    """A running decision point, which has the certificate `tls` if it is given."""
    point = DecisionPoint(**members)
    server = _Server(("127.0.0.1", 0), type("Bound", (_Quiet,), {"point": point}))
    if tls is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls.certificate, tls.key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    point.url = f"{'http' if tls is None else 'https'}://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield point
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Quiet(Handler):
    """A client that goes away in the middle is no error of the server."""

    def handle(self) -> None:
        try:
            super().handle()
        except OSError:
            self.close_connection = True

    def finish(self) -> None:
        try:
            super().finish()
        except OSError:
            self.close_connection = True
