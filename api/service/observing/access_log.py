"""The access log: one line for each request that was answered, on standard error, like the rest of the log."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ...settings.settings import JSON
from ...telemetry.log_lines import cause_of, json_line, text_line
from .answered import Answered

LOGGER: Final = "writ.access"
"""The logger that lines of the access log name."""

WRITE_BYTES: Final = 4_096
"""The most bytes of a write. The system never mixes so short a write with another process' (PIPE_BUF on Linux)."""

_STANDARD_ERROR: Final = 2
_NANO: Final = 1e9
_MILLI: Final = 1e6
_LEVEL: Final = "info"


class AccessLog:
    """Writes the lines of a worker (see `RequestReport`)."""

    def __init__(self, log_format: str, handle: int = _STANDARD_ERROR) -> None:
        """`log_format` is `text` or `json`, and `handle` that of the stream."""
        self._is_json, self._handle = log_format == JSON, handle

    def start_worker(self, place: int) -> None:
        """See `RequestReport`."""

    def take(self, answers: Sequence[Answered]) -> None:
        """See `RequestReport`. Raises OSError if the stream is broken."""
        for data in _joined(self._line(one) for one in answers):
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self._handle, rest) :]

    def finish(self, seconds: float) -> None:
        """See `RequestReport`. Nothing is left."""

    def _line(self, one: Answered) -> bytes:
        message = f"{one.method or '-'} {one.route or '-'} {one.status}"
        members: dict[str, object] = {"method": one.method} if one.method and self._is_json else {}
        if self._is_json:
            members |= {"route": one.route, "status": one.status} if one.route else {"status": one.status}
        members |= {"duration_ms": round(one.taken / _MILLI, 3), "bytes": one.size}
        if one.environment:
            members["environment"] = one.environment
        if one.caller:
            members["caller"] = one.caller
        instant, cause, process = one.ended / _NANO, cause_of(one.request_id, one.traceparent), os.getpid()
        if self._is_json:
            return f"{json_line(instant, process, _LEVEL, LOGGER, message, members, cause)}\n".encode()
        return f"{text_line(instant, process, _LEVEL, message, members | cause.members())}\n".encode()


def _joined(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yields whole lines together, `WRITE_BYTES` at most. A longer line stands alone."""
    together = b""
    for line in lines:
        if together and len(together) + len(line) > WRITE_BYTES:
            yield together
            together = b""
        together += line
    if together:
        yield together
