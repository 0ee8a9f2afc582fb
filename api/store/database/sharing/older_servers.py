"""The servers that don't know a format of the store, and whether one of them still has a lease."""

import time
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from ..connection import Connection
from ..formats.shared_tables import OLDER_SERVERS

_SECOND: Final = 1_000_000_000
_PAUSE_SECONDS: Final = 0.05


class OlderServer(NamedTuple):
    """The row of a server: its id, the number of its last lease, and the nanoseconds of a lease."""

    id: str
    number: int
    lease: int


def older_servers(db: Connection, known: int) -> list[OlderServer]:
    """Returns the servers without a sign that they know the format. A killed one is among them until a write."""
    return [OlderServer(*row) for row in db.execute(OLDER_SERVERS, (known,))]


def all_without_lease(
    listed: Callable[[], Iterable[OlderServer]], clock: Callable[[], int] = time.monotonic_ns
) -> frozenset[OlderServer] | None:
    """Returns the listed servers if none of them has a lease, or else None.

    Waits for the end of a lease: who renews it has another number by then.
    """
    began, found = clock(), frozenset(listed())
    while any(clock() - began <= one.lease + _SECOND for one in found):
        time.sleep(_PAUSE_SECONDS)
        now = frozenset(listed())
        if now - found:
            return None
        found = now
    return found
