"""Counts the connections of each worker, so that the workers of one service share new connections evenly."""

import mmap
from typing import Final

SPARE_PLACES: Final = 16
"""Places in the table beyond two for each worker: during a reload, old and new workers run side by side."""

SLACK: Final = 8
"""Workers count as even if one has at most an eighth more connections than another."""

_BYTES_A_PLACE: Final = 4


def places_for(workers: int) -> int:
    """Returns how many places there are for so many workers."""
    return 2 * workers + SPARE_PLACES


class Shares:
    """A table in memory that the master and its workers share, with one place for each worker.

    A place holds 0 while its worker accepts no connections, and the number of the worker's connections plus 1 while
    it does. Only the master hands out places. If it has none left, two workers use the same one, and sharing is less
    even.
    """

    def __init__(self, workers: int) -> None:
        self.counts = memoryview(mmap.mmap(-1, places_for(workers) * _BYTES_A_PLACE)).cast("I")
        self.reloads = memoryview(mmap.mmap(-1, _BYTES_A_PLACE)).cast("I")
        self._taken: set[int] = set()

    def take(self) -> "Share":
        """Returns the first free place, or the last place if none is free."""
        last = len(self.counts) - 1
        place = next((place for place in range(last) if place not in self._taken), last)
        self._taken.add(place)
        return Share(self, place)

    def reload(self) -> None:
        """Tell the workers that others replace them. The master calls it before it forks those."""
        self.reloads[0] += 1

    def serving(self) -> int:
        """Returns how many workers accept connections."""
        return sum(map(bool, self.counts))

    def release(self, share: "Share") -> None:
        """Free the place of a worker that ended, however it ended."""
        share.leave()
        self._taken.discard(share.place)


class Share:
    """A worker's place in the table."""

    def __init__(self, shares: Shares, place: int) -> None:
        self._counts, self.place = shares.counts, place
        self._reloads, self._born = shares.reloads, shares.reloads[0]
        self._left = False

    def set(self, connections: int) -> None:
        """Tell the other workers how many connections this worker has."""
        if not self._left:
            self._counts[self.place] = connections + 1

    def leave(self) -> None:
        """Tell the other workers that this worker accepts no more connections, from now on."""
        self._left = True
        self._counts[self.place] = 0

    def is_missed(self) -> bool:
        """Returns whether this worker left for a reload, and no worker that replaces it accepts connections yet."""
        return self._reloads[0] != self._born and not any(self._counts)

    def is_ahead(self) -> bool:
        """Returns whether another worker accepts connections and has fewer of them than this one.

        A difference within `SLACK` does not count, so that a rush is accepted without waiting in turns.
        """
        own = self._counts[self.place]
        least = min(filter(None, self._counts), default=1)  # PERF: without a step of Python for each place
        return least + (least - 1) // SLACK < own
