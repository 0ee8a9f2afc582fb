"""Sweeps the store while the service runs: removes assignments and grants that expired long ago (P4).

Decisions need no sweep: what has expired does not count from its instant on. A sweep keeps the store small.
"""

import asyncio
import fcntl
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from ....bundles.signing.sign import DAY
from ...engines.live.data_directory import open_lock
from ...engines.live.store_work import Activate
from ...store.environments import Environment
from ...store.errors import Refusal, StoreUnavailable
from ...store.expiring import ExpiryIndex

LOOK_SECONDS: Final = 60.0
"""The seconds after which a worker looks again for something to remove, after it found nothing."""

PAUSE_SECONDS: Final = 1.0
"""The least time between two batches, so that other writers and the applying of deltas get their turn."""

MOST_REMOVED: Final = 100
"""The most elements that one batch removes. Each worker applies its delta within a few milliseconds."""

_LOCK_FILE: Final = "sweep.lock"


@dataclass(slots=True)
class ExpirySweep:
    """The sweep of one process. Elements are kept for `keep_days` after their expiry; 0 means for ever.

    Of several workers, only the one that holds the lock in `directory` sweeps. If it ends, another one takes over.
    `activate` puts a commit in force. `clock` gives epoch seconds.
    """

    index: ExpiryIndex
    directory: Path
    keep_days: int
    activate: Activate
    clock: Callable[[], float]
    log: logging.Logger
    _lock: IO[bytes] | None = None
    _next_look: float = 0.0
    _last_error: str | None = None
    _task: asyncio.Task[None] | None = None
    _threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "sweep"))

    def beat(self) -> None:
        """Starts the work that is due, in a thread. The event loop of each worker calls this every second."""
        idle = self._task is None or self._task.done()
        if self.keep_days and idle and time.monotonic() >= self._next_look:
            self._task = asyncio.create_task(self._look())

    def end(self) -> None:
        """Let another worker sweep, because this one ends."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._lock is not None:
            self._lock.close()

    async def _look(self) -> None:
        """Remove one batch, and make its revision live. Logs an error, unless it is the same as last time."""
        wait = LOOK_SECONDS
        try:
            swept = await asyncio.get_running_loop().run_in_executor(self._threads, self.remove_batch)
            if swept is not None:
                wait = PAUSE_SECONDS
                await self.activate(swept)
            self._last_error = None
        except (StoreUnavailable, Refusal, OSError) as ex:
            if str(ex) != self._last_error:
                self.log.error("expired assignments and grants can't be removed: %s", ex)
            self._last_error = str(ex)
        self._next_look = time.monotonic() + wait

    def remove_batch(self) -> Environment | None:
        """Remove what expired `keep_days` ago, `MOST_REMOVED` elements at most, if this process may sweep.

        Returns the environment at its new revision, or None if nothing was removed. Raises StoreUnavailable, OSError.
        """
        if not self._may_sweep():
            return None
        now = self.clock()
        return self.index.swept(now - self.keep_days * DAY, now, MOST_REMOVED)

    def _may_sweep(self) -> bool:
        """Returns whether this process holds the lock. Once it does, it does until its end. Raises OSError."""
        if self._lock is None:
            lock = open_lock(self.directory / _LOCK_FILE)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.close()
                return False
            self._lock = lock
        return True
