"""Maintains the audit log while the service runs: stores refused attempts, deletes old entries, seals the head."""

import logging
import os
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from ....bundles.conditions.instants import show_seconds
from ...engines.exports.export_counts import Exports
from ...identity.keys.signing_keys import UnusableSigningKey
from ...identity.refused_attempts import RefusedAttempts
from ...store.actor import SERVICE
from ...store.audit.entries import AuditEntry
from ...store.audit.events import Event
from ...store.audit.exports import ExportCounts
from ...store.audit.log import AuditLog
from ...store.audit.refused_attempts import Attempt
from ...store.audit.seals import Purpose, Seal, Sealer
from ...store.audit.tampering import Tampered
from ...store.errors import StoreUnavailable

LOOK_SECONDS: Final = 10.0
"""The seconds between two checks of a worker whether maintenance is due."""


class _Counts(NamedTuple):
    """The counts of a worker that are not stored yet."""

    refused: Counter[Attempt]
    exports: ExportCounts


class _PendingEntry:
    """An entry that is not stored yet. The workers are forked later; the first one that takes it stores it."""

    def __init__(self, entry: AuditEntry) -> None:
        self.entry = entry
        self._taking, self._giving = os.pipe()
        os.set_blocking(self._taking, False)
        self.give_back()

    def take(self) -> bool:
        with suppress(BlockingIOError):
            return bool(os.read(self._taking, 1))
        return False

    def give_back(self) -> None:
        os.write(self._giving, b"1")


@dataclass(slots=True)
class AuditUpkeep:
    """The upkeep of one process. Entries are kept for `keep_days`. `clock` gives epoch seconds.

    The counters of `refused` and `exports` belong to the event loop's thread. The thread that stores them gets a copy.
    """

    audit: AuditLog
    refused: RefusedAttempts
    exports: Exports
    sealer: Sealer
    keep_days: int
    clock: Callable[[], float]
    log: logging.Logger
    _next_look: float = 0.0
    _last_error: str | None = None
    _pending: _PendingEntry | None = None
    _work: Future[_Counts] | None = None
    _threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "audit"))

    def beat(self) -> None:
        """Starts the work that is due, in a thread. The event loop of each worker calls this every second."""
        if self._work is None or self._work.done():
            self._finish()
            self._work = self._threads.submit(self._look, self._taken())

    def begin_service(self, new_key: bool) -> None:
        """Records the start, before any process is forked. `new_key` says whether the administrator's key is new.

        If the store can't be written, the service starts all the same, and a worker records the start later.

        Raises:
            StoreUnavailable: the key is new and can't be recorded. It must not become valid then.
        """
        started, key_set = (self._entry(event) for event in (Event.SERVICE_STARTED, Event.ADMIN_KEY_SET))
        if not new_key:
            self._try(lambda: self.audit.add([started]))
            self._pending = None if self._last_error is None else _PendingEntry(started)
            self._try(self._seal)  # a service that was killed leaves unsealed entries
            return
        try:
            self.audit.add([started, key_set])
        except StoreUnavailable as ex:
            message = f"the administrator's key is new, and the audit log can't record it: {ex}"
            raise StoreUnavailable(message) from ex

    def end_worker(self) -> None:
        """Stores the counters of a worker that ends."""
        self._finish()
        counts = self._taken()
        self._try(lambda: self._store(counts))

    def end_service(self) -> None:
        """Records the end and seals it, after all workers have ended."""
        self._try(self._end)

    def _entry(self, event: Event) -> AuditEntry:
        return AuditEntry.of(show_seconds(self.clock()), SERVICE, event)

    def _finish(self) -> None:
        """Waits for the work in progress, and takes back the counters that it could not store."""
        work, self._work = self._work, None
        if work is not None:
            refused, exports = work.result()
            self.refused.give_back(refused)
            self.exports.give_back(exports)

    def _taken(self) -> _Counts:
        return _Counts(self.refused.take(), self.exports.take())

    def _look(self, counts: _Counts) -> _Counts:
        """Does the work that is due. Returns the counters that could not be stored."""
        self._try(lambda: self._do_what_is_due(counts))
        return counts

    def _do_what_is_due(self, counts: _Counts) -> None:
        self._store(counts)
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + LOOK_SECONDS
            self._record_start()
            for seal in self.audit.maintain(self.clock(), self.keep_days, self.sealer):
                self._log_seal(seal)

    def _try(self, work: Callable[[], None]) -> None:
        """Runs `work`. Logs its error, unless it is the same as last time."""
        try:
            work()
            self._last_error = None
        except (StoreUnavailable, UnusableSigningKey, Tampered, OSError) as ex:
            if str(ex) != self._last_error:
                self.log.error("the audit log can't be maintained: %s", ex)
            self._last_error = str(ex)

    def _record_start(self) -> None:
        if self._pending is None or not self._pending.take():
            return
        try:
            self.audit.add([self._pending.entry])
        except BaseException:
            self._pending.give_back()
            raise

    def _store(self, counts: _Counts) -> None:
        if counts.refused:
            self.audit.count_refusals(counts.refused, self.clock())
            counts.refused.clear()
        if counts.exports:
            self.audit.count_exports(counts.exports)
            counts.exports.clear()

    def _end(self) -> None:
        self._record_start()
        self.audit.end(self.clock())
        self._seal()

    def _seal(self) -> None:
        seal = self.audit.seal(self.clock(), self.sealer)
        if seal is not None:
            self._log_seal(seal)

    def _log_seal(self, seal: Seal) -> None:
        """Logs a seal. A copy in another system's log stays, even if the whole data directory is put back."""
        place = {Purpose.HEAD: "head", Purpose.CHECKPOINT: "beginning"}[seal.purpose]
        self.log.info("the %s of the audit log is %d:%s", place, seal.number, seal.digest.hex())
