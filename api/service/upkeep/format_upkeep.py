"""Looks whether servers of an older format still use the store, and ends the sharing when none has for an hour."""

import logging

from ...store.store import Store
from .one_worker import OneWorker
from .upkeep import InThread

FORMAT_TROUBLE = "the sharing of the store with servers of an older format can't be ended"


class FormatUpkeep:
    """The part of the store's format in the upkeep of one process. It is made before the workers are forked."""

    def __init__(self, store: Store, log: logging.Logger) -> None:
        """Raises OSError if there is no file for a lock."""
        self._store, self._log, self._looker, self._is_shared = store, log, OneWorker(), True

    async def look(self, in_thread: InThread) -> None:
        """Look once. Raises StoreUnavailable, and Conflict if an older server has just come."""
        if self._is_shared and self._looker.is_this():
            await in_thread(self._look)

    def end_service(self) -> None:
        """Close the lock."""
        self._looker.close()

    def _look(self) -> None:
        self._store.contraction.look()
        if self._store.contraction.shared_format() is None:
            self._is_shared = False
            self._log.info("no server of an older format uses the store any more: it has the newest format")
