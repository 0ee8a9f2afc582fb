"""Answers that a connection gives by itself, to what never becomes a request of the application."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, Final

from ..errors import INTERNAL, error_body
from ..http.request_id import echo_line
from ..settings import HttpLimits

HeaderLines = Iterable[tuple[bytes, bytes]]

REASONS: Final = {status.value: status.phrase for status in HTTPStatus} | {
    413: "Content Too Large",
    414: "URI Too Long",
    416: "Range Not Satisfiable",
    422: "Unprocessable Content",
}
"""The reason phrase of each status (RFC 9110, 15); older Pythons have older words for these four."""


def wire_answer(status: int, sentence: str, asked: HeaderLines, extra: Iterable[tuple[str, str]] = ()) -> bytes:
    """The bytes of an error response after which the connection is closed.

    `asked` are the headers of the request, names in lower case, as far as they were read; `extra` are headers to add.
    """
    body = error_body(sentence)
    head = (
        f"HTTP/1.1 {status:d} {REASONS[status]}\r\n"
        "Content-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n"
        "Connection: close\r\n"
    ) + "".join(f"{name}: {value}\r\n" for name, value in extra)
    return head.encode("latin-1") + echo_line(asked) + b"\r\n" + body


def late_sentence(limits: HttpLimits, *, body: bool) -> str:
    """Which deadline passed: that of the body, or that of the head."""
    if body:
        return (
            f"the body was not complete after {limits.body_seconds:g} seconds; a long one has to come at"
            f" {limits.body_rate} bytes a second on average, without such a pause"
        )
    return f"the head of the request was not complete after {limits.head_seconds:g} seconds"


def wire_sentence(status: int, limits: HttpLimits, settings: Any) -> str:
    """What `status` means here; `settings` are gunicorn's."""
    match status:
        case HTTPStatus.REQUEST_URI_TOO_LONG:
            return f"the request line is longer than {settings.limit_request_line} bytes"
        case HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE:
            return (
                f"there are more than {settings.limit_request_fields} header fields, or one is longer than"
                f" {settings.limit_request_field_size} bytes"
            )
        case HTTPStatus.NOT_IMPLEMENTED:
            return "the transfer coding is not supported; send `chunked` or a `Content-Length`"
        case HTTPStatus.SERVICE_UNAVAILABLE:
            return f"the service has {limits.connections} connections, its limit; try again later"
        case HTTPStatus.INTERNAL_SERVER_ERROR:
            return INTERNAL
    return "the request is not valid HTTP/1.1"
