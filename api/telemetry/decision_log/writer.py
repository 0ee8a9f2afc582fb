"""The thread of a worker that turns entries into records, and gives them to the sink."""

import logging
import time
from collections.abc import Callable
from typing import Any, Final, Protocol

from ..bounded_queue import TURN_ENTRIES, BoundedQueue, QueueThread, give_turn
from .record import ENCODER, Record
from .rendering import Rendering
from .sinks.sink import Sink, SinkFailed, SinkRefused
from .turns import Lines, Ready

FIRST_RETRY_SECONDS: Final = 0.25
LAST_RETRY_SECONDS: Final = 15.0
"""The longest wait of the thread after a failure of the sink, in seconds.

Each wait is twice as long as the one before.
"""

STOP_SECONDS: Final = 5.0
"""The default time that a worker which stops gives to its records."""


class ReadyEntries(Protocol):
    """The entries that the writer takes, the oldest first."""

    def __len__(self) -> int: ...

    def popleft(self) -> Ready: ...


class Writer:
    """Writes until it is told to stop, and then for a bounded time what is left.

    `written` and `bytes` count records, `errors` what the sink did not take, `refused` and `failed` records that are
    lost, and `left` the calls that were not written before the end.
    `keeps_all` says that a record which the sink refuses is tried again and again: no decision goes without.
    """

    def __init__(
        self,
        waiting: BoundedQueue[Any],
        ready: ReadyEntries,
        sink: Sink,
        rendering: Rendering,
        log: logging.Logger,
        keeps_all: bool,
        shape: Callable[[Record], object],
    ) -> None:
        """`shape` returns what is written of a record."""
        self._waiting, self._ready, self._sink, self._rendering, self._log = waiting, ready, sink, rendering, log
        self._keeps_all, self._shape = keeps_all, shape
        self.written = self.bytes = self.errors = self.refused = self.failed = self.left = 0
        self._texts: list[bytes] = []
        self._count, self._size, self._since = 0, 0, 0.0
        self._rendered = self._rendered_bytes = 0
        self._is_over = False
        self._thread = QueueThread("decision-log", self._guarded)

    def start(self) -> None:
        """Start the thread, in a worker."""
        self._thread.start()

    def stop(self, seconds: float) -> None:
        """Write what is left, for so many seconds at most. Logs how much is lost."""
        self._thread.stop(seconds)
        self.left = self._waiting.entries
        if self.left:
            self._log.error("the decision log is incomplete: %d calls were not written in %g s", self.left, seconds)

    def _guarded(self) -> None:
        """A pass must not end the thread, whatever an entry is: it is lost, counted and told."""
        try:
            self._pass()
        except Exception as ex:
            self._log.error("the decision log lost records: %s", type(ex).__name__, exc_info=ex)
            self.failed += max(self._count, 1)
            self._forget()

    def _pass(self) -> None:
        """Render all that waits, and send what is due."""
        turn = 0
        while self._ready and not self._is_over:
            entry = self._ready.popleft()
            self._rendered_bytes += entry.cost
            if isinstance(entry, Lines):
                self._rendered += entry.calls
                self._add(entry.text, entry.records)
                continue
            self._rendered += 1
            for record in self._rendering.records(entry):
                self._add(ENCODER.encode(self._shape(record)) + b"\n", 1)
            turn += 1
            if turn % TURN_ENTRIES == 0:
                give_turn()
        due = self._thread.is_stopping or time.monotonic() - self._since >= self._sink.batch_seconds
        if due and (self._count or self._rendered):
            self._send()

    def _add(self, text: bytes, records: int) -> None:
        if not self._count:
            self._since = time.monotonic()
        if records:
            self._texts.append(text)
        self._count += records
        self._size += len(text)
        if self._size >= self._sink.batch_bytes:
            self._send()

    def _send(self) -> None:
        """Send the records, however often it takes. Their entries count until then."""
        wait = FIRST_RETRY_SECONDS
        while self._count and not self._is_over:
            try:
                self._sink.send(b"".join(self._texts))
            except SinkFailed as ex:
                self.errors += 1
                self._log.error("the decision log can't be written: %s", ex)
            except SinkRefused as ex:
                self.errors += 1
                self._log.error("the decision log lost records: %s", ex)
                if not self._keeps_all:
                    self.refused += self._count
                    self._forget()
                    return
            else:
                self.written += self._count
                self.bytes += self._size - self._count
                self._forget()
                return
            self._is_over = not self._thread.pause(wait, FIRST_RETRY_SECONDS)
            wait = min(2 * wait, LAST_RETRY_SECONDS)
        if not self._count:
            self._forget()

    def _forget(self) -> None:
        self._waiting.free(self._rendered, self._rendered_bytes)
        self._texts, self._count, self._size = [], 0, 0
        self._rendered = self._rendered_bytes = 0
