"""The commit signal: eight bytes in a mapped file by which every process sees at once that something was committed."""

import mmap
import os
import secrets
import weakref
from pathlib import Path
from typing import Final

from .private_files import OWNER_ONLY

SUFFIX: Final = "-commits"
"""The signal's file is named after its database: `writ.db-commits`."""

_BYTES: Final = 8


class CommitSignal:
    """The signal of one database. Safe to fork and to use from several threads and processes at once.

    Each commit writes a new random number, before it is acknowledged. A number and not a count, since a count could be
    raised to the same value twice by two processes, and a reader in between would miss the second commit.
    """

    def __init__(self, database: Path) -> None:
        """Open the file beside `database`, and make it if it is not there. Raises OSError."""
        self._descriptor = os.open(f"{database}{SUFFIX}", os.O_RDWR | os.O_CREAT, OWNER_ONLY)
        # Not with the connections: a process that has closed these may open others.
        weakref.finalize(self, os.close, self._descriptor).atexit = False
        if os.fstat(self._descriptor).st_size < _BYTES:
            # Written and not only extended: a mapped page without a block is a fatal signal on a full disk.
            os.pwrite(self._descriptor, secrets.token_bytes(_BYTES), 0)
        self.cell: Final = memoryview(mmap.mmap(self._descriptor, _BYTES, access=mmap.ACCESS_READ)).cast("Q")
        """Holds the number of the last commit as its one item. To read it takes less than 0.1 µs."""

    @classmethod
    def beside(cls, database: Path) -> "CommitSignal | None":
        """Returns the signal of a database, or None if its file can't be opened: each worker then asks SQLite."""
        try:
            return cls(database)
        except OSError:
            return None

    def send(self) -> None:
        """Tell every process that something was committed. Raises OSError."""
        os.pwrite(self._descriptor, secrets.token_bytes(_BYTES), 0)
