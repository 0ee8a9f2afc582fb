"""Reads the figures of the store for an answer with metrics."""

from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from ....runtime.rates.server_share import ServerShare
from ...store.audit.size import SizeOfLog
from ...store.backups.last_backup import last_backup
from ...store.errors import StoreUnavailable
from ...store.store import Store
from ...telemetry.metrics.definitions import (
    AUDIT_BYTES,
    AUDIT_ENTRIES,
    LEASE_REMAINING,
    SERVERS,
    STORE_BYTES,
    STORE_INFO,
    UPKEEP_DUTY,
)
from ...telemetry.metrics.machine_metrics import BACKUP_TIME, SEAL_TIME, UNSEALED_ENTRIES
from ...telemetry.metrics.metric import Metric, Series


class LeaseReading(Protocol):
    """The lease of this server, as the metrics show it."""

    @property
    def share(self) -> ServerShare:
        """The place of this server among all."""

    def remaining_seconds(self) -> float:
        """Returns the seconds until the lease runs out, or 0 without one."""

    def has_duty(self) -> bool:
        """Returns whether this server does the upkeep of the store now."""


class StoreReadings:
    """Reads a store, for one thread at a time. If the store can't be read, only its figures are missing."""

    def __init__(
        self, store: Store, clock: Callable[[], float], backup_hours: int, lease: LeaseReading | None = None
    ) -> None:
        """`lease` is that of this server, or None if no other server has the store. `clock` gives epoch seconds.

        `backup_hours` is 0 if another program backs up the store.
        """
        self._store, self._lease, self._audit = store, lease, SizeOfLog()
        self._clock, self._has_backups = clock, backup_hours > 0 and lease is None

    def environments(self) -> dict[str, str] | None:
        """Returns the ids of all environments by their UUIDs, or None if the store can't be read."""
        with suppress(StoreUnavailable):
            return {env.uuid: env.id for env in self._store.environments()}
        return None

    def read(self) -> dict[Metric, dict[Series, float]]:
        """Returns the values of the metrics that the store tells."""
        found: dict[Metric, dict[Series, float]] = {}
        if self._lease is not None:
            found[LEASE_REMAINING] = {(): self._lease.remaining_seconds()}
            found[SERVERS] = {(): self._lease.share.servers}
            found[UPKEEP_DUTY] = {(): self._lease.has_duty()}
        if self._has_backups:
            backup = last_backup(self._store.directory, self._clock())
            found[BACKUP_TIME] = {(): 0.0 if backup is None else backup.seconds}
        with suppress(StoreUnavailable):
            found[STORE_BYTES] = {(name,): size for name, size in self._store.sizes().items()}
            if self._lease is not None:
                found[STORE_INFO] = {(self._store.identity(),): 1.0}
            unsealed = self._store.audit.unsealed()
            found |= {UNSEALED_ENTRIES: {(): unsealed.entries}, SEAL_TIME: {(): unsealed.sealed_at}}
            size = self._store.audit.size(self._audit)
            found[AUDIT_ENTRIES] = {(): size.entries}
            if size.bytes is not None:
                found[AUDIT_BYTES] = {(): size.bytes}
        return found
