"""Standard output, which all workers share: they take turns, so that no record is cut by another."""

import fcntl
import os
import tempfile
from typing import Final

from .....bundles.system_errors import reason_of
from .sink import SinkFailed

BATCH_BYTES: Final = 64 * 1024
BATCH_SECONDS: Final = 0.0

_OUTPUT: Final = 1


class StreamSink:
    """Writes to standard output. The file of the lock has no name, and the workers inherit it."""

    batch_bytes = BATCH_BYTES
    batch_seconds = BATCH_SECONDS

    def __init__(self, handle: int = _OUTPUT) -> None:
        """`handle` is that of the stream. Raises OSError if the lock can't be made."""
        self._handle = handle
        self._lock = tempfile.TemporaryFile()  # noqa: SIM115 - it is open as long as the service runs

    def start_worker(self) -> None:
        """See `Sink`."""

    def send(self, lines: bytes) -> None:
        """See `Sink`. A stream can't take back a part: if it breaks within a record, the reader has gone."""
        data = memoryview(lines)
        try:
            fcntl.lockf(self._lock, fcntl.LOCK_EX)  # a lock of the process: `flock` would be of all that inherit it
            try:
                while data:
                    data = data[os.write(self._handle, data) :]
            finally:
                fcntl.lockf(self._lock, fcntl.LOCK_UN)
        except OSError as ex:
            raise SinkFailed(f"standard output: {reason_of(ex)}") from None
