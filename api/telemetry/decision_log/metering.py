"""Adds what the decision log of a worker has done to the counters of that worker, every second."""

from collections.abc import Mapping

from ..metrics.counts import Counts
from ..metrics.definitions import (
    LOG_BYTES,
    LOG_DROPPED,
    LOG_ERRORS,
    LOG_LIMIT_BYTES,
    LOG_LIMIT_CALLS,
    LOG_QUEUE_BYTES,
    LOG_QUEUE_CALLS,
    LOG_RECORDS,
)
from ..metrics.metric import Metric, Series
from .decision_log import DecisionLog
from .entry import Waiting
from .writer import Writer


class Metering:
    """The numbers of one worker. PERF: its log counts for itself, and only the difference goes into the table."""

    def __init__(self, counts: Counts, waiting: Waiting, log: DecisionLog, writer: Writer) -> None:
        self._counts, self._waiting, self._log, self._writer = counts, waiting, log, writer
        self._before: dict[tuple[Metric, Series], int] = {}

    def beat(self) -> None:
        """Take over the numbers of now. Only the thread of the event loop calls it."""
        for key, now in self._totals().items():
            self._counts.add(*key, now - self._before.get(key, 0))
            self._before[key] = now
        waiting = self._waiting
        self._counts.set(LOG_QUEUE_CALLS, (), waiting.entries)
        self._counts.set(LOG_QUEUE_BYTES, (), waiting.bytes)
        self._counts.set(LOG_LIMIT_CALLS, (), waiting.bounds.entries)
        self._counts.set(LOG_LIMIT_BYTES, (), waiting.bounds.bytes)

    def _totals(self) -> Mapping[tuple[Metric, Series], int]:
        writer = self._writer
        return {
            (LOG_RECORDS, ()): writer.written,
            (LOG_BYTES, ()): writer.bytes,
            (LOG_ERRORS, ()): writer.errors,
            (LOG_DROPPED, ("full",)): self._waiting.dropped,
            (LOG_DROPPED, ("refused",)): writer.refused,
            (LOG_DROPPED, ("failed",)): self._log.failed + writer.failed,
            (LOG_DROPPED, ("stopped",)): writer.left,
        }
