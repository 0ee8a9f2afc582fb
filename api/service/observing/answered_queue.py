"""The queue of answered requests for the access log and traces, so that the event loop waits for no disk or network."""

import logging
import time
from collections.abc import Sequence
from typing import Final, Protocol

from ...telemetry.bounded_queue import TURN_ENTRIES, BoundedQueue, Bounds, QueueThread, give_turn
from .answered import Answered

BOUNDS: Final = Bounds(entries=20_000, bytes=16_777_216)
"""The answers of a worker that wait. The bytes are enough for as many with ordinary headers."""

OWN_BYTES: Final = 400
"""Memory of an answer beside its texts."""

LOSS: Final = "%d requests are in no access log and no telemetry"


def memory_of(one: Answered) -> int:
    """Returns the bytes of memory of an answer that waits, about. Its route and environment are shared with others."""
    headers = len(one.request_id) + len(one.traceparent or b"") + len(one.tracestate or b"")
    return OWN_BYTES + len(one.method) + len(one.caller) + headers


class RequestReport(Protocol):
    """Reports answers, in the thread of a worker."""

    def start_worker(self, place: int) -> None:
        """Prepare in a forked worker, at its place."""

    def take(self, answers: Sequence[Answered]) -> None:
        """Report answers. It may take long."""

    def finish(self, seconds: float) -> None:
        """Report the answers that are left, for so many seconds at most."""


class AnsweredQueue:
    """The queue of a worker and its thread. See `Observer`."""

    def __init__(self, tellers: Sequence[RequestReport], log: logging.Logger) -> None:
        self._tellers, self._log = tellers, log
        self._queue = BoundedQueue[Answered](BOUNDS, log, LOSS)
        self._put = self._queue.put
        self._thread = QueueThread("observing", self._pass)

    def answered(self, one: Answered) -> None:
        """See `Observer`. PERF: `memory_of` is written out, as this is called for each decision."""
        headers = len(one.request_id) + len(one.traceparent or b"") + len(one.tracestate or b"")
        self._put(one, OWN_BYTES + len(one.method) + len(one.caller) + headers)

    def start_worker(self, place: int) -> None:
        """Start the thread, in a worker."""
        for teller in self._tellers:
            teller.start_worker(place)
        self._thread.start()

    def stop(self, seconds: float) -> None:
        """Report the waiting answers, for so many seconds at most."""
        until = time.monotonic() + seconds
        self._thread.stop(seconds)
        for teller in self._tellers:
            teller.finish(max(0.0, until - time.monotonic()))

    def _pass(self) -> None:
        """The event loop does not log what was dropped: a log without a reader would stop the loop."""
        fresh = self._queue.fresh
        while fresh:
            some = [fresh.popleft() for _ in range(min(TURN_ENTRIES, len(fresh)))]
            self._queue.free(len(some), sum(map(memory_of, some)))
            self._tell(some)
            give_turn()
        self._queue.report(at_once=self._thread.is_stopping)

    def _tell(self, some: Sequence[Answered]) -> None:
        for teller in self._tellers:
            try:
                teller.take(some)
            except Exception as ex:  # whatever it is must not end the thread, or the other teller
                self._log.error("answered requests could not be logged: %s", type(ex).__name__, exc_info=ex)
