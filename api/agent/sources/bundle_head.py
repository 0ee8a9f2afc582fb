"""Looks at the head of a bundle before the bundle is written to the disk: what it is, and whether there is room."""

import errno
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ....bundles.errors import BundleError
from ....bundles.file.header import HEADER, MAX_SECTIONS, decode_header, header_size

LONGEST_BUNDLE: Final = 4 * 1024**3
"""The most bytes of a bundle, unless the options say otherwise: as many as 30 million direct grants take."""

HEAD_BYTES: Final = header_size(MAX_SECTIONS)
"""The most bytes of the header and the section table."""


def check_size(size: int, longest: int) -> None:
    """Raises BundleError for a bundle of `size` bytes, if at most `longest` are accepted."""
    if size > longest:
        raise BundleError(f"the bundle has {size} bytes, more than the {longest} that are accepted")


def check_head(head: bytes, size: int, longest: int) -> None:
    """Checks the first bytes of a bundle of `size` bytes: its header, and the place of each section.

    Only the signature says that the bundle is genuine. Raises BundleError.
    """
    decode_header(head[:HEAD_BYTES], size)
    check_size(size, longest)


def check_file(path: Path, longest: int) -> None:
    """Checks the head of a bundle file, as `check_head`. Raises OSError too."""
    with path.open("rb") as file:
        check_head(file.read(HEAD_BYTES), os.fstat(file.fileno()).st_size, longest)


def check_room(folder: Path, size: int) -> None:
    """Raises OSError if the disk of a folder has no room for so many bytes."""
    if shutil.disk_usage(folder).free < size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))


@dataclass(slots=True)
class HeadCheck:
    """The check of one download into a folder. `size` is what the head says, or None while it is not known."""

    folder: Path
    longest: int
    size: int | None = None

    def passed(self, pieces: Iterable[bytes], offset: int) -> Iterator[bytes]:
        """Yields the pieces of a bundle from an offset on, once its head is checked, and as far as its head says.

        Raises BundleError, OSError if the disk has no room, and what `pieces` raises.
        """
        head, end = b"", offset
        for piece in pieces:
            end += len(piece)
            if self.size is None:
                head += piece
                if not self._is_known(head):
                    continue
                piece, head = head, b""
            if self.size is not None and end > self.size:
                raise BundleError(f"the bundle is padded: it says {self.size} bytes, and more came")
            yield piece
        if self.size is None:
            check_head(head, len(head), self.longest)  # it is too short, and this says so

    def _is_known(self, head: bytes) -> bool:
        """Returns whether the bytes have the whole head. It is checked then."""
        if len(head) < HEADER.size:
            return False
        _, _, count, size, _ = HEADER.unpack_from(head)
        if len(head) < header_size(min(count, MAX_SECTIONS)) and len(head) < size:
            return False
        check_head(head, size, self.longest)
        check_room(self.folder, size)
        self.size = size
        return True
