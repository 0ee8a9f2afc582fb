"""Makes the answer to a request for metrics: from the table of counters, and from what is read for it."""

from collections.abc import Mapping
from functools import partial
from importlib.metadata import version
from typing import Protocol

from ...engines.work.fair_threads import FairThreads
from ...store.environment_ids import Bounds
from ...telemetry.metrics.counter_table import CounterTable
from ...telemetry.metrics.definitions import BUILD_INFO, Metric, MetricServer, Series
from ...telemetry.metrics.exposition import MetricsScope, exposition


class Readings(Protocol):
    """The readings for an answer, always by the same thread."""

    def environments(self) -> Mapping[str, str] | None:
        """Returns the ids of all environments by their UUIDs, or None if that is not known now."""

    def read(self) -> Mapping[Metric, Mapping[Series, float]]:
        """Returns the values of metrics that are not counted."""


class NoReadings:
    """An agent has no store to read."""

    def environments(self) -> None:
        """Returns None: an agent decides for one environment alone."""

    def read(self) -> Mapping[Metric, Mapping[Series, float]]:
        """Returns nothing."""
        return {}


class MetricsAnswering:
    """Answers for one server. The work takes milliseconds, so a thread does it, one answer at a time."""

    def __init__(self, table: CounterTable, where: MetricServer, readings: Readings) -> None:
        self._table, self._where, self._readings = table, where, readings
        self._build_info: Mapping[Metric, Mapping[Series, float]] = {BUILD_INFO: {(version("writ-pdp"),): 1.0}}
        self._thread = FairThreads(1, "metrics")

    async def answer(self, accept: str, bounds: Bounds) -> tuple[bytes, str]:
        """Returns the text and its content type.

        `accept` is the client's `Accept` header, or empty. `bounds` are the environments that the caller may see.
        """
        return await self._thread.run(partial(self._made, accept, bounds))

    def _made(self, accept: str, bounds: Bounds) -> tuple[bytes, str]:
        asked = MetricsScope(where=self._where, bounds=bounds, existing=self._readings.environments())
        return exposition(self._table, {**self._readings.read(), **self._build_info}, asked, accept)
