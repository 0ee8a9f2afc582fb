"""The heads of responses: status lines, dates, and answers that a connection gives without the application."""

import time
from email.utils import formatdate
from http import HTTPStatus
from typing import Final

from ..http.error_answers import error_body
from ..http.request_id import id_line

REASONS: Final = {status.value: status.phrase for status in HTTPStatus} | {
    413: "Content Too Large",
    414: "URI Too Long",
    416: "Range Not Satisfiable",
    422: "Unprocessable Content",
}
"""The reason phrase of each status (RFC 9110, 15). Older Pythons have older words for these four."""

STATUS_LINES: Final = {
    version: {status: f"HTTP/{version} {status} {phrase}\r\n".encode() for status, phrase in REASONS.items()}
    for version in ("1.0", "1.1")
}
"""The first line of a response by version and status."""

STRICT_TRANSPORT: Final = b"strict-transport-security: max-age=31536000\r\n"
"""Goes with every answer over TLS: browsers come back with TLS only, for a year (RFC 6797)."""

CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"


class DateLine:
    """The `Date` header of the current second (RFC 9110, 6.6.1)."""

    def __init__(self) -> None:
        self._second, self._line = -1, b""

    def at(self, now: float) -> bytes:
        """Returns the line for `now`, in epoch seconds."""
        second = int(now)
        if second != self._second:
            self._second, self._line = second, f"date: {formatdate(second, usegmt=True)}\r\n".encode()
        return self._line

    def now(self) -> bytes:
        """Returns the line for the clock's time."""
        now = time.time()
        return self._line if int(now) == self._second else self.at(now)  # PERF: one call less


def refusal_bytes(status: int, sentence: str, id: bytes, secure: bool, extra: bytes = b"") -> bytes:
    """Returns an error response, after which the connection is closed.

    `id` is that of the request, `secure` whether it goes over TLS. `extra` are header lines.
    """
    body = error_body(sentence)
    head = b"content-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n" % len(body)
    strict = STRICT_TRANSPORT if secure else b""
    return b"".join((STATUS_LINES["1.1"][status], head, extra, strict, id_line(id), b"\r\n", body))
