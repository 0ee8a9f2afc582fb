"""Publishes a file by write, fsync and rename: a reader sees the old file or the new one, never a part of one."""

import errno
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from .system_errors import naming


@contextmanager
def published(path: Path) -> Iterator[BinaryIO]:
    """Yields an empty, seekable file, which becomes `path` if the block ends without an exception.

    - The mode of the file is 0666 without the bits of the umask, as for any new file.
    - If `path` is a symbolic link, its target is replaced and the link stays.
    - If `path` is a device or a pipe, the content is written into it.
    - A process that has mapped the old file keeps the old file.

    Raises OSError if the file or its folder can't be written.
    """
    path = Path(os.path.realpath(path))
    mode = _mode(path)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "is a folder; name a file in it", str(path))
    if mode and not stat.S_ISREG(mode):
        with tempfile.TemporaryFile() as file:
            yield cast(BinaryIO, file)
            file.seek(0)
            with path.open("wb") as special:
                shutil.copyfileobj(file, special)
        return
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "the folder does not exist", str(path.parent))
    unfinished = path.parent / f".{secrets.token_hex(8)}.unfinished"
    # Not made by `tempfile`: its mode would be 0600. To read the umask, Python must change it for all threads.
    try:
        handle = os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except OSError as ex:
        raise OSError(ex.errno, ex.strerror, str(path)) from None
    try:
        with naming(path, unfinished):
            with cast(BinaryIO, os.fdopen(handle, "w+b")) as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _mode(path: Path) -> int:
    """Returns the kind and mode of what is there, or 0. `Path.exists` of new Pythons hides why a path can't be read."""
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return 0


def _sync_folder(folder: Path) -> None:
    """Makes the rename itself durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
