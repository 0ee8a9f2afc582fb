"""The data directory, which belongs to its owner alone, and its locks."""

import fcntl
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, Final

from ....bundles.system_errors import FULL_DISK, reason_of
from ...store.database.private_files import OWNER_ONLY

LOCK_SECONDS: Final = 5.0
"""The seconds that a start waits for the lock. If a master is killed, its workers hold it for up to a second more."""

LOCK_FILE: Final = "serve.lock"
"""The file in the data directory that a running service has locked."""

_LOCK_POLL_SECONDS: Final = 0.05
_DIRECTORY_MODE: Final = 0o700
_OTHERS: Final = 0o077
_OTHERS_WRITE: Final = 0o022


class UnusableDirectory(Exception):
    """The data directory can't be created or written. The message is one sentence."""


def prepare_directory(directory: Path) -> None:
    """Make `directory` with access for its owner alone, unless it exists, and check that Writ can write to it.

    Prints a warning on standard error if other users could replace the service's files. This is not an error, since a
    container's volume may have a reason for such rights.

    Raises:
        UnusableDirectory: the directory can't be created, or it can't be written.
    """
    try:
        directory.mkdir(mode=_DIRECTORY_MODE, parents=True, exist_ok=True)
        _try_to_write(directory)
        found = directory.stat()
    except OSError as error:
        is_file = isinstance(error, FileExistsError)
        reason = "it is a file, not a folder" if is_file else reason_of(error)
        raise UnusableDirectory(f"`{directory}` can't be used as the data directory: {reason}") from None
    risk = "may replace the store, its keys and its audit log"
    if found.st_mode & _OTHERS_WRITE:
        _warn(f"other users can write to `{directory}`, and {risk}; `chmod 700` it")
    if found.st_uid != os.geteuid():
        _warn(f"`{directory}` belongs to another user, who {risk}; run Writ as that user, or `chown` it")


def _try_to_write(directory: Path) -> None:
    """Makes a file and removes it. A full disk is no reason to refuse: it is for each write. Raises OSError."""
    try:
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as ex:
        if ex.errno not in FULL_DISK:
            raise OSError(ex.errno, ex.strerror, str(directory)) from None


def hold(directory: Path) -> IO[bytes]:
    """Returns the lock of a prepared data directory.

    It is held until this process and its forks have closed the file.

    Waits `LOCK_SECONDS` for the lock, and says so on standard error.

    Raises:
        UnusableDirectory: another server holds the lock.
        OSError: the file can't be opened.
    """
    lock = open_lock(directory / LOCK_FILE)
    if _locked(lock):
        return lock
    print(f"`{directory}` is in use; waiting up to {LOCK_SECONDS:g} seconds for it", file=sys.stderr)
    until = time.monotonic() + LOCK_SECONDS
    while time.monotonic() < until:
        time.sleep(_LOCK_POLL_SECONDS)
        if _locked(lock):
            return lock
    lock.close()
    raise UnusableDirectory(f"`{directory}` is served by another process; stop it, or choose another directory")


def open_lock(path: Path) -> IO[bytes]:
    """Open a file to lock, or create it for its owner alone: a process that can open it can lock Writ out.

    Raises OSError, also for a symbolic link.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, OWNER_ONLY)
    found = os.fstat(handle)
    if found.st_mode & _OTHERS and found.st_uid == os.geteuid():  # an earlier version created it
        os.fchmod(handle, OWNER_ONLY)
    return os.fdopen(handle, "r+b", buffering=0)


def _locked(lock: IO[bytes]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _warn(sentence: str) -> None:
    print(f"WARNING: {sentence}", file=sys.stderr)
