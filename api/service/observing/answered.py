"""A request that was answered, as the event loop leaves it for the access log and for telemetry."""

from collections.abc import Mapping
from time import perf_counter_ns, time_ns
from typing import Final, Protocol

import msgspec

from ...http.caller import CALLER
from ...telemetry.log_lines import LONGEST_REQUEST_ID, TRACE

TRACE_STATE: Final = b"tracestate"
"""The header with what tracing systems add to a trace, in lower case."""

LONGEST_TRACE: Final = 56
"""The bytes that are kept of a `traceparent`. It has 55, and one more tells whether it goes on."""

LONGEST_TRACE_STATE: Final = 512
"""The bytes that are kept of a `tracestate`, as W3C Trace Context asks for. Members that do not fit are left out."""


class Answered(msgspec.Struct, frozen=True, gc=False):
    """An answer. It has neither the path of the request nor its body: both may have personal data.

    `method` and `route`, a path template, are empty if the request could not be read, or has no route. `ended` is in
    nanoseconds since 1970, `taken` in nanoseconds, `size` the bytes of the answer's body. `environment` is an id, and
    `caller` the actor of a credential. Both are empty if no credential was accepted. What the client sent is cut.
    """

    method: str
    route: str
    status: int
    ended: int
    taken: int
    size: int
    environment: str
    caller: str
    is_secure: bool
    request_id: bytes
    traceparent: bytes | None
    tracestate: bytes | None


class Observer(Protocol):
    """Takes what was answered. It never waits, and never raises."""

    def answered(self, one: Answered) -> None:
        """Takes an answer."""


def answer_of(
    route: tuple[str, str],
    status: int,
    began: int,
    size: int,
    fields: Mapping[bytes, bytes],
    is_secure: bool,
    request_id: bytes,
) -> Answered:
    """Returns an answer that is given now, to the caller that this task has noted.

    Args:
        route: the path template and the method.
        status: the status.
        began: `perf_counter_ns` when the work began.
        size: the bytes of the body.
        fields: the header fields of the request, by their names in lower case.
        is_secure: whether it goes over TLS.
        request_id: the id of the request.
    """
    environment, caller = CALLER.get()
    template, method = route
    trace, state = fields.get(TRACE), fields.get(TRACE_STATE)
    return Answered(
        method,
        template,
        status,
        time_ns(),
        perf_counter_ns() - began,
        size,
        environment,
        caller,
        is_secure,
        request_id[:LONGEST_REQUEST_ID],
        None if trace is None else trace[:LONGEST_TRACE],
        None if state is None else _whole_members(state),
    )


def _whole_members(state: bytes) -> bytes:
    """Returns the first members of a `tracestate`, as many as fit."""
    return state if len(state) <= LONGEST_TRACE_STATE else state[: LONGEST_TRACE_STATE + 1].rpartition(b",")[0]


def refusal(status: int, is_secure: bool, request_id: bytes) -> Answered:
    """Returns an answer that is given now to what could not be read as a request."""
    return Answered("", "", status, time_ns(), 0, 0, "", "", is_secure, request_id[:LONGEST_REQUEST_ID], None, None)
