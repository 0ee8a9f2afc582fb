"""The queue of answered requests for the access log and traces, so that the event loop waits for no disk or network."""

import logging
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import Final, Protocol

from .answered import Answered

MOST_WAITING: Final = 20_000
"""Answers of a worker that wait. Further ones are dropped and counted."""

MOST_WAITING_BYTES: Final = 16_777_216
"""Memory of these answers, which is enough for as many with ordinary headers. Further ones are dropped, too."""

OWN_BYTES: Final = 400
"""Memory of an answer beside its texts."""

POLL_SECONDS: Final = 0.05
"""The seconds between two looks of the thread. PERF: it is not woken, so an answer costs the event loop little."""

TURN_ANSWERS: Final = 32
"""Answers after which the event loop has a turn."""

REPORT_SECONDS: Final = 10.0
"""The seconds between two messages of a worker about dropped answers."""


def memory_of(one: Answered) -> int:
    """Returns the bytes of memory of an answer that waits, about. Its route is shared with others."""
    headers = len(one.request_id or b"") + len(one.traceparent or b"") + len(one.tracestate or b"")
    return OWN_BYTES + len(one.method) + len(one.environment) + len(one.caller) + headers


class RequestReport(Protocol):
    """Reports answers, in the thread of a worker."""

    def start_worker(self, place: int) -> None:
        """Prepare in a forked worker, at its place."""

    def take(self, answers: Sequence[Answered]) -> None:
        """Report answers. It may take long."""

    def finish(self, seconds: float) -> None:
        """Report the answers that are left, for so many seconds at most."""


class AnsweredQueue:
    """The queue of a worker and its thread. The event loop alone puts, the thread alone takes. See `Observer`."""

    def __init__(self, tellers: Sequence[RequestReport], log: logging.Logger) -> None:
        self._tellers, self._log = tellers, log
        self._queue: deque[Answered] = deque()
        self._put_bytes = self._taken_bytes = 0  # each is written by one thread alone
        self._dropped = self._reported = 0
        self._reported_at = -REPORT_SECONDS
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="observing", daemon=True)

    def answered(self, one: Answered) -> None:
        """See `Observer`."""
        size = memory_of(one)
        if len(self._queue) < MOST_WAITING and self._put_bytes - self._taken_bytes + size <= MOST_WAITING_BYTES:
            self._put_bytes += size
            self._queue.append(one)
        else:
            self._dropped += 1

    def start_worker(self, place: int) -> None:
        """Start the thread, in a worker."""
        for teller in self._tellers:
            teller.start_worker(place)
        self._thread.start()

    def stop(self, seconds: float) -> None:
        """Report the waiting answers, for so many seconds at most."""
        until = time.monotonic() + seconds
        self._stopping.set()
        self._thread.join(seconds)
        for teller in self._tellers:
            teller.finish(max(0.0, until - time.monotonic()))

    def _run(self) -> None:
        while not self._stopping.wait(POLL_SECONDS):
            self._pass()
            self._report()
        self._pass()
        self._reported_at = -REPORT_SECONDS
        self._report()

    def _report(self) -> None:
        """The event loop does not log it: a log without a reader would stop the loop."""
        dropped, now = self._dropped, time.monotonic()
        if dropped > self._reported and now - self._reported_at >= REPORT_SECONDS:
            self._log.error("%d requests are in no access log and no telemetry", dropped - self._reported)
            self._reported, self._reported_at = dropped, now

    def _pass(self) -> None:
        while self._queue:
            some = [self._queue.popleft() for _ in range(min(TURN_ANSWERS, len(self._queue)))]
            self._taken_bytes += sum(map(memory_of, some))
            for teller in self._tellers:
                try:
                    teller.take(some)
                except Exception as ex:  # whatever it is must not end the thread, or the other teller
                    self._log.error("requests are not told of: %s", type(ex).__name__, exc_info=ex)
            time.sleep(0)  # gives the interpreter to the event loop
