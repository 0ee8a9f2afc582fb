"""The lines of the log, as text or as JSON. A line that a request caused has the request's id and its trace."""

import json
import logging
import re
import time
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from ..settings.settings import JSON

HEADERS: Final[ContextVar[Iterable[tuple[bytes, bytes]]]] = ContextVar("headers", default=())
"""The header fields of the request that a task answers, with names in lower case. PERF: read only for a line."""

REQUEST_ID: Final = b"x-request-id"
TRACE: Final = b"traceparent"
"""The headers with the id of a request, and with its trace (W3C Trace Context), in lower case."""

LONGEST_REQUEST_ID: Final = 200
"""The characters of a request's id in a line. A client may send more."""

FRAMES: Final = "frames"
"""The attribute of a record with the frames of an error whose text must not be logged."""

_MICROS: Final = 1_000_000
_TEXT: Final = "%(asctime)s [%(process)d] [%(levelname)s] %(message)s"
_DATE: Final = "[%Y-%m-%d %H:%M:%S %z]"

_TRACE_FORM: Final = re.compile(
    rb"((?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})(?:-.*)?"
)
_PLAIN: Final = re.compile(r"[!#-~]+")
_HIDDEN: Final = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Characters that control a terminal, turn text around or end a line. JSON may have them as they are."""

_ENCODER: Final = msgspec.json.Encoder()

Members: TypeAlias = Mapping[str, object]
"""The members of a line beside its message, by name."""


class Cause(NamedTuple):
    """The request that caused a line: its id, its trace as it was sent, and the id of the trace."""

    request_id: str | None = None
    traceparent: str | None = None
    trace_id: str | None = None

    def members(self) -> dict[str, object]:
        """Returns what is known of the request."""
        if self == _NO_CAUSE:
            return {}
        return {name: value for name, value in self._asdict().items() if value is not None}


_NO_CAUSE: Final = Cause()


class WorkerPlace:
    """The place of this process among the workers of its server, or None in the process that forks them."""

    worker: int | None = None


HERE: Final = WorkerPlace()
"""Set when a worker starts."""


def cause_of(request_id: bytes | None, traceparent: bytes | None) -> Cause:
    """Returns the cause by two headers. A trace that does not follow W3C Trace Context counts as none.

    >>> cause_of(b"r-7", b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01").trace_id
    '0af7651916cd43dd8448eb211c80319c'
    """
    found = None if traceparent is None else _TRACE_FORM.fullmatch(traceparent)
    id = None if not request_id else request_id[:LONGEST_REQUEST_ID].decode("latin-1")
    return Cause(id) if found is None else Cause(id, found[1].decode(), found[2].decode())


def current_cause() -> Cause:
    """Returns the request that this task answers. It has nothing outside of requests."""
    headers = dict(HEADERS.get())
    return cause_of(headers.get(REQUEST_ID), headers.get(TRACE))


def lines_of(log_format: str) -> logging.Formatter:
    """Returns what makes the lines of a format: `text` or `json`."""
    return JsonLines() if log_format == JSON else TextLines()


def shown(members: Members) -> str:
    """Returns members for the end of a line of text.

    >>> shown({"status": 200, "request_id": "a b"})
    ' status=200 request_id="a b"'
    """
    return "".join(f" {name}={_shown(str(value))}" for name, value in members.items())


def _shown(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else json.dumps(text)


@lru_cache(2)
def _local_second(second: int) -> str:
    """PERF: most lines are of the same second as the one before."""
    return time.strftime(_DATE, time.localtime(second))


@lru_cache(2)
def _utc_second(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def text_line(instant: float, process: int, level: str, message: str, members: Members) -> str:
    """Returns a line of text without its end, as `TextLines` makes it. `instant` is in epoch seconds."""
    return f"{_local_second(int(instant))} [{process}] [{level.upper()}] {message}{shown(members)}"


def json_line(
    instant: float, process: int, level: str, logger: str, message: str, members: Members, cause: Cause
) -> str:
    """Returns a line of JSON without its end. `instant` is in epoch seconds. Hidden characters are escaped."""
    second, micros = divmod(round(instant * _MICROS), _MICROS)
    line: dict[str, Any] = {
        "time": f"{_utc_second(second)}.{micros // 1_000:03d}Z",
        "level": level.lower(),
        "logger": logger,
        "message": message,
        "pid": process,
    }
    if HERE.worker is not None:
        line["worker"] = HERE.worker
    text = _ENCODER.encode(line | dict(members) | cause.members()).decode()
    if text.isascii() and "\x7f" not in text:  # PERF: most lines
        return text
    return _HIDDEN.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


class TextLines(logging.Formatter):
    """Lines of text. The id and the trace of a request come last."""

    def __init__(self) -> None:
        super().__init__(_TEXT, _DATE)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name of `logging`
        """See `logging.Formatter`."""
        return super().formatMessage(record) + shown(current_cause().members())

    def format(self, record: logging.LogRecord) -> str:
        """See `logging.Formatter`."""
        frames = getattr(record, FRAMES, "")
        return super().format(record) + (f"\n{frames}" if frames else "")


class JsonLines(logging.Formatter):
    """Lines of JSON: one object each, whatever a record has. An error with its traceback is the member `exception`."""

    def format(self, record: logging.LogRecord) -> str:
        """See `logging.Formatter`."""
        error = getattr(record, FRAMES, "")
        if record.exc_info and record.exc_info[0] is not None:
            error += self.formatException(record.exc_info)
        members = {"exception": error} if error else {}
        text, level, process = record.getMessage(), record.levelname, record.process or 0
        return json_line(record.created, process, level, record.name, text, members, current_cause())
