"""The long updates that one worker sends at a time: clients at different revisions each need another one in memory."""

from collections.abc import Callable
from functools import partial
from typing import Final

from ...store.errors import StoreUnavailable

MOST_SENT_BYTES: Final = 64 * 1024 * 1024
"""The most bytes of different long updates that one worker sends at a time. More are 503 with `Retry-After`."""


class LongUpdates:
    """Counts each update once, however many clients get it. Only the thread of the event loop uses it."""

    def __init__(self) -> None:
        self._clients: dict[int, int] = {}
        self._bytes = 0

    def begin(self, data: bytes) -> Callable[[], None]:
        """Begin to send an update to one more client, which must keep `data` meanwhile. Returns what ends that.

        A single update may be longer than the limit. Raises StoreUnavailable.
        """
        key = id(data)
        if key not in self._clients:
            if self._bytes and self._bytes + len(data) > MOST_SENT_BYTES:
                raise StoreUnavailable("this worker already sends as many different updates as it may; try again later")
            self._clients[key], self._bytes = 0, self._bytes + len(data)
        self._clients[key] += 1
        return partial(self._end, key, len(data))

    def _end(self, key: int, size: int) -> None:
        self._clients[key] -= 1
        if not self._clients[key]:
            del self._clients[key]
            self._bytes -= size
