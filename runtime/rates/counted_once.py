"""Counters of one request, in which a subject may ask several times, and counts once (A1, C10)."""

from .rate_table import RateTable


class CountedOnce(RateTable):
    """Counts each key once with other counters, and remembers the number of the evaluation."""

    def __init__(self, counters: RateTable):
        self._counted, self._found = counters, dict[bytes, int]()

    def count(self, key: bytes, limit: int, window_seconds: int, now: float) -> int:
        """See `RateTable.count`."""
        if key not in self._found:
            self._found[key] = self._counted.count(key, limit, window_seconds, now)
        return self._found[key]

    def wait(self, key: bytes, limit: int, window_seconds: int, now: float) -> int:
        """See `RateTable.wait`."""
        return self._counted.wait(key, limit, window_seconds, now)
