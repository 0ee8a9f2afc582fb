"""A file that all workers append to, whole records at a time. Another program may move it away, to rotate it."""

import fcntl
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from .....bundles.system_errors import reason_of
from .sink import SinkFailed

BATCH_BYTES: Final = 2**17
BATCH_SECONDS: Final = 0.0
"""All that is ready is written each time. A worker that is killed loses what came since the last time."""

_OWNER_ONLY: Final = 0o600
_FLAGS: Final = os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOCTTY


class FileSink:
    """Appends under a lock, so that no other process writes between the parts of a write that was cut short.

    It looks for the file at its path before each write. So a file that was moved away takes no more records, and no
    signal is needed.
    """

    batch_bytes = BATCH_BYTES
    batch_seconds = BATCH_SECONDS

    def __init__(self, path: Path) -> None:
        """Makes the file, for its owner alone. Raises OSError if it can't be opened, or is no file."""
        self._path = path.absolute()
        self._handle: int | None = None
        with suppress(FileNotFoundError):
            mode = os.stat(self._path).st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISCHR(mode)):
                raise OSError(0, "the decision log needs a file", str(path))
        os.close(self._opened())

    def start_worker(self) -> None:
        """See `Sink`."""

    def leave(self) -> None:
        """Close the file: the sink is no longer used, or it belongs to the parent of this process."""
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)

    def send(self, lines: bytes) -> None:
        """See `Sink`."""
        try:
            handle = self._locked()
            try:
                _append(handle, lines)
            finally:
                fcntl.flock(handle, fcntl.LOCK_UN)
        except OSError as ex:
            raise SinkFailed(f"{self._path}: {reason_of(ex)}") from None

    def _locked(self) -> int:
        """Returns the handle of the file at the path, locked."""
        while True:
            if self._handle is None:
                self._handle = self._opened()
            handle = self._handle
            fcntl.flock(handle, fcntl.LOCK_EX)
            if self._is_at_path(handle):
                return handle
            self._handle = None
            os.close(handle)  # this frees the lock

    def _opened(self) -> int:
        """PERF and safety: reading is only for the last byte. A device may be for writing alone."""
        try:
            return os.open(self._path, os.O_RDWR | _FLAGS, _OWNER_ONLY)
        except PermissionError:
            return os.open(self._path, os.O_WRONLY | _FLAGS, _OWNER_ONLY)

    def _is_at_path(self, handle: int) -> bool:
        try:
            return os.path.samestat(os.fstat(handle), os.stat(self._path))
        except FileNotFoundError:
            return False


def _append(handle: int, data: bytes) -> None:
    """Appends all bytes or none. The caller has locked the file."""
    found = os.fstat(handle)
    is_regular, size = stat.S_ISREG(found.st_mode), found.st_size
    if is_regular and size and not _ends_line(handle, size):
        data = b"\n" + data  # a process was killed while it wrote: its record is lost, and no other one with it
    done = 0
    try:
        while done < len(data):
            done += os.write(handle, memoryview(data)[done:])
    except OSError:
        if is_regular and done:
            os.ftruncate(handle, size)
        raise


def _ends_line(handle: int, size: int) -> bool:
    try:
        return os.pread(handle, 1, size - 1) == b"\n"
    except OSError:  # opened for writing only
        return True
