"""The gauges of a worker: it measures them every second, and writes them into its row of the table."""

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Protocol

from ....runtime import Engine
from ...telemetry.metrics.counts import Counts
from ...telemetry.metrics.definitions import CACHE_ENTRIES, CACHE_LOOKUPS, CONNECTIONS


class Remembered(Protocol):
    """A cache of credentials. `hits` and `misses` count its lookups."""

    hits: int
    misses: int

    def __len__(self) -> int:
        """Returns its entries."""


class WorkerGauges:
    """The gauges of one worker."""

    def __init__(
        self,
        counts: Counts,
        credentials: Remembered,
        engines: Callable[[], Iterable[Engine]],
        environments: Callable[[], Collection[str] | None] = lambda: None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`engines` returns those that are open, and `environments` the UUIDs of all environments, or None if that is
        not known. `clock` gives epoch seconds.
        """
        self._environments = environments
        self._counts, self._credentials, self._engines, self._clock = counts, credentials, engines, clock
        self._hits = self._misses = 0

    def beat(self) -> None:
        """Measure. Called every second."""
        self._counts.sample_minute()
        existing, engines = self._environments(), list(self._engines())
        if existing is not None:
            self._counts.keep_environments(existing)
        for engine in engines:
            self._counts.in_force(engine, self._clock())
        sizes = [engine.cache_sizes() for engine in engines]
        found = {
            "credentials": len(self._credentials),
            "filters": sum(one.filters for one in sizes),
            "subjects": sum(one.subjects for one in sizes),
            "role_sets": sum(one.role_sets for one in sizes),
            "programs": sum(one.programs for one in sizes),
        }
        for cache, entries in found.items():
            self._counts.set(CACHE_ENTRIES, (cache,), entries)
        self._count_lookups()

    def _count_lookups(self) -> None:
        """PERF: the cache counts for itself, and only the difference goes into the table."""
        hits, misses = self._credentials.hits, self._credentials.misses
        self._counts.add(CACHE_LOOKUPS, ("credentials", "hit"), hits - self._hits)
        self._counts.add(CACHE_LOOKUPS, ("credentials", "miss"), misses - self._misses)
        self._hits, self._misses = hits, misses

    def tell_connections(self, states: Mapping[str, int]) -> None:
        """Take over how many connections are in each state."""
        for state, connections in states.items():
            self._counts.set(CONNECTIONS, (state,), connections)
