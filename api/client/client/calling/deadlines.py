"""Ends a whole exchange of a blocking session at one instant, also if its bytes come slowly, one after the other.

The timeouts of httpx bound each wait: the one for a connection, that for TLS, and each read. So a server that sends a
byte of its headers now and then could hold a call for as long as it likes.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import httpx

PIECE_BYTES: Final = 16 * 1024
"""The most bytes that are written at a time. Each piece gets the time that is left."""

_CONNECTED: Final = (".connect_tcp.complete", ".connect_unix_socket.complete", ".start_tls.complete")
"""The ends of the events of a new connection, whose result is its stream."""


class _Exchange(threading.local):
    """The end of this thread's exchange, an instant of the monotonic clock, or None outside of one."""

    ends: float | None = None


_exchange = _Exchange()


class _Timeouts(dict[str, Any]):
    """The timeouts of a request. Each of them ends with the exchange."""

    def get(self, name: str, default: Any = None) -> Any:
        """Returns a timeout in seconds."""
        return _time_left(super().get(name, default))


@contextmanager
def ending_at(request: httpx.Request, ends: float) -> Iterator[None]:
    """Wraps a block that sends a request and reads its answer. What waits after `ends` raises TimeoutError.

    The lookup of a name is not bounded: the system's resolver has its own limits.
    """
    request.extensions["timeout"] = _Timeouts(request.extensions["timeout"])
    request.extensions["trace"] = _bound_connections
    _exchange.ends = ends
    try:
        yield
    finally:
        _exchange.ends = None


def _time_left(most: float | None) -> float | None:
    """Returns the seconds that are left of the exchange, up to `most`. Raises TimeoutError if there are none."""
    if _exchange.ends is None:
        return most
    left = _exchange.ends - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left if most is None else min(most, left)


def _bound_connections(event: str, info: Mapping[str, Any]) -> None:
    """Takes the events of a request (the extension `trace` of httpcore), and bounds each stream that it opens."""
    if event.endswith(_CONNECTED):
        stream: Any = info["return_value"]
        # A connection outlives its first exchange, so the stream asks for the present one each time.
        stream.read, stream.write = _bounded_read(stream.read), _bounded_write(stream.write)


def _bounded_read(read: Callable[[int, float | None], bytes]) -> Callable[..., bytes]:
    def bounded(max_bytes: int, timeout: float | None = None) -> bytes:
        return read(max_bytes, _time_left(timeout))

    return bounded


def _bounded_write(write: Callable[[bytes, float | None], None]) -> Callable[..., None]:
    def bounded(buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), PIECE_BYTES):
            write(buffer[start : start + PIECE_BYTES], _time_left(timeout))

    return bounded
