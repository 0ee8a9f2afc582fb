"""The counters of rate limits that all workers of one server share (C10)."""

import logging
import mmap
import secrets
import threading

from ....runtime.rate_counters import SALT_BYTES
from ....runtime.rates.rate_table import RateTable, table_bytes
from ....runtime.rates.server_share import ServerShare


class SharedRates:
    """A table of counters in memory, made before the workers are forked. It is empty at each start of the server.

    Each worker counts in a row. The worker that takes the place of one that died, however it died, goes on with its
    row. During a reload, old and new workers run side by side, so there are two rows for each worker.
    """

    def __init__(self, workers: int, row_bytes: int, log: logging.Logger, share: ServerShare | None = None) -> None:
        """`row_bytes` bounds the bytes of a row. The system provides the memory of a row once the row is used. `share`
        is the part of each limit that this server may allow.
        """
        self._rows, self._log = 2 * workers, log
        memory = mmap.mmap(-1, table_bytes(self._rows, row_bytes))
        self.counters = RateTable(memory, self._rows, secrets.token_bytes(SALT_BYTES), threading.Lock(), share=share)

    def start_worker(self, place: int) -> None:
        """Let this process count, in the row of its place. No other living worker has this place.

        A place beyond the rows counts nothing, and every rate limit is reached there.
        """
        if place >= self._rows:
            self._log.error("a worker can't count, so every rate limit is reached there: over %d run", self._rows)
        self.counters.use_row(threading.Lock(), place)
