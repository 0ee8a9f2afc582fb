"""Files of keys: read, watched, and written durably for whoever owns their folder alone."""

import errno
import os
from collections.abc import Hashable
from pathlib import Path
from typing import Final

from ...store.database.private_files import write_whole

_MOST_BYTES: Final = 64 * 1024


def read_file(path: Path) -> bytes:
    """What is in a file of keys, as far as one goes. Raises OSError."""
    with path.open("rb") as file:
        return file.read(_MOST_BYTES)


def stamp_of(path: Path) -> Hashable:
    """What differs from the last time where the file, or who may read it, may have changed; None where it can't be."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_mode, stat.st_uid


def write_file(path: Path, content: bytes) -> None:
    """Write it never half, readable by the owner of its folder alone. Raises OSError."""
    write_whole(path, content, lambda draft: hand_to_owner(draft, path.parent))


def hand_to_owner(path: Path, folder: Path) -> None:
    """Give what was made just now to whoever owns `folder`: a service that runs as that user has to read it.

    Raises:
        PermissionError: only that user, or root, can.
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
