"""Refused attempts of one worker, counted until they are handed to the store."""

from collections import Counter
from typing import Final

from api.store.audit.events import Event
from api.store.audit.refusals import Attempt

MOST_KINDS: Final = 1_000
"""Clients and addresses that are told apart until then; what goes beyond is counted together."""


class RefusedAttempts:
    """Counts on one thread, the event loop's."""

    def __init__(self) -> None:
        self._counts: Counter[Attempt] = Counter()

    def add(self, event: Event, address: str, client: str | None = None) -> None:
        """Count an attempt of an address; `client` is the id of the client that it was made as, if there is one."""
        self._count(Attempt(event, client, address or None), 1)

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
            attempt = Attempt(attempt.event, None, None)
        self._counts[attempt] += count
