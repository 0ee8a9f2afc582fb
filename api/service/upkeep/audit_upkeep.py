"""Maintains the audit log while the service runs: stores refused attempts, deletes old entries, seals the head."""

import logging
import os
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from ....bundles.conditions.instants import show_seconds
from ....bundles.system_errors import sentence_of
from ...engines.exports.export_counts import Exports
from ...identity.attempt_counts import RefusedAttempts
from ...identity.keys.signing_keys import UnusableSigningKey
from ...store.actor import SERVICE
from ...store.audit.audit_log import AuditLog
from ...store.audit.entries import AuditEntry
from ...store.audit.events import Event
from ...store.audit.exports import ExportCounts
from ...store.audit.refused_attempts import Attempt
from ...store.audit.seals import Purpose, Seal, Sealer
from ...store.audit.tampering import Tampered
from ...store.errors import StoreUnavailable
from .upkeep import InThread, alone

MAINTAIN_SECONDS: Final = 10.0
"""The seconds between two checks of a worker whether maintenance is due."""

TROUBLE: Final = "the audit log can't be maintained"

READ_ONLY: Final = "the service starts, but can't write; it decides, and each write gets 503 until it can"


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
    """The audit log's part of the upkeep of one process. Entries are kept for `keep_days`. `clock` gives epoch seconds.

    `has_duty` says whether this server maintains the log for all that share the store. Each server stores its own
    counts, seals its own start and end, and keeps its own anchor.

    The counters of `refused` and `exports` belong to the event loop's thread. The thread that stores them gets a copy.
    """

    audit: AuditLog
    refused: RefusedAttempts
    exports: Exports
    sealer: Sealer
    keep_days: int
    clock: Callable[[], float]
    log: logging.Logger
    has_duty: Callable[[], bool] = alone
    _pending: _PendingEntry | None = None
    _taken: _Counts = field(default_factory=lambda: _Counts(Counter(), Counter()))

    def begin_service(self, new_keys: Mapping[str, object] | None) -> None:
        """Records the start, before any process is forked. `new_keys` has the administrator's keys if one is new.

        If the store can't be written, the service starts all the same, and a worker records the start later.

        Raises:
            StoreUnavailable: the key is new and can't be recorded. It must not become valid then.
        """
        started = self._entry(Event.SERVICE_STARTED)
        if new_keys is None:
            self._begin(started)
            return
        try:
            self.audit.add([started, self._entry(Event.ADMIN_KEY_SET, new_keys)])
        except StoreUnavailable as ex:
            message = f"the administrator's key is new, and the audit log can't record it: {ex}"
            raise StoreUnavailable(message) from ex

    async def store_counts(self, in_thread: InThread) -> None:
        """Stores the counters of this worker."""
        self._take()
        await in_thread(self._store)

    async def maintain(self, in_thread: InThread) -> None:
        """Records a start that is not recorded yet. For all servers, deletes old entries, and seals the head."""
        await in_thread(self._maintain)

    def end_worker(self) -> None:
        """Stores the counters of a worker that ends."""
        self._take()
        self._store()

    def end_service(self) -> None:
        """Records the end and seals it, after all workers have ended."""
        self._record_start()
        self.audit.end(self.clock())
        self._seal()

    def _begin(self, started: AuditEntry) -> None:
        try:
            self.audit.add([started])
        except StoreUnavailable as ex:
            self.log.error("%s: %s", READ_ONLY, ex)
            self._pending = _PendingEntry(started)
            return
        try:
            self._seal()  # a service that was killed leaves unsealed entries
        except (StoreUnavailable, UnusableSigningKey, Tampered, OSError) as ex:
            self.log.error("%s: %s", TROUBLE, sentence_of(ex))

    def _entry(self, event: Event, details: Mapping[str, object] | None = None) -> AuditEntry:
        return AuditEntry.of(show_seconds(self.clock()), SERVICE, event, details)

    def _take(self) -> None:
        """Takes the counters, with those that could not be stored."""
        self.refused.give_back(self._taken.refused)
        self.exports.give_back(self._taken.exports)
        self._taken = _Counts(self.refused.take(), self.exports.take())

    def _store(self) -> None:
        refused, exports = self._taken
        if refused:
            self.audit.count_refusals(refused, self.clock())
            refused.clear()
        if exports:
            self.audit.count_exports(exports)
            exports.clear()

    def _maintain(self) -> None:
        self._record_start()
        for seal in self.audit.maintain(self.clock(), self.keep_days, self.sealer, self.has_duty()):
            self._log_seal(seal)

    def _record_start(self) -> None:
        if self._pending is None or not self._pending.take():
            return
        try:
            self.audit.add([self._pending.entry])
        except BaseException:
            self._pending.give_back()
            raise

    def _seal(self) -> None:
        seal = self.audit.seal(self.clock(), self.sealer)
        if seal is not None:
            self._log_seal(seal)

    def _log_seal(self, seal: Seal) -> None:
        """Logs a seal. A copy in another system's log stays, even if the whole data directory is put back."""
        place = {Purpose.HEAD: "head", Purpose.CHECKPOINT: "beginning"}[seal.purpose]
        self.log.info("the %s of the audit log is %d:%s", place, seal.number, seal.digest.hex())
