"""The commit signal: three numbers in a mapped file by which every process sees at once what was committed."""

import mmap
import os
import secrets
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ....bundles.system_errors import public_reason
from ..errors import NotSignalled, StoreUnavailable
from .private_files import OWNER_ONLY

SUFFIX: Final = "-commits"
"""The signal's file is named after its database: `writ.db-commits`."""

_NUMBER: Final = 8
_BYTES: Final = 3 * _NUMBER


class CommitSignal:
    """The signal of one database. Safe to fork and to use from several threads and processes at once.

    Each commit writes a new random number before it begins, and again after it ended. While the two differ, every
    process asks the database itself. So if one process has answered with a change, no other one answers without it
    later, even if the writer has not come to its second number yet. A number and not a count, since a count could be
    raised to the same value twice by two processes.
    """

    def __init__(self, database: Path | int) -> None:
        """Open the file beside `database`, and make it if it is not there. Or take that of another process, by its file
        descriptor here: a new file of the name would be another signal. Raises OSError.
        """
        self._descriptor = database if isinstance(database, int) else _opened(database)
        # Not with the connections: a process that has closed these may open others.
        weakref.finalize(self, os.close, self._descriptor).atexit = False
        if os.fstat(self._descriptor).st_size < _BYTES:
            # Written and not only extended: a mapped page without a block is a fatal signal on a full disk.
            os.pwrite(self._descriptor, 3 * secrets.token_bytes(_NUMBER), 0)
        self.cell: Final = memoryview(mmap.mmap(self._descriptor, _BYTES, access=mmap.ACCESS_READ)).cast("Q")
        """Holds three numbers: of the last commit that began, of that one again once it ended, and of the commit that
        was the last one to end, for those who never ask meanwhile. To read one takes less than 0.1 µs."""

    @classmethod
    def beside(cls, database: Path) -> "CommitSignal | None":
        """Returns the signal of a database, or None if its file can't be opened: each worker then asks SQLite."""
        try:
            return cls(database)
        except OSError:
            return None

    @property
    def descriptor(self) -> int:
        """The file, for another process."""
        return self._descriptor

    def send(self) -> None:
        """Tell every process that something was committed elsewhere. Raises OSError."""
        os.pwrite(self._descriptor, 3 * secrets.token_bytes(_NUMBER), 0)

    def begin(self) -> bytes:
        """Tell every process that a commit begins. Returns its number. Raises OSError.

        The caller has the lock of the database's writers.
        """
        number = secrets.token_bytes(_NUMBER)
        os.pwrite(self._descriptor, number, 0)
        return number

    def end(self, number: bytes) -> None:
        """Tell every process that this commit has ended. Raises OSError."""
        os.pwrite(self._descriptor, number, 2 * _NUMBER)
        if self.cell[0] == int.from_bytes(number, sys.byteorder):  # else the next one has begun, and will tell
            os.pwrite(self._descriptor, number, _NUMBER)


def _opened(database: Path) -> int:
    return os.open(f"{database}{SUFFIX}", os.O_RDWR | os.O_CREAT, OWNER_ONLY)


def tell(signal: CommitSignal | None) -> None:
    """Lets each process of this server look at the database, if there is a signal. Raises NotSignalled."""
    try:
        if signal is not None:
            signal.send()
    except OSError as ex:
        raise NotSignalled(f"other workers can't be told of what is stored: {public_reason(ex)}") from ex


@contextmanager
def signalled(signal: CommitSignal | None) -> Iterator[None]:
    """Tells every process of the commit in the block, if there is a signal.

    Raises StoreUnavailable before the block if no process can be told, and NotSignalled after it.
    """
    if signal is None:
        yield
        return
    try:
        number = signal.begin()
    except OSError as ex:
        raise StoreUnavailable(
            f"nothing is stored, since other workers can't be told of it: {public_reason(ex)}"
        ) from ex
    try:
        yield
    finally:
        try:
            signal.end(number)
        except OSError as ex:
            raise NotSignalled(
                f"the change is stored, but other workers don't know of it yet: {public_reason(ex)}"
            ) from ex
