"""Files of keys: read, watched for changes, and written for the owner of their folder alone."""

import errno
import os
from collections.abc import Hashable
from pathlib import Path
from typing import Final

from ...store.database.private_files import write_atomically

_MOST_BYTES: Final = 64 * 1024


def read_file(path: Path) -> bytes:
    """Returns the content of a file of keys, 64 KiB at most. Raises OSError."""
    with path.open("rb") as file:
        return file.read(_MOST_BYTES)


def stamp_of(path: Path) -> Hashable:
    """Returns a value that changes when the file or its permissions change, or None if the file can't be found."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_mode, stat.st_uid


def write_file(path: Path, content: bytes) -> None:
    """Writes a file in one step. Only the owner of its folder can read it. Raises OSError."""
    write_atomically(path, content, lambda draft: hand_to_owner(draft, path.parent))


def hand_to_owner(path: Path, folder: Path) -> None:
    """Gives a new file to the owner of `folder`, so that a service that runs as that user can read it.

    Raises:
        PermissionError: this process runs neither as that user nor as root.
    """
    uid, gid = _owner(folder)
    if path.stat().st_uid == uid:
        return
    try:
        os.chown(path, uid, gid)
    except OSError:
        sentence = f"it belongs to the user {uid}, and so must its keys; run this as that user"
        raise PermissionError(errno.EPERM, sentence, str(folder)) from None


def _owner(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_uid, stat.st_gid
