"""Lines of the log: their formats, and the request that caused them."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import pytest
from writ.api.telemetry.log_lines import FRAMES, HEADERS, LONGEST_REQUEST_ID, Cause, cause_of, lines_of

TRACE_ID, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE_ID}-{PARENT}-01"


def record(message: str = "the store is %s", *arguments: object, **more: object) -> logging.LogRecord:
    found = logging.LogRecord("writ", logging.ERROR, "", 0, message, arguments, None)
    found.created, found.process = 1_700_000_000.1239, 7
    found.__dict__.update(more)
    return found


@contextmanager
def asked(*headers: tuple[bytes, bytes]) -> Iterator[None]:
    token = HEADERS.set(headers)
    yield
    HEADERS.reset(token)


def test_a_line_of_json_has_instant_level_and_place() -> None:
    line = json.loads(lines_of("json").format(record("the store is %s", "away")))
    assert line == {
        "time": "2023-11-14T22:13:20.123Z",
        "level": "error",
        "logger": "writ",
        "message": "the store is away",
        "pid": 7,
    }
    assert datetime.fromisoformat(line["time"]).timestamp() == 1_700_000_000.123


def test_a_line_names_the_request_that_caused_it() -> None:
    with asked((b"host", b"h"), (b"x-request-id", b"r-7"), (b"traceparent", TRACEPARENT.encode())):
        line = json.loads(lines_of("json").format(record("x")))
        text = lines_of("text").format(record("x"))
    assert (line["request_id"], line["traceparent"], line["trace_id"]) == ("r-7", TRACEPARENT, TRACE_ID)
    assert text.endswith(f"[7] [ERROR] x request_id=r-7 traceparent={TRACEPARENT} trace_id={TRACE_ID}")


def test_an_error_is_one_member_and_one_line() -> None:
    try:
        raise ValueError("first\nsecond")
    except ValueError as error:
        found = record("it failed", exc_info=(type(error), error, error.__traceback__))
    line = lines_of("json").format(found)
    assert "\n" not in line
    assert json.loads(line)["exception"].startswith("Traceback")
    assert json.loads(line)["exception"].endswith("ValueError: first\nsecond")


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_the_frames_of_an_error_are_told_without_its_text(log_format: str) -> None:
    line = lines_of(log_format).format(record("ValueError", **{FRAMES: '  File "x.py", line 1\n'}))
    assert "x.py" in line
    assert ("\n" in line) is (log_format == "text")


def test_a_request_id_can_not_begin_another_line_or_member() -> None:
    hostile = b'a" level=info \x1b[31m\xe9'
    with asked((b"x-request-id", hostile)):
        text, line = lines_of("text").format(record("x")), lines_of("json").format(record("x"))
    assert text.isascii()
    assert text.isprintable()
    assert text.endswith('request_id="a\\" level=info \\u001b[31m\\u00e9"')
    assert json.loads(line)["request_id"] == hostile.decode("latin-1")


HIDDEN = (*range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_what_a_client_sends_moves_no_terminal(log_format: str) -> None:
    """A request's id has bytes above 0x7F. A message may have any character."""
    sent = "".join(map(chr, range(0x7F, 0x100)))
    with asked((b"x-request-id", sent.encode("latin-1"))):
        line = lines_of(log_format).format(record("x"))
    assert not set(map(chr, HIDDEN)) & set(line)
    if log_format == "json":
        assert json.loads(line)["request_id"] == sent


def test_hidden_characters_of_a_message_are_escaped() -> None:
    said = 'a"\\\n\u00e9' + "".join(map(chr, HIDDEN))
    line = lines_of("json").format(record(said))
    assert not set(map(chr, HIDDEN)) & set(line)
    assert json.loads(line)["message"] == said
    assert "é" in line


def test_a_request_id_is_cut() -> None:
    assert len(cause_of(b"x" * 8_000, None).request_id or "") == LONGEST_REQUEST_ID


@pytest.mark.parametrize(
    "trace",
    [
        b"",
        b"00-" + TRACE_ID.encode(),
        TRACEPARENT.upper().encode(),
        TRACEPARENT.replace("00-", "ff-", 1).encode(),
        f"00-{'0' * 32}-{PARENT}-01".encode(),
        f"00-{TRACE_ID}-{'0' * 16}-01".encode(),
        TRACEPARENT.encode() + b"\n",
        TRACEPARENT.encode() + b"x",
    ],
)
def test_a_trace_of_another_form_is_left_out(trace: bytes) -> None:
    assert cause_of(b"r", trace) == Cause("r")


def test_a_trace_of_a_later_version_is_known_by_its_beginning() -> None:
    assert cause_of(None, f"01-{TRACE_ID}-{PARENT}-01-more".encode()).trace_id == TRACE_ID
