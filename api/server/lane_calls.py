"""Which requests are ordinary enough for the decision lane, and the bytes of its answers."""

from collections.abc import Callable
from typing import Final, Protocol

from .request_parser import Request
from .response_head import STATUS_LINES, STRICT_TRANSPORT, DateLine

LANE_BYTES: Final = 64 * 1024
"""The longest body that the decision lane takes."""


_OPEN, _LAST = b"\r\n", b"connection: close\r\n\r\n"
ENDS: Final = (_OPEN, _LAST), (STRICT_TRANSPORT + _OPEN, STRICT_TRANSPORT + _LAST)
"""The last lines of a head, by whether it goes over TLS, and then by whether the connection ends."""

_STATUS_LINES: Final = STATUS_LINES["1.1"]
_OUTCOME: Final = b"%bx-request-id: %b\r\n%bcontent-length: %d\r\n%b%b%b"
_DECISION: Final = (
    b"HTTP/1.1 200 OK\r\nx-request-id: %b\r\n%b%b\r\ncontent-length: %d\r\ncontent-type: application/json\r\n%b%b%b"
)


class Lane(Protocol):
    """Answers hot decision calls without the application."""

    def takes(self, target: bytes) -> bool:
        """Returns whether the target of a POST is one of the lane's."""

    def answer(self, request: Request, body: bytes) -> tuple[bytes, bytes, bytes] | None:
        """Returns the parts of a 200 to a request, or None if the application has to answer.

        They are header lines up to a value, the value, and the body.
        """

    def serves(self, target: bytes) -> bool:
        """Returns whether the target is a gateway's, of any method."""

    def outcome(self, request: Request, peer: str) -> tuple[int, bytes, bytes] | None:
        """Returns status, header lines and body for a gateway's request without a body, or None for the application.

        `peer` is the address that the request is from, or empty for a Unix socket.
        """


def is_ordinary(lane: Lane | None, request: Request, most_bytes: int) -> bool:
    """Returns whether the lane may answer a request with this head, once the body is complete.

    `most_bytes` is the longest body that the service takes.
    """
    fields = request.fields
    return (
        lane is not None
        and request.method == "POST"
        and not (request.repeats or request.chunked)
        and request.version == "1.1"
        and 0 < request.length <= min(LANE_BYTES, most_bytes)
        and fields.get(b"content-type") == b"application/json"
        and b"authorization" in fields
        and b"content-encoding" not in fields
        and b"expect" not in fields
        and b"writ-min-revision" not in fields
        and b"origin" not in fields
        and lane.takes(request.target)
    )


def is_gateways(lane: Lane | None, request: Request) -> bool:
    """Returns whether the lane may answer a gateway's request with this head, which has no body."""
    return (
        lane is not None
        and request.length == 0
        and not request.chunked
        and request.version == "1.1"
        and b"expect" not in request.fields
        and lane.serves(request.target)
    )


class LaneResponses:
    """The responses of the lane on one connection."""

    __slots__ = ("_date", "_ends", "_lane", "_peer")

    def __init__(self, lane: Lane | None, date: DateLine, peer: Callable[[], str], secure: bool) -> None:
        """`peer` gives the address that requests are from."""
        self._lane, self._date, self._peer, self._ends = lane, date, peer, ENDS[secure]

    def to(self, request: Request, body: bytes, closes: bool = False) -> bytes | None:
        """Returns the response to a request, the same bytes as the application's, or None if that has to answer.

        A gateway's request has no body. `closes` tells whether the connection ends with the response.

        PERF: a response is formatted at once. To join it from pieces that are formatted takes twice as long.
        """
        lane, end = self._lane, self._ends[closes]
        if lane is None:
            return None
        if request.length:
            answer = lane.answer(request, body)
            if answer is None:
                return None
            lines, value, content = answer
            return _DECISION % (request.id, lines, value, len(content), self._date.now(), end, content)
        outcome = lane.outcome(request, self._peer())
        if outcome is None:
            return None
        status, lines, content = outcome
        head = _STATUS_LINES[status], request.id, lines, len(content), self._date.now(), end
        return _OUTCOME % (*head, b"" if request.method == "HEAD" else content)
