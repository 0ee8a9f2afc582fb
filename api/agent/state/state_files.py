"""Files that survive a crash: each is written and synced under another name, and then renamed."""

import os
from pathlib import Path
from typing import Final

from ....bundles.system_errors import naming
from ..sources.download import unfinished_file

OWNER_ONLY: Final = 0o600


def write_file(path: Path, content: bytes) -> None:
    """Write a file in one step: a reader finds the old content or the new one. Raises OSError."""
    unfinished = unfinished_file(path.parent)
    with naming(path, unfinished):
        try:
            handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, OWNER_ONLY)
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_file(path: Path) -> None:
    """Write what the system still holds of a file to the disk. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable. Raises OSError."""
    sync_file(folder)
