"""Counts the refused attempts of one worker until the store takes them over."""

from collections import Counter
from typing import Final

from ..http.source_address import network_of
from ..store.audit.events import Event
from ..store.audit.refused_attempts import Attempt

MOST_KINDS: Final = 500
"""Kinds of attempts that are counted apart. Further ones are counted by client, without their address."""


class RefusedAttempts:
    """Counters of refused attempts, used by the thread of the event loop only."""

    def __init__(self) -> None:
        self._counts: Counter[Attempt] = Counter()

    def add(self, event: Event, address: str, client: str | None = None) -> None:
        """Counts an attempt from an address' network. `client` is the id of the client that it named, if known."""
        self._count(Attempt(event, client, network_of(address) or None), 1)

    def take(self) -> Counter[Attempt]:
        """Returns the counts since the last call."""
        taken, self._counts = self._counts, Counter()
        return taken

    def give_back(self, counts: Counter[Attempt]) -> None:
        """Adds counts that could not be stored."""
        for attempt, count in counts.items():
            self._count(attempt, count)

    def _count(self, attempt: Attempt, count: int) -> None:
        if attempt not in self._counts and len(self._counts) >= MOST_KINDS:
            attempt = attempt._replace(address=None)
        self._counts[attempt] += count
