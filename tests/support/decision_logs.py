"""Reads decision logs, and a collector that takes them over HTTP."""

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Record = dict[str, Any]


def records(*paths: Path) -> list[Record]:
    """The records of files; each line is a whole one."""
    return [json.loads(line) for path in paths for line in path.read_bytes().splitlines()]


class Collector:
    """A collector. While `status` is not 200, it answers that and takes nothing. `batches` are what it took."""

    def __init__(self) -> None:
        self.status = 200
        self.most = 2**30
        self.batches: list[list[Record]] = []
        self.headers: list[dict[str, str]] = []
        self.refused = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())

    @property
    def url(self) -> str:
        """The URL that takes batches."""
        return f"http://127.0.0.1:{self._server.server_port}/logs"

    @property
    def taken(self) -> list[Record]:
        """All that it took."""
        return [record for batch in self.batches for record in batch]

    @contextmanager
    def serving(self) -> Iterator["Collector"]:
        """Serve in a thread."""
        thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        collector = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = gzip.decompress(self.rfile.read(int(self.headers["Content-Length"])))
                status = collector.status if len(body) <= collector.most else 413
                if status == 200:
                    collector.headers.append(dict(self.headers))
                    collector.batches.append(json.loads(body))
                else:
                    collector.refused += 1
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        return Handler
