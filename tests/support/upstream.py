"""A real HTTP server that serves the history of an environment as the service does, and misbehaves if told to."""

import gzip
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ssl import SSLContext
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.support.feed import History

UPDATE, BUNDLE = "application/vnd.writ.update", "application/vnd.writ.bundle"


@dataclass
class Request:
    """A request that the server got."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]


@dataclass
class Upstream:
    """The server. `fault` gets each handler before it answers, and may answer in its place by returning true.

    `held` is the number of questions that wait for a change.
    """

    history: History
    url: str = ""
    credential: str | None = None
    fault: Callable[["Handler"], bool] | None = None
    cut_bundles_at: int | None = None
    packs: bool = True
    requests: list[Request] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)
    stopping: bool = False
    held: int = 0

    def commit(self, count: int = 1, as_bundle: bool = False) -> None:
        """Make new revisions, and wake who waits for them. If `as_bundle`, only a bundle leads to them."""
        with self.changed:
            self.history.commit(count)
            if as_bundle:
                self.history.base = self.history.oldest = self.history.revision
            self.changed.notify_all()


class Handler(BaseHTTPRequestHandler):
    """Answers one connection's requests."""

    protocol_version = "HTTP/1.1"
    upstream: Upstream

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer a request."""
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.upstream.requests.append(Request(parts.path, query, headers))
        with suppress(BrokenPipeError, ConnectionResetError):
            if self.upstream.fault is None or not self.upstream.fault(self):
                self._answer(parts.path, query, headers)

    def _answer(self, path: str, query: dict[str, str], headers: dict[str, str]) -> None:
        up, history = self.upstream, self.upstream.history
        if up.credential is not None and headers.get("authorization") != f"Bearer {up.credential}":
            return self.refuse(401, "the credential is unknown")
        if path != f"/v1/environments/{history.environment.id}/bundle":
            return self.refuse(404, "there is no such environment")
        self._wait(headers)
        since = int(query["since"]) if "since" in query else None
        with up.changed:  # so that the tag belongs to the content
            tag, content, base = history.tag, None, history.base
            if since is not None and headers["if-none-match"] != tag and history.oldest <= since <= history.revision:
                content = history.update(since)
        if headers["if-none-match"] == tag:
            return self.send(304, None, b"", tag)
        if content is not None:
            return self.send(200, UPDATE, content, tag)
        return self._send_bundle(history.bundle(base), f'"b{base}"', headers)

    def _wait(self, headers: dict[str, str]) -> None:
        found = re.fullmatch(r"wait=(\d+)(, older)?", headers["prefer"])
        assert found is not None
        until = time.monotonic() + int(found[1])
        with self.upstream.changed:
            self.upstream.held += 1
            while headers["if-none-match"] == self.upstream.history.tag and not self.upstream.stopping:
                if not self.upstream.changed.wait(until - time.monotonic()):
                    break
            self.upstream.held -= 1

    def _send_bundle(self, content: bytes, tag: str, headers: dict[str, str]) -> None:
        found = re.fullmatch(r"bytes=(\d+)-", headers.get("range", ""))
        if found is None or headers.get("if-range") != tag:
            return self.send(200, BUNDLE, content, tag)
        start = int(found[1])
        part = {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"}
        return self.send(206, BUNDLE, content[start:], tag, part)

    def send(
        self, status: int, kind: str | None, content: bytes, tag: str | None = None, more: dict[str, str] | None = None
    ) -> None:
        """Send an answer."""
        self.send_response(status)
        if kind is not None:
            self.send_header("Content-Type", kind)
            self.send_header("Writ-Revision", str(self.upstream.history.revision))
        if status < 400:
            self.send_header("ETag", tag or self.upstream.history.tag)
        for name, value in (more or {}).items():
            self.send_header(name, value)
        if self.upstream.packs and status == 200 and self.headers.get("Accept-Encoding") == "gzip":
            content = gzip.compress(content)
            self.send_header("Content-Encoding", "gzip")
        if status != 304:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        cut = self.upstream.cut_bundles_at if kind == BUNDLE else None
        self.wfile.write(content[:cut])
        if cut is not None and cut < len(content):
            self.wfile.flush()
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

    def refuse(self, status: int, error: str, **headers: str) -> None:
        """Send an error."""
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        self.send(status, "application/json", json.dumps({"error": error}).encode(), more=more)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """Say nothing: clients that go away are what the tests are about."""


@contextmanager
def serving(history: History, tls: SSLContext | None = None) -> Iterator[Upstream]:
    """A server of a history, on a free port."""
    upstream = Upstream(history)
    server = _Server(("127.0.0.1", 0), type("Bound", (Handler,), {"upstream": upstream}))
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    upstream.url = f"{'http' if tls is None else 'https'}://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield upstream
    finally:
        with upstream.changed:
            upstream.stopping = True
            upstream.changed.notify_all()
        server.shutdown()
        server.server_close()
        thread.join()
