"""The decision log of an application: a thread writes, and no decision waits for it."""

import atexit
import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from time import perf_counter_ns
from types import TracebackType
from typing import Any, Final, Literal, NamedTuple, TypeAlias
from weakref import WeakSet

from ..api.telemetry.bounded_queue import BoundedQueue, Bounds
from ..api.telemetry.decision_log.decision_ids import IDS
from ..api.telemetry.decision_log.entry import MICROSECONDS, EntryKind, Moment, Taken, cost_of
from ..api.telemetry.decision_log.masks import LEAST_KEY_CHARACTERS, BadMasks, Masks, read_masks
from ..api.telemetry.decision_log.plain_lines import PlainLines
from ..api.telemetry.decision_log.record import ENCODER, Record
from ..api.telemetry.decision_log.rendering import DEFAULT_RECORD_BYTES, Rendering
from ..api.telemetry.decision_log.sinks.file import FileSink
from ..api.telemetry.decision_log.writer import STOP_SECONDS, Writer
from ..bundles.errors import Error
from ..runtime.engine import Engine
from .fresh_entries import BOUNDS, FreshEntries
from .logged_engine import EngineSource, LoggedEngine
from .written_json import written

LOG: Final = "writ.decision_log"
"""The logger: what could not be written, and how many decisions have no record."""

_LAST: Final[ContextVar[str | None]] = ContextVar("writ_decision_id", default=None)
_LOSS: Final = "the decision log is full: %d decisions have no record"

TextNow: TypeAlias = Callable[[], str | None]
"""Gives a text for the present decision, or None, such as the method `get` of a context variable."""


class DecisionLogFull(Error):
    """The decision log can't take another record, and `when_full` is `refuse`. Treat it as a denial."""


class _Running(NamedTuple):
    """All of a log that belongs to one process. BoundedQueue takes from one thread at a time, hence the lock."""

    waiting: BoundedQueue[Taken]
    writer: Writer
    sink: FileSink
    lock: threading.Lock


class DecisionLog:
    """Writes a record of each decision to a file, as [the service](../../OPERATIONS.md#log-decisions) does.

    `log.engine(engine)` returns an engine whose decisions have records. Threads, event loops and forked processes may
    share a log, and several programs its file. Close it at the end of each process, or use it in a `with` statement:
    a record waits a tenth of a second.
    """

    def __init__(
        self,
        file: str | Path,
        *,
        caller: str = "application",
        request_id: TextNow | None = None,
        traceparent: TextNow | None = None,
        masks: Mapping[str, Sequence[Mapping[str, str]]] | Path | None = None,
        hash_key: str | None = None,
        permits: float = 1.0,
        when_full: Literal["drop", "refuse"] = "drop",
        record_bytes: int = DEFAULT_RECORD_BYTES,
        buffer_records: int = BOUNDS[0],
        buffer_bytes: int = BOUNDS[1],
    ):
        """Opens the file, for its owner alone if it is new.

        Args:
            file: Records are appended to it. It may be moved away, to rotate it.
            caller: The name of the application, the `caller` of its records.
            request_id: Gives the id of the present request.
            traceparent: Gives the header of the present trace (W3C Trace Context).
            masks: What of requests stays out, by environment, or the path of a JSON file with it.
            hash_key: The secret of the hashes that masks make, 32 characters at least.
            permits: The share of permissions that get records, from 0 to 1. All denials and searches do.
            when_full: With `drop`, a decision goes on without a record, which `dropped` counts. With `refuse`, it
                raises DecisionLogFull.
            record_bytes: The most bytes of a request and its answer. A longer record goes without both.
            buffer_records: The most records that wait.
            buffer_bytes: The most bytes that wait.

        Raises:
            ValueError: A parameter is out of its range, or masks can't be used.
            OSError: The file can't be opened.
        """
        if not (0 <= permits <= 1 and when_full in ("drop", "refuse")):
            raise ValueError("`permits` is a number from 0 to 1, and `when_full` is `drop` or `refuse`")
        if min(record_bytes, buffer_records, buffer_bytes) < 1:
            raise ValueError("the limits of a decision log are positive numbers")
        self._path, self._caller = Path(file), caller
        self._request_id, self._traceparent = request_id, traceparent
        self._rendering = Rendering(_own_request, _masks(masks, hash_key), permits, record_bytes)
        self._bounds, self._refuses = Bounds(buffer_records, buffer_bytes), when_full == "refuse"
        self._starting = threading.Lock()
        self._running: _Running | None = None
        self._closed, self._late = False, 0
        FileSink(self._path)
        _live.add(self)

    def engine(self, source: EngineSource) -> LoggedEngine:
        """Returns an engine whose answers are logged: `source`, or what it returns, as `lambda: following.engine`."""
        return LoggedEngine(source, self)

    @property
    def last_id(self) -> str | None:
        """The id of the last decision of this thread, or of this task of asyncio, or None.

        `writ explain --log` finds it. An item of `decide_many` has its place after a dot.
        """
        return _LAST.get()

    @property
    def written(self) -> int:
        """The records that this process has written."""
        return 0 if self._running is None else self._running.writer.written

    @property
    def dropped(self) -> int:
        """The calls of this process that have no record, because the log was full, closed or can't be written."""
        if self._running is None:
            return self._late
        writer = self._running.writer
        return self._late + self._running.waiting.dropped + writer.refused + writer.failed + writer.left

    def begin(self, now: float) -> Moment:
        """Returns the instant of a decision that is made now. Raises DecisionLogFull."""
        if self._refuses and (self._closed or self._here().waiting.is_full()):
            raise DecisionLogFull("the decision log is full or closed, so nothing is decided now")
        instant = int(now * MICROSECONDS)
        return Moment(instant / MICROSECONDS, instant, perf_counter_ns(), IDS.next())

    def keep(self, kind: EntryKind, moment: Moment, engine: Engine, request: object, answer: object) -> None:
        """Takes an answer. `engine` is pinned at the revision that decided. The caller may change both afterwards."""
        duration = perf_counter_ns() - moment.began
        asked, told = written(request), written(answer)
        cost, cut = cost_of(asked.json, told.json), asked.cut or told.cut
        taken = Taken(kind, moment, duration, engine, asked.json, told.json, *self._asker(), cost, cut)
        _LAST.set(moment.id.decode())
        here = self._here()
        with here.lock:
            if self._closed:  # the writer may have read the queue for the last time
                self._late += 1
                return
            here.waiting.put(taken, taken.cost, self._refuses)
            if here.waiting.dropped:
                here.waiting.report()

    def _asker(self) -> tuple[str, bytes | None, bytes | None]:
        """Returns the members of `Asker`."""
        return self._caller, _header(self._request_id), _header(self._traceparent)

    def _here(self) -> _Running:
        """Returns what belongs to this process, which starts it at the first decision."""
        running = self._running
        if running is None:
            with self._starting:
                running = self._running
                if running is None:
                    running = self._running = self._started()
        return running

    def _started(self) -> _Running:
        waiting = BoundedQueue[Taken](self._bounds, logging.getLogger(LOG), _LOSS)
        entries, sink = FreshEntries(waiting, PlainLines(self._rendering)), FileSink(self._path)
        writer = Writer(waiting, entries, sink, self._rendering, logging.getLogger(LOG), self._refuses, _unchanged)
        writer.start()
        return _Running(waiting, writer, sink, threading.Lock())

    def close(self) -> None:
        """Write what waits, for 5 seconds at most. Later decisions have no record."""
        _live.discard(self)
        here = self._here()
        with here.lock:
            if self._closed:
                return
            self._closed = True
        here.waiting.report(at_once=True)
        here.writer.stop(STOP_SECONDS)
        here.sink.leave()

    def __enter__(self) -> "DecisionLog":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def _forget_parent(self) -> None:
        """Leave to the parent what waits there, after a fork. A lost thread may hold its locks."""
        self._starting = threading.Lock()
        running, self._running, self._late = self._running, None, 0
        if running is not None:
            running.sink.leave()


_live: "WeakSet[DecisionLog]" = WeakSet()


def _masks(given: Mapping[str, Sequence[Mapping[str, str]]] | Path | None, key: str | None) -> Masks:
    if key is not None and len(key) < LEAST_KEY_CHARACTERS:
        raise BadMasks(f"`hash_key` must have {LEAST_KEY_CHARACTERS} characters at least")
    if given is None:
        return Masks()
    masks = Masks(
        read_masks(given.read_bytes() if isinstance(given, Path) else ENCODER.encode(given)),
        None if key is None else key.encode(),
    )
    for doubt in masks.doubts(None):
        logging.getLogger(LOG).warning("%s", doubt)
    return masks


def _header(source: TextNow | None) -> bytes | None:
    text = None if source is None else source()
    return None if text is None else text.encode("latin-1", "replace")


def _own_request(_: dict[str, Any], item: dict[str, Any]) -> dict[str, Any]:
    """Returns a request of `decide_many`, which has no defaults."""
    return item


def _unchanged(record: Record) -> Record:
    return record


def _forget_parents() -> None:
    for one in list(_live):
        one._forget_parent()


def _close_all() -> None:
    for one in list(_live):
        one.close()


os.register_at_fork(after_in_child=_forget_parents)
atexit.register(_close_all)
