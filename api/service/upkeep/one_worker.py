"""The choice of one worker that does something for all."""

import fcntl
import tempfile


class OneWorker:
    """The choice is a lock, which is free once its process has ended. It is made before the workers are forked."""

    def __init__(self) -> None:
        """Raises OSError if there is no file for the lock."""
        self._lock = tempfile.TemporaryFile()  # noqa: SIM115 - it is open as long as the service runs

    def is_this(self) -> bool:
        """Returns whether this process is the one. The first that asks is."""
        try:
            fcntl.lockf(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # a lock of the process, for all its threads
        except OSError:
            return False
        return True

    def close(self) -> None:
        """Close the lock, after all workers have ended."""
        self._lock.close()
