"""The counters of rate limits for one process, with their own secret and lock."""

import os
import secrets
import sys
import threading
from typing import Final
from weakref import WeakSet

from .rates.rate_table import RateTable, table_bytes

DEFAULT_BYTES: Final = 4 * 2**20
"""The memory of the counters of a process. It has room for some thousand pairs of policy and subject at a time."""

SALT_BYTES: Final = 16


class RateCounters(RateTable):
    """Counts evaluations for the rate limits of one or more engines in one process (C10).

    They begin empty and live as long as the object. Several threads may use them: a lock, held for some microseconds,
    keeps them apart, so no limit is exceeded. After a fork, each process counts by itself.
    """

    def __init__(self, memory_bytes: int = DEFAULT_BYTES) -> None:
        """`memory_bytes` is the memory that the counters take, whatever the number of subjects.

        The more subjects share it, the earlier may a subject be limited.
        """
        memory = bytearray(table_bytes(1, memory_bytes))
        super().__init__(memory, 1, secrets.token_bytes(SALT_BYTES), threading.Lock(), row=0)
        _ALL.add(self)


_ALL: Final[WeakSet[RateCounters]] = WeakSet()


def _free_locks() -> None:
    """Gives the counters new locks in a forked process: a thread that it does not have may hold the old ones."""
    for counters in list(_ALL):
        counters.use_row(threading.Lock(), 0)


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_free_locks)
