"""Keeps the audit log up while the service runs: refusals are stored, old entries go, the head is signed."""

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

from api.refused_attempts import RefusedAttempts
from api.store.audit.log import AuditLog
from api.store.audit.seals import Seal, Sealer
from api.store.refusals import StoreUnavailable
from api.tokens.signing_keys import UnusableSigningKey

LOOK_SECONDS: Final = 10.0
"""How often a worker looks whether something is due."""


@dataclass(slots=True)
class AuditUpkeep:
    """One of each process. `keep_days` is how long entries are kept; `clock` gives epoch seconds."""

    audit: AuditLog
    refused: RefusedAttempts
    sealer: Sealer
    keep_days: int
    clock: Callable[[], float]
    log: logging.Logger
    _task: asyncio.Task[None] | None = None
    _next_look: float = 0.0
    _trouble: str | None = None
    _threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "audit"))

    def beat(self) -> None:
        """Called each second on the event loop of a worker; what is to be done is done beside it."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work())

    def begin_service(self, new_key: bool) -> None:
        """Write the first entries of a start; a store that can't be written keeps nobody from deciding."""
        self._try(lambda: self.audit.begin(new_key))

    def end_worker(self) -> None:
        """Store what a worker has counted, when it ends."""
        self._try(self._store_refused)

    def end_service(self) -> None:
        """Write the last entry and sign it, when all workers have ended."""
        self._try(self._end)

    async def _work(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._threads, self._try, self._look)

    def _try(self, work: Callable[[], None]) -> None:
        """What stays as it is is logged once."""
        try:
            work()
            self._trouble = None
        except (StoreUnavailable, UnusableSigningKey) as ex:
            if str(ex) != self._trouble:
                self.log.error("the audit log can't be kept up: %s", ex)
            self._trouble = str(ex)

    def _look(self) -> None:
        self._store_refused()
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + LOOK_SECONDS
            self._tell(self.audit.keep_up(self.clock(), self.keep_days, self.sealer))

    def _store_refused(self) -> None:
        counts = self.refused.take()
        if counts:
            try:
                self.audit.count_refusals(counts, self.clock())
            except StoreUnavailable:
                self.refused.give_back(counts)
                raise

    def _end(self) -> None:
        self.audit.end(self.clock())
        self._tell(self.audit.seal(self.clock(), self.sealer))

    def _tell(self, seal: Seal | None) -> None:
        """A head that lies in another system's log as well can't be taken back with the whole database."""
        if seal is not None:
            self.log.info("the head of the audit log is %d:%s", seal.number, seal.digest.hex())
