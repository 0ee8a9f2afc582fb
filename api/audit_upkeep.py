"""Keeps the audit log up while the service runs: refusals are stored, old entries go, the head is signed."""

import logging
import os
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from ..bundles.conditions.instants import show_seconds
from .credentials.keys.signing_keys import UnusableSigningKey
from .credentials.refused_attempts import RefusedAttempts
from .store.actor import SERVICE
from .store.audit.entries import AuditEntry
from .store.audit.events import Event
from .store.audit.log import AuditLog
from .store.audit.refused_attempts import Attempt
from .store.audit.seals import Purpose, Seal, Sealer
from .store.audit.tampering import Tampered
from .store.errors import StoreUnavailable

LOOK_SECONDS: Final = 10.0
"""How often a worker looks whether something is due."""


class _Untold:
    """An entry that one of the processes is to tell which are forked after this was made: whoever takes it."""

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
    """One of each process. `keep_days` is how long entries are kept; `clock` gives epoch seconds.

    What is counted is taken and given back by the thread that counts; another one, which stores it, has a copy.
    """

    audit: AuditLog
    refused: RefusedAttempts
    sealer: Sealer
    keep_days: int
    clock: Callable[[], float]
    log: logging.Logger
    _next_look: float = 0.0
    _trouble: str | None = None
    _untold: _Untold | None = None
    _work: Future[Counter[Attempt]] | None = None
    _threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "audit"))

    def beat(self) -> None:
        """Called each second on the event loop of a worker; what is to be done is done beside it."""
        if self._work is None or self._work.done():
            self._finish()
            self._work = self._threads.submit(self._look, self.refused.take())

    def begin_service(self, new_key: bool) -> None:
        """Write the first entries of a start, before any process is forked; `new_key`: of the administrator.

        A store that can't be written keeps nobody from deciding: a worker tells of the start as soon as it can be. Of a
        new key it keeps: raises StoreUnavailable, and the key must not count.
        """
        started, key_set = (self._entry(event) for event in (Event.SERVICE_STARTED, Event.ADMIN_KEY_SET))
        if not new_key:
            self._try(lambda: self.audit.add([started]))
            self._untold = None if self._trouble is None else _Untold(started)
            self._try(self._seal)  # a service that was killed left something unsealed
            return
        try:
            self.audit.add([started, key_set])
        except StoreUnavailable as ex:
            message = f"the administrator's key is new, and the audit log can't be told of it: {ex}"
            raise StoreUnavailable(message) from ex

    def end_worker(self) -> None:
        """Store what a worker has counted, when it ends."""
        self._finish()
        counts = self.refused.take()
        self._try(lambda: self._store(counts))

    def end_service(self) -> None:
        """Write the last entry and sign it, when all workers have ended."""
        self._try(self._end)

    def _entry(self, event: Event) -> AuditEntry:
        return AuditEntry.of(show_seconds(self.clock()), SERVICE, event)

    def _finish(self) -> None:
        """Count again what could not be stored; waits for it."""
        work, self._work = self._work, None
        if work is not None:
            self.refused.give_back(work.result())

    def _look(self, counts: Counter[Attempt]) -> Counter[Attempt]:
        """Do what is due, and give back what could not be stored."""
        self._try(lambda: self._do_what_is_due(counts))
        return counts

    def _do_what_is_due(self, counts: Counter[Attempt]) -> None:
        self._store(counts)
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + LOOK_SECONDS
            self._tell_start()
            for seal in self.audit.maintain(self.clock(), self.keep_days, self.sealer):
                self._tell_seal(seal)

    def _try(self, work: Callable[[], None]) -> None:
        """What stays as it is is logged once."""
        try:
            work()
            self._trouble = None
        except (StoreUnavailable, UnusableSigningKey, Tampered, OSError) as ex:
            if str(ex) != self._trouble:
                self.log.error("the audit log can't be kept up: %s", ex)
            self._trouble = str(ex)

    def _tell_start(self) -> None:
        if self._untold is None or not self._untold.take():
            return
        try:
            self.audit.add([self._untold.entry])
        except BaseException:
            self._untold.give_back()
            raise

    def _store(self, counts: Counter[Attempt]) -> None:
        if counts:
            self.audit.count_refusals(counts, self.clock())
            counts.clear()

    def _end(self) -> None:
        self._tell_start()
        self.audit.end(self.clock())
        self._seal()

    def _seal(self) -> None:
        seal = self.audit.seal(self.clock(), self.sealer)
        if seal is not None:
            self._tell_seal(seal)

    def _tell_seal(self, seal: Seal) -> None:
        """What lies in another system's log as well can't be taken back with the whole data directory."""
        place = {Purpose.HEAD: "head", Purpose.CHECKPOINT: "beginning"}[seal.purpose]
        self.log.info("the %s of the audit log is %d:%s", place, seal.number, seal.digest.hex())
