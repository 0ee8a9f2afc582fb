"""Reads the figures of the store for an answer with metrics."""

from contextlib import suppress
from typing import Final

from ...store.audit.size import SizeOfLog
from ...store.errors import StoreUnavailable
from ...store.store import Store
from ...telemetry.metrics.definitions import AUDIT_BYTES, AUDIT_ENTRIES, STORE_BYTES, Metric, Series

_FILES: Final = {"database": "", "log": "-wal"}


class StoreReadings:
    """Reads a store, for one thread at a time. If the store can't be read, only its figures are missing."""

    def __init__(self, store: Store) -> None:
        self._store, self._audit = store, SizeOfLog()

    def environments(self) -> dict[str, str] | None:
        """Returns the ids of all environments by their UUIDs, or None if the store can't be read."""
        with suppress(StoreUnavailable):
            return {env.uuid: env.id for env in self._store.environments()}
        return None

    def read(self) -> dict[Metric, dict[Series, float]]:
        """Returns the values of the metrics that the store tells."""
        found: dict[Metric, dict[Series, float]] = {STORE_BYTES: {}}
        for name, ending in _FILES.items():
            with suppress(OSError):
                path = self._store.path.with_name(self._store.path.name + ending)
                found[STORE_BYTES][(name,)] = path.stat().st_size
        with suppress(StoreUnavailable):
            size = self._store.audit.size(self._audit)
            found[AUDIT_ENTRIES] = {(): size.entries}
            if size.bytes is not None:
                found[AUDIT_BYTES] = {(): size.bytes}
        return found
