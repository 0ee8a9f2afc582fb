"""Takes over changed keys of the administrator while the service runs: one worker does it for all of this server."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from ....bundles.conditions.instants import show_seconds
from ...identity.admin_access import AdminAccess, details_of, keep_adopted
from ...identity.admin_key import UnusableKey, stored_keys
from ...identity.admin_keys import AdminKeyFiles
from ...store.actor import SERVICE
from ...store.audit.audit_log import AuditLog
from ...store.audit.entries import AuditEntry
from ...store.audit.events import Event
from .one_worker import OneWorker
from .upkeep import InThread

ADMIN_KEY_TROUBLE: Final = "the administrator's keys can't be followed"


class AdminKeyUpkeep:
    """The administrator's keys' part of the upkeep of one process. It is made before the workers are forked."""

    def __init__(self, files: AdminKeyFiles, directory: Path, audit: AuditLog, clock: Callable[[], float]) -> None:
        """`clock` gives epoch seconds. Raises OSError if there is no file for a lock."""
        self._files, self._directory, self._audit, self._clock = files, directory, audit, clock
        self._one = OneWorker()

    async def renew(self, in_thread: InThread) -> None:
        """Record supplied keys that changed, and store them. Raises UnusableKey, StoreUnavailable, OSError."""
        if self._one.is_this():
            await in_thread(self._renew)

    def end_service(self) -> None:
        """Close the lock, after all workers have ended."""
        self._one.close()

    def _renew(self) -> None:
        """Put the audit log first: a key that counted before its entry might never get one."""
        stored, supplied = stored_keys(self._directory), self._files.supplied
        if supplied is None:
            if stored is None:
                raise UnusableKey("their file in the data directory is gone, so none counts; start the service again")
            return
        keys = supplied.read()
        if keys != stored:
            now = show_seconds(self._clock())
            self._audit.add([AuditEntry.of(now, SERVICE, Event.ADMIN_KEY_SET, details_of(keys))])
            keep_adopted(self._directory, AdminAccess(keys, adopted=supplied))
