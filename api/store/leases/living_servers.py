"""The servers that count for the rate limits: those whose rows still change."""

from collections.abc import Iterable

from .lease_tables import UNKNOWN_SERVER


class LivingServers:
    """The rows of all servers, as one of them has seen them. If a row stays as it is for a lease, its server is dead.

    Only a writer removes such a row, and hours may pass without one. The killed server would keep its share until then.
    """

    def __init__(self, id: str) -> None:
        """`id` is that of this server, which lives."""
        self._id = id
        self._seen: dict[str, tuple[int, int]] = {}

    def among(self, rows: Iterable[tuple[str, int, int, int]], now: int) -> list[str]:
        """Returns the ids of those that live, sorted. `rows` are those of LIST_SERVERS, `now` is in nanoseconds."""
        before, self._seen = self._seen, {}
        living = []
        for id, number, _, lease in rows:
            last, since = before.get(id, (None, now))
            self._seen[id] = number, since if last == number else now
            if id == self._id or (id != UNKNOWN_SERVER and now - self._seen[id][1] <= lease):
                living.append(id)
        return sorted(living)
