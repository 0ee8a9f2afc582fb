"""Makes the answer to a request for metrics: from the table of counters, and from what is read for it."""

import threading
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from importlib.metadata import version
from typing import Protocol, TypeAlias

from ...http.pace import Pace
from ...store.environment_ids import Bounds
from ...telemetry.metrics.counter_table import CounterTable
from ...telemetry.metrics.definitions import BUILD_INFO, READY
from ...telemetry.metrics.exposition import MetricsScope, exposition
from ...telemetry.metrics.metric import Metric, MetricServer, Series
from .machine_readings import MachineReadings


class Readings(Protocol):
    """The readings for an answer, by one thread at a time."""

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


Page: TypeAlias = tuple[bytes, str]
"""The text of an answer and its content type."""


class MetricsAnswering:
    """Answers for one server. The work takes milliseconds, so a thread does it, one answer at a time with pauses.

    An answer is never older than its request.
    """

    def __init__(
        self,
        table: CounterTable,
        where: MetricServer,
        readings: Readings,
        in_thread: Callable[[Callable[[], Page]], Awaitable[Page]],
        machine: MachineReadings,
        is_ready: Callable[[], Awaitable[bool]],
    ) -> None:
        """`in_thread` returns the result of work that a thread does. `machine` reads what surrounds the server.

        `is_ready` returns whether `/readyz` answers 200.
        """
        self._table, self._where, self._readings, self._in_thread = table, where, readings, in_thread
        self._build_info: Mapping[Metric, Mapping[Series, float]] = {BUILD_INFO: {(version("writ-pdp"),): 1.0}}
        self._machine, self._is_ready = machine, is_ready
        self._lock, self._pace = threading.Lock(), Pace()

    async def answer(self, accept: str, bounds: Bounds) -> Page:
        """Returns the text and its content type.

        `accept` is the client's `Accept` header, or empty. `bounds` are the environments that the caller may see.
        """

        async def make() -> Page:
            ready: Mapping[Metric, Mapping[Series, float]] = {READY: {(): await self._is_ready()}}
            return await self._in_thread(partial(self._made, accept, bounds, ready))

        return await self._pace.make(make)

    def _made(self, accept: str, bounds: Bounds, ready: Mapping[Metric, Mapping[Series, float]]) -> Page:
        with self._lock:
            asked = MetricsScope(where=self._where, bounds=bounds, existing=self._readings.environments())
            machine = self._machine.read(self._table.processes())
            read = {**self._readings.read(), **machine, **self._build_info, **ready}
            return exposition(self._table, read, asked, accept)
