"""A file system of some megabytes, which fills up. To mount it takes root, else the test is skipped."""

import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

MEGABYTES: Final = 4
_PIECE: Final = b"\0" * 4_096


class SmallDisk:
    """A disk with something else on it, which may take all room."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._other = folder / "something-else"

    def fill(self) -> None:
        """Take all the room."""
        with self._other.open("wb", buffering=0) as file:
            try:
                while file.write(_PIECE):
                    pass
            except OSError:
                return

    def leave(self, size: int) -> None:
        """Take all the room but so many bytes."""
        self.fill()
        with self._other.open("r+b") as file:
            file.truncate(self._other.stat().st_size - size)

    def clear(self) -> None:
        """Give the room back."""
        self._other.unlink()


@contextmanager
def small_disk(folder: Path, megabytes: int = MEGABYTES) -> Iterator[SmallDisk]:
    """A disk of so many megabytes at a new folder."""
    folder.mkdir()
    line = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=700", "none", str(folder)]
    try:
        mounted = subprocess.run(line, capture_output=True).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("a file system can't be mounted here")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    """Lets no file grow above a size, as a quota does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
