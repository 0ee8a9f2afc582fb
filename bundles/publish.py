"""Publishes a file by write, fsync, rename: a reader sees the old file or the new one, never half of one."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast


@contextmanager
def published(path: Path) -> Iterator[BinaryIO]:
    """An empty, seekable file that becomes `path` when the block ends without an exception, and nothing otherwise.

    Its mode is what the process's umask leaves of 0666, as of any file that a program creates. Raises OSError where
    the folder can't be written. A file that another process has mapped stays as it was for it.
    """
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "the folder does not exist", str(path.parent))
    unfinished = path.parent / f".{secrets.token_hex(8)}.unfinished"
    # tempfile would make it 0600; the umask can only be asked for by changing it, which other threads would notice.
    handle = os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        with cast(BinaryIO, os.fdopen(handle, "w+b")) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
