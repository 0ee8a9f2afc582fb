"""Sweeps the store while the service runs: removes assignments and grants that expired long ago (P4).

Decisions need no sweep: what has expired does not count from its instant on. A sweep keeps the store small.
"""

import fcntl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from ....bundles.signing.sign import DAY
from ...engines.live.data_directory import open_lock
from ...engines.live.store_work import Activate
from ...store.environments import Environment
from ...store.expiring import ExpiryIndex
from .upkeep import InThread, alone

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
    `has_duty` says whether this server sweeps for all that share the store. A server that was stopped in a sweep and
    goes on does no harm: a batch removes only what is still there, in one transaction.
    `activate` puts a commit in force. `clock` gives epoch seconds.
    """

    index: ExpiryIndex
    directory: Path
    keep_days: int
    activate: Activate
    clock: Callable[[], float]
    has_duty: Callable[[], bool] = alone
    _lock: IO[bytes] | None = None

    async def sweep(self, in_thread: InThread) -> float | None:
        """Remove one batch, and make its revision live.

        Returns `PAUSE_SECONDS` if there may be another one, or if another server sweeps.
        """
        if not self.has_duty():
            return PAUSE_SECONDS
        swept = await in_thread(self.remove_batch)
        if swept is None:
            return None
        await self.activate(swept)
        return PAUSE_SECONDS

    def end_worker(self) -> None:
        """Let another worker sweep, because this one ends."""
        if self._lock is not None:
            self._lock.close()

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
