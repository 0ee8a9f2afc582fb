"""The headers that let a call be found again: `X-Request-ID`, and `traceparent` (W3C Trace Context)."""

import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, Final, TypeAlias

REQUEST_ID: Final = "X-Request-ID"
TRACE: Final = "traceparent"
TRACE_STATE: Final = "tracestate"

_OPENTELEMETRY: Final = "opentelemetry.trace"
_LONGEST: Final = 512

TextNow: TypeAlias = Callable[[], str | None] | ContextVar[str] | ContextVar[str | None]
"""Gives a text for the present call, or None: a function, or a context variable."""


def headers_now(request_id: TextNow | None, traceparent: TextNow | None) -> dict[str, str]:
    """Returns the headers of a call. Without `traceparent`, they name the current span of OpenTelemetry, if it is used.

    A text that can't be the value of a header is left out.
    """
    found = {REQUEST_ID: _text(request_id)}
    if traceparent is not None:
        found[TRACE] = _text(traceparent)
    else:
        found.update(_of_current_span())
    return {name: text for name, text in found.items() if text is not None and _fits(text)}


def _text(source: TextNow | None) -> str | None:
    if source is None:
        return None
    return source.get(None) if isinstance(source, ContextVar) else source()


def _fits(text: object) -> bool:
    return isinstance(text, str) and 0 < len(text) <= _LONGEST and text.isascii() and text.isprintable()


def _of_current_span() -> Iterator[tuple[str, str]]:
    """Yields the headers of OpenTelemetry's current span. Its package is not loaded for that."""
    trace: Any = sys.modules.get(_OPENTELEMETRY)
    if trace is None:
        return
    span = trace.get_current_span().get_span_context()
    if span.is_valid:
        yield TRACE, f"00-{span.trace_id:032x}-{span.span_id:016x}-{span.trace_flags & 0xFF:02x}"
        yield TRACE_STATE, span.trace_state.to_header()
