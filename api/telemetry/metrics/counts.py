"""The counters of a process: every call adds to the process's row of the table.

PERF: what is counted for an evaluation over HTTP may take 5 % of its time. So a caller asks once for the places of its
counters, and no call makes an object.
"""

import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from time import perf_counter_ns
from typing import Final, NamedTuple

from ....bundles.manifest import Environment
from ....runtime import BadRequest, Engine
from ....runtime.requests.members import RequestFault
from .blocks import EnvironmentBlocks
from .counter_layout import LAST, LEAVES, SHIFT, SUM, Layout
from .counter_table import CounterTable
from .definitions import (
    BUILD_SECONDS,
    BUILDS,
    CACHE_LOOKUPS,
    COMMITS,
    CONFIRMATION_TIMEOUTS,
    CONFIRMATIONS,
    DECISIONS,
    ERROR,
    GRPC_LATENCIES,
    GRPC_REQUESTS,
    IN_FORCE_SINCE,
    LATENCIES,
    OK,
    OTHER,
    OUTCOMES,
    REFUSED_CREDENTIALS,
    REFUSED_EARLY,
    REQUESTS,
    REVISION,
    SEARCHES,
    STATUS_CLASSES,
    STATUSES,
    STORE_SECONDS,
    STRICT_FAULTS,
    WORKER_STARTS,
)
from .metric import Metric, Series

NO_ENVIRONMENT: Final = "(none)"
"""The name for a bundle that belongs to no environment, since it was compiled from files."""

_STATUS_TEXTS: Final = {status: str(status) for status in STATUSES}
_NANO: Final = 10**9


class RequestCells(NamedTuple):
    """The places of the counters of one route, method and status: the requests, and the histogram of their times.

    `requests` is None for the status 200. The number of these follows from their times.
    """

    requests: int | None
    times: int


class Counts:
    """The counters of one process, used by the thread of its event loop. Any thread may call `stored`, `confirmed`."""

    def __init__(self, table: CounterTable) -> None:
        """Counts in the row of the process that forks the workers, until `start_worker`."""
        self.table, self._layout = table, table.layout
        at = self._layout.at
        self._decisions = {code: at(DECISIONS, series) for code, series in OUTCOMES.items()}
        self._errors = at(DECISIONS, ERROR)
        self._resource_searches, self._filter_hits = at(SEARCHES, ("resource",)), at(CACHE_LOOKUPS, ("filters", "hit"))
        self._stored = {is_write: at(STORE_SECONDS, ("write" if is_write else "read",)) for is_write in (False, True)}
        self._number: int | None = None
        self._take(table.own_row())

    @classmethod
    def apart(cls, routes: Iterable[tuple[str, str]] = ()) -> "Counts":
        """Returns counters of one process alone, such as a test or a command."""
        return cls.shared(routes, 1)

    @classmethod
    def shared(cls, routes: Iterable[tuple[str, str]], places: int, clock: Callable[[], float] = time.time) -> "Counts":
        """Returns counters for a server with these routes and at most `places` workers at a time.

        `clock` gives epoch seconds.
        """
        return cls(CounterTable(Layout(tuple(routes)), places, clock))

    def start_worker(self, place: int) -> None:
        """Count in the row of a worker from now on. No other living worker has this place."""
        self._take(self.table.row(place))
        self._number = self.table.number_of(place)
        self.add(WORKER_STARTS)
        self.sample_minute()  # what the last worker of this row counted belongs to its own minutes

    def stop_worker(self) -> None:
        """Note that this worker was asked to stop: its end is no loss."""
        self.row[LEAVES] = 1

    def sample_minute(self) -> None:
        """Keep what was counted before this minute, if that was not done yet. Called every second."""
        if self._number is not None:
            self.table.hour.take(self._number)

    def _take(self, row: memoryview) -> None:
        self.row = row
        """PERF: the decision lane writes to it by itself."""
        self._blocks = EnvironmentBlocks(self._layout, row)
        self._blocks.repair()
        self._starts: dict[str, int] = {}
        self._engine: Engine | None = None
        self._start = 0
        self._existing: Collection[str] | None = None
        self._lock = threading.Lock()  # a lock of the parent may be held by one of its threads

    # -- requests

    def cells_of(self, route: tuple[str, str], status: int) -> RequestCells:
        """Returns the places for answers of a status on a route: its path template, and a method."""
        if status == HTTPStatus.OK:
            return RequestCells(None, self._layout.at(LATENCIES, OK, route))
        text, class_ = _STATUS_TEXTS.get(status, OTHER), STATUS_CLASSES[min(max(status // 100, 1), 5) - 1]
        return RequestCells(self._layout.at(REQUESTS, (text,), route), self._layout.at(LATENCIES, (class_,), route))

    def cells_of_call(self, route: str, status: str) -> RequestCells:
        """Returns the places for calls over gRPC that end with a status of `GRPC_STATUSES`."""
        return RequestCells(self._layout.at(GRPC_REQUESTS, (route, status)), self._layout.at(GRPC_LATENCIES, (route,)))

    def answered(self, cells: RequestCells, began: int) -> None:
        """Counts an answer. `began` is `perf_counter_ns` when the work on it began."""
        self._observe(cells.times, perf_counter_ns() - began)
        if cells.requests is not None:
            self.row[cells.requests] += 1

    def refused_early(self, status: int) -> None:
        """Counts an answer to what could not be read as a request."""
        self.add(REFUSED_EARLY, (str(int(status)),))

    def refused_credential(self, blocked: bool) -> None:
        """Counts a wrong credential. `blocked` says that its address had too many of them."""
        self.add(REFUSED_CREDENTIALS, ("blocked" if blocked else "refused",))

    # -- decisions

    def decided(self, engine: Engine, code: str) -> None:
        """Counts a decision of an engine by its reason code."""
        if engine is not self._engine:  # PERF: most decisions are of one engine
            self._engine, self._start = engine, self._start_of(engine.manifest.environment)
        self.row[self._start + self._decisions[code]] += 1

    def found_filter(self, engine: Engine) -> None:
        """Counts a search of an engine for resources, whose filter was cached. PERF: without a lookup of a metric."""
        if engine is not self._engine:
            self._engine, self._start = engine, self._start_of(engine.manifest.environment)
        row = self.row
        row[self._start + self._resource_searches] += 1
        row[self._filter_hits] += 1

    def decided_many(self, engine: Engine, codes: Sequence[str | None]) -> None:
        """Counts decisions by their reason codes. An item that could not be decided has None."""
        if engine is not self._engine:
            self._engine, self._start = engine, self._start_of(engine.manifest.environment)
        row, start, places = self.row, self._start, self._decisions
        for code in set(codes):  # PERF: a Counter takes twice as long
            row[start + (self._errors if code is None else places[code])] += codes.count(code)

    def searched(self, engine: Engine, search: str) -> None:
        """Counts a search for a `resource`, a `subject` or an `action`."""
        self.row[self._start_of(engine.manifest.environment) + self._layout.at(SEARCHES, (search,))] += 1

    def faulted(self, engine: Engine, faults: Iterable[RequestFault]) -> None:
        """Counts the faults of a strict request (E8)."""
        for fault in faults:
            self.row[self._start_of(engine.manifest.environment) + self._layout.at(STRICT_FAULTS, (fault.code,))] += 1

    @contextmanager
    def counting_faults(self, engine: Engine) -> Iterator[None]:
        """Counts the faults of a strict request that is refused inside."""
        try:
            yield
        except BadRequest as ex:
            self.faulted(engine, ex.strict_faults)
            raise

    def looked_up_filter(self, found: bool) -> None:
        """Counts a lookup of a filter in the cache."""
        self.add(CACHE_LOOKUPS, ("filters", "hit" if found else "miss"))

    def in_force(self, engine: Engine, now: float) -> None:
        """Tells which revision is in force, and when it came into force: at `now`, in epoch seconds, if it is new."""
        revision = engine.revision
        if self._set_in_block(engine, REVISION, revision):
            self._set_in_block(engine, IN_FORCE_SINCE, int(now * _NANO))

    def told(self, engine: Engine, metric: Metric, seconds: float) -> None:
        """Sets a time of an environment, in epoch seconds."""
        self._set_in_block(engine, metric, int(seconds * _NANO))

    def keep_environments(self, uuids: Collection[str]) -> None:
        """Free the counters of environments that do not exist any more."""
        if uuids != self._existing:
            self._blocks.keep_only(uuids)
            self._starts.clear()
            self._engine = None
            self._existing = uuids

    def _set_in_block(self, engine: Engine, metric: Metric, value: int) -> bool:
        """Sets a gauge. 0 means that there is no value, so each is stored plus 1. Returns whether it has changed."""
        at = self._start_of(engine.manifest.environment) + self._layout.at(metric)
        changed = self.row[at] != value + 1
        self.row[at] = value + 1
        return changed

    def _start_of(self, environment: Environment | None) -> int:
        uuid, id = ("", NO_ENVIRONMENT) if environment is None else (environment.uuid, environment.id)
        start = self._starts.get(uuid)
        if start is None:
            start = self._starts[uuid] = self._blocks.start_of(uuid, id)
        return start

    # -- everything else

    def add(self, metric: Metric, series: Series = (), count: int = 1) -> None:
        """Adds to a counter that is split by nothing."""
        self.row[self._layout.at(metric, series)] += count

    def set(self, metric: Metric, series: Series, value: int) -> None:
        """Sets a gauge that is split by nothing."""
        self.row[self._layout.at(metric, series)] = value

    def stored(self, is_write: bool, seconds: float) -> None:
        """Counts a transaction of the store."""
        with self._lock:
            self._observe(self._stored[is_write], int(seconds * _NANO))

    def committed(self, seconds: float) -> None:
        """Counts a commit by the time until it was in force."""
        self._observe(self._layout.at(COMMITS), int(seconds * _NANO))

    def confirmed(self, seconds: float, lapsed: bool) -> None:
        """Counts a write by its wait for the other servers. `lapsed` says that it waited for the end of a lease."""
        with self._lock:
            self._observe(self._layout.at(CONFIRMATIONS), int(seconds * _NANO))
            if lapsed:
                self.add(CONFIRMATION_TIMEOUTS)

    def built(self, seconds: float, succeeded: bool) -> None:
        """Counts a bundle that was built, or could not be built."""
        self.add(BUILDS, ("built" if succeeded else "failed",))
        self._observe(self._layout.at(BUILD_SECONDS), int(seconds * _NANO))

    def _observe(self, at: int, taken: int) -> None:
        """Adds a time in nanoseconds to the histogram at a place."""
        self.row[at + min((taken >> SHIFT).bit_length(), LAST)] += 1
        self.row[at + SUM] += taken
