"""A collector of decision logs: batches of records over HTTP, compressed."""

import gzip
from http import HTTPStatus
from pathlib import Path
from typing import Final, NamedTuple

import urllib3
from urllib3.exceptions import HTTPError

from ....http.outgoing.bounded_exchange import CONNECT_SECONDS, Deadline, WatchedSocket
from .sink import SinkFailed, SinkRefused

BATCH_BYTES: Final = 2**20
BATCH_SECONDS: Final = 1.0
ANSWER_SECONDS: Final = 30.0
"""Time for a collector to answer a batch, to the last byte."""

MOST_AUTHORIZATION: Final = 16_384

_LATER: Final = (
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.TOO_MANY_REQUESTS,
)
"""Refusals that a new credential, a repaired collector or some patience ends."""

_LEVEL: Final = 5
"""The level of compression: half the time of the default, for some percent more bytes."""


class CollectorOptions(NamedTuple):
    """A collector of batches.

    `authorization` is the file with the value of the header, `ca_file` that of authorities.
    """

    url: str
    batch_bytes: int = BATCH_BYTES
    batch_seconds: float = BATCH_SECONDS
    authorization: Path | None = None
    ca_file: Path | None = None


class CollectorSink:
    """Sends each batch as a JSON array. Redirects are not followed: records go to the named place alone."""

    def __init__(self, options: CollectorOptions) -> None:
        """Raises OSError if a file can't be read."""
        self._options = options
        self.batch_bytes, self.batch_seconds = options.batch_bytes, options.batch_seconds
        self._pool: urllib3.PoolManager | None = None
        self._socket = WatchedSocket()
        self._headers()
        if options.ca_file is not None:
            options.ca_file.read_bytes()

    def start_worker(self) -> None:
        """See `Sink`."""
        ca_file = self._options.ca_file
        self._pool = urllib3.PoolManager(
            num_pools=1,
            retries=False,
            timeout=urllib3.Timeout(connect=CONNECT_SECONDS, read=ANSWER_SECONDS),
            ca_certs=None if ca_file is None else str(ca_file),
        )
        self._socket.watch(self._pool.connection_from_url(self._options.url))

    def send(self, lines: bytes) -> None:
        """See `Sink`. A batch that is too large for the collector is sent in halves. No line end is within a record."""
        body = gzip.compress(b"[" + lines.removesuffix(b"\n").replace(b"\n", b",") + b"]", _LEVEL)
        status = self._post(body)
        count = lines.count(b"\n")
        if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE and count > 1:
            records = lines.splitlines(keepends=True)
            self.send(b"".join(records[: count // 2]))
            self.send(b"".join(records[count // 2 :]))
        elif status in _LATER or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise SinkFailed(f"the collector answered {status}")
        elif not HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
            raise SinkRefused(f"the collector answered {status}")

    def _post(self, body: bytes) -> int:
        assert self._pool is not None, "the worker has started"
        self._socket.begin()
        try:
            with Deadline(self._socket.end, CONNECT_SECONDS + ANSWER_SECONDS) as deadline:
                answer = self._pool.request(
                    "POST", self._options.url, body=body, headers=self._headers(), redirect=False
                )
        except (HTTPError, OSError, ValueError) as ex:
            raise SinkFailed(f"the collector can't be reached: {type(ex).__name__}") from None
        if deadline.passed:  # the cut may look like the end of an answer
            raise SinkFailed("the collector answers too slowly")
        return answer.status

    def _headers(self) -> dict[str, str]:
        """Returns the headers of a batch. The credential is read each time, so it may be replaced."""
        headers = {"Content-Type": "application/json", "Content-Encoding": "gzip", "User-Agent": "writ"}
        path = self._options.authorization
        if path is not None:
            with path.open("rb") as file:
                headers["Authorization"] = file.read(MOST_AUTHORIZATION).decode("latin-1").strip()
        return headers
