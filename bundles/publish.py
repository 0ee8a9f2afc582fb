"""Publishes a file by write, fsync, rename: a reader sees the old file or the new one, never half of one."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast


@contextmanager
def published(path: Path) -> Iterator[BinaryIO]:
    """An empty, seekable file that becomes `path` when the block ends without an exception, and nothing otherwise.

    Raises OSError where the folder can't be written. A file that another process has mapped stays as it was for it.
    """
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "the folder does not exist", str(path.parent))
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with cast(BinaryIO, os.fdopen(handle, "w+b")) as file:
            yield file
            file.flush()
            os.fchmod(file.fileno(), 0o644)
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
