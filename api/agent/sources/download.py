"""A download into a file, which can go on after an interruption."""

import os
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .bundle_head import HeadCheck

UNFINISHED: Final = ".unfinished"
"""The ending of the name of a file that is not complete."""

_OWNER_ONLY: Final = 0o600


@dataclass(slots=True)
class Download:
    """A file that grows. `tag` is the entity tag of its content, and `resumes` counts how often it went on.

    `head` checks the head of the bundle, before anything is written.
    """

    path: Path
    tag: str
    head: HeadCheck
    size: int = 0
    resumes: int = 0

    def add(self, pieces: Iterable[bytes], offset: int) -> None:
        """Write pieces from an offset on, in place of what is there.

        Raises OSError, what `pieces` raises, and what `HeadCheck.passed` raises.
        """
        handle = os.open(self.path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        with os.fdopen(handle, "wb") as file:
            file.truncate(offset)
            file.seek(offset)
            self.size = offset
            for piece in self.head.passed(pieces, offset):
                file.write(piece)
                file.flush()  # so that a full disk is noticed here, and the size is right
                self.size += len(piece)

    def remove(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)


def new_download(folder: Path, tag: str, longest: int) -> Download:
    """Returns an empty download of at most `longest` bytes in a folder. Only its owner can read the file.

    Raises OSError.
    """
    path = unfinished_file(folder)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _OWNER_ONLY))
    return Download(path, tag, HeadCheck(folder, longest))


def unfinished_file(folder: Path) -> Path:
    """Returns the path of a new unfinished file in a folder."""
    return folder / f".{secrets.token_hex(8)}{UNFINISHED}"
