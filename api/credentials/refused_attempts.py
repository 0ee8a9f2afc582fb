"""Refused attempts of one worker, counted until they are handed to the store."""

from collections import Counter
from typing import Final

from ..http.source_address import network_of
from ..store.audit.events import Event
from ..store.audit.refused_attempts import Attempt

MOST_KINDS: Final = 500
"""Attempts that are told apart until then; what goes beyond is counted by its client alone, if it has one."""


class RefusedAttempts:
    """Counts on one thread, the event loop's."""

    def __init__(self) -> None:
        self._counts: Counter[Attempt] = Counter()

    def add(self, event: Event, address: str, client: str | None = None) -> None:
        """Count an attempt of an address' network; `client` is the id of the client that it named, if it is one."""
        self._count(Attempt(event, client, network_of(address) or None), 1)

    def take(self) -> Counter[Attempt]:
        """What was counted since the last time."""
        taken, self._counts = self._counts, Counter()
        return taken

    def give_back(self, counts: Counter[Attempt]) -> None:
        """Count again what could not be stored."""
        for attempt, count in counts.items():
            self._count(attempt, count)

    def _count(self, attempt: Attempt, count: int) -> None:
        if attempt not in self._counts and len(self._counts) >= MOST_KINDS:
            attempt = attempt._replace(address=None)
        self._counts[attempt] += count
