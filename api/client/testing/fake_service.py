"""A service for the tests of code that asks over HTTP: a real server on a loopback port, with an engine's answers."""

import json
import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final

from ..runtime.engine import Engine

if TYPE_CHECKING:
    from .answering import Answer, Answers

MOST_BODY_BYTES: Final = 2**20
"""The bytes of a request's body, as the service's default has it."""

_REQUEST_ID: Final = "X-Request-ID"


@dataclass(frozen=True, slots=True)
class Received:
    """A request that the fake service got. The names of headers are in lower case.

    `body` is decoded JSON, or the text if it is none, or None without a body.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: Any


@dataclass(slots=True)
class FakeService:
    """A fake service. `url` is for clients, and `requests` has all that they sent, in order."""

    url: str
    requests: list[Received] = field(default_factory=list)


@contextmanager
def service(engine: Engine) -> Iterator[FakeService]:
    """Serves an engine's answers at a free port of 127.0.0.1 as Writ's service does, until the block ends.

    It has AuthZEN's calls, their discovery and `/v1/authorize`, with ids of decisions and revision tokens. It takes any
    credential, or none. Searches need an engine of `writ.testing`: with another one they are answered 501 (contract
    7.3), and so is each call that would change a model or credentials.
    """
    from .answering import Answers

    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.fake = FakeService(f"http://127.0.0.1:{server.server_address[1]}")
        server.answers = Answers(engine, server.fake.url)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server.fake
        finally:
            server.shutdown()
            thread.join()
            server.hang_up()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    fake: FakeService
    answers: "Answers"

    def __init__(self, *given: Any):
        super().__init__(*given)
        self._open: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """Ends the connections that clients keep: after the block, there is no answer."""
        for one in list(self._open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Does nothing: the client went away."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # an answer is one write: headers and body
    server: _Server

    def log_message(self, *_: object) -> None:
        """Does nothing."""

    def _answer_any(self) -> None:
        length = self.headers.get("Content-Length", "0")
        if not length.isdecimal() or int(length) > MOST_BODY_BYTES or "Transfer-Encoding" in self.headers:
            self._refuse_length(length)
            return
        body = self.rfile.read(int(length))
        path = self.path.partition("?")[0]
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.fake.requests.append(Received(self.command, path, headers, _read(body)))
        self._send(self.server.answers.answer(self.command, path, headers, body))

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = _answer_any  # noqa: N815 - the names of `http.server`

    def _refuse_length(self, length: str) -> None:
        self.close_connection = True
        too_long = length.isdecimal() and int(length) > MOST_BODY_BYTES
        status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE if too_long else HTTPStatus.LENGTH_REQUIRED
        self.send_error(status)

    def _send(self, answer: "Answer") -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer.body)))
        self.send_header(_REQUEST_ID, self.headers.get(_REQUEST_ID) or secrets.token_hex(16))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)


def _read(body: bytes) -> Any:
    try:
        return json.loads(body) if body else None
    except ValueError:
        return body.decode(errors="replace")
