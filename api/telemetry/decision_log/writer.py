"""The thread of a worker that turns entries into records, and gives them to the sink."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from .entry_queue import EntryQueue, Lines
from .record import ENCODER, Record
from .rendering import Rendering
from .sinks.sink import Sink, SinkFailed, SinkRefused

POLL_SECONDS: Final = 0.1
"""The seconds between two looks of the thread for entries that are ready.

PERF: it is not woken, so an answer costs the event loop little. Each look costs as much as a decision, since the thread
and the event loop take the interpreter from each other."""

TURN_ENTRIES: Final = 32
"""Entries after which the event loop has a turn: it may wait as long as they take, half a millisecond."""

FIRST_RETRY_SECONDS: Final = 0.25
LAST_RETRY_SECONDS: Final = 15.0
"""The longest wait of the thread after a failure of the sink, in seconds.

Each wait is twice as long as the one before.
"""

STOP_SECONDS: Final = 5.0
"""The default time that a worker which stops gives to its records."""


class Writer:
    """Writes until it is told to stop, and then for a bounded time what is left.

    `written` and `bytes` count records, `errors` what the sink did not take, `refused` and `failed` records that are
    lost, and `left` the calls that were not written before the end.
    `keeps_all` says that a record which the sink refuses is tried again and again: no decision goes without.
    """

    def __init__(
        self,
        waiting: EntryQueue,
        sink: Sink,
        rendering: Rendering,
        log: logging.Logger,
        keeps_all: bool,
        shape: Callable[[Record], object],
    ) -> None:
        """`shape` returns what is written of a record."""
        self._waiting, self._sink, self._rendering, self._log = waiting, sink, rendering, log
        self._keeps_all, self._shape = keeps_all, shape
        self.written = self.bytes = self.errors = self.refused = self.failed = self.left = 0
        self._records: list[bytes] = []
        self._size, self._since = 0, 0.0
        self._rendered = self._rendered_bytes = 0
        self._stopping = threading.Event()
        self._deadline, self._is_over = 0.0, False
        self._thread = threading.Thread(target=self._run, name="decision-log", daemon=True)

    def start(self) -> None:
        """Start the thread, in a worker."""
        self._thread.start()

    def stop(self, seconds: float) -> None:
        """Write what is left, for so many seconds at most. Logs how much is lost."""
        self._deadline = time.monotonic() + seconds
        self._stopping.set()
        self._thread.join(seconds)
        self.left = self._waiting.calls
        if self.left:
            self._log.error("the decision log is incomplete: %d calls were not written in %g s", self.left, seconds)

    def _run(self) -> None:
        while not self._stopping.wait(POLL_SECONDS):
            self._guarded()
        self._guarded()

    def _guarded(self) -> None:
        """A pass must not end the thread, whatever an entry is: it is lost, counted and told."""
        try:
            self._pass()
        except Exception as ex:
            self._log.error("the decision log lost records: %s", type(ex).__name__, exc_info=ex)
            self.failed += max(len(self._records), 1)
            self._forget()

    def _pass(self) -> None:
        """Render all that waits, and send what is due."""
        turn = 0
        while not self._is_over and (entry := self._waiting.take()) is not None:
            self._rendered_bytes += entry.cost
            if isinstance(entry, Lines):
                self._rendered += entry.calls
                self._add(entry.lines)
                continue
            self._rendered += 1
            for record in self._rendering.records(entry):
                self._add([ENCODER.encode(self._shape(record))])
            turn += 1
            if turn % TURN_ENTRIES == 0:
                time.sleep(0)  # gives the interpreter to the event loop
        due = self._stopping.is_set() or time.monotonic() - self._since >= self._sink.batch_seconds
        if due and (self._records or self._rendered):
            self._send()

    def _add(self, records: list[bytes]) -> None:
        if not self._records:
            self._since = time.monotonic()
        self._records += records
        self._size += sum(map(len, records))
        if self._size >= self._sink.batch_bytes:
            self._send()

    def _send(self) -> None:
        """Send the records, however often it takes. Their entries count until then."""
        wait = FIRST_RETRY_SECONDS
        while self._records and not self._is_over:
            try:
                self._sink.send(self._records)
            except SinkFailed as ex:
                self.errors += 1
                self._log.error("the decision log can't be written: %s", ex)
            except SinkRefused as ex:
                self.errors += 1
                self._log.error("the decision log lost records: %s", ex)
                if not self._keeps_all:
                    self.refused += len(self._records)
                    self._forget()
                    return
            else:
                self.written += len(self._records)
                self.bytes += self._size
                self._forget()
                return
            self._wait(wait)
            wait = min(2 * wait, LAST_RETRY_SECONDS)
        if not self._records:
            self._forget()

    def _wait(self, seconds: float) -> None:
        """Wait for the next try, or find that there is none, because the worker stops."""
        if not self._stopping.wait(seconds):
            return
        left = self._deadline - time.monotonic()
        if left <= 0:
            self._is_over = True
        else:
            time.sleep(min(FIRST_RETRY_SECONDS, left))

    def _forget(self) -> None:
        self._waiting.free(self._rendered, self._rendered_bytes)
        self._records, self._size = [], 0
        self._rendered = self._rendered_bytes = 0
