"""The keys of a data directory: made, rotated, and left out when they are too old to count."""

import errno
import fcntl
import math
import os
import re
import shutil
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Final

from ...store.database.private_files import DRAFT, draft_suffix
from ..credential_shapes import LONGEST_LIFETIME
from .key_files import hand_to_owner, read_file, stamp_of, write_file
from .signing_keys import Pem, UnusableSigningKey, new_key, read_key

FOLDER: Final = "keys"
AUDIT_FOLDER: Final = "audit-keys"
"""In the data directory, for its owner alone, as every file in them: the keys that sign tokens, and the audit log."""

_NOTICE_SECONDS: Final = 60
_KEPT_SECONDS: Final[Mapping[str, float]] = {FOLDER: LONGEST_LIFETIME + _NOTICE_SECONDS, AUDIT_FOLDER: math.inf}
"""How long a key counts after it was replaced: as its tokens may live, or for good where it signed the audit log.

A worker that signs just then may notice a little later.
"""

_ID: Final = r"\d{12}-[A-Za-z0-9_-]{43}"
_NAME: Final = re.compile(_ID + r"\.pem")
_FILE_DRAFT: Final = re.compile(_ID + DRAFT)


class KeyFolder:
    """One key a file, whose name begins with the epoch seconds of when it was made.

    The newest signs. Of those before it the public half stays, as long as something that they signed may be alive.
    """

    def __init__(self, directory: Path, folder: str = FOLDER, clock: Callable[[], float] = time.time) -> None:
        """`directory` is the data directory, `folder` one of those above; `clock` gives epoch seconds."""
        self.path = directory / folder
        self._kept, self._clock = _KEPT_SECONDS[folder], clock

    def make_first(self, algorithm: str) -> None:
        """Make the folder and a key in it, in one step, unless the folder is there. Raises OSError."""
        if self.path.exists():
            return
        draft = self.path.with_name(self.path.name + draft_suffix())
        draft.mkdir(mode=0o700)
        try:
            _write_key(draft, algorithm, int(self._clock()))
            draft.rename(self.path)
        except OSError:
            shutil.rmtree(draft, ignore_errors=True)
            raise

    def rotate(self, algorithm: str, distrust_old: bool = False) -> str:
        """Make a new key, and give back its id.

        Of those before it the public half stays, as long as they count; with `distrust_old` nothing. Raises OSError.
        """
        self._make()
        with self._alone():
            files = self._files()
            id = _write_key(self.path, algorithm, max(int(self._clock()), *(_made(file) + 1 for file in files), 0))
            counting = [] if distrust_old else self._counting()
            for file in files:
                if file in counting:
                    _keep_public_half(file)
                else:
                    file.unlink()
            self._remove_drafts()
        return id

    def stamp(self) -> Hashable:
        """See `KeySource`."""
        try:
            return tuple((file.name, stamp_of(file)) for file in self._counting())
        except OSError:
            return None

    def pems(self) -> list[Pem]:
        """See `KeySource`."""
        try:
            found = [_pem(file) for file in self._counting()]
        except OSError as ex:
            if ex.errno != errno.ENOENT:
                raise UnusableSigningKey(f"the keys in `{self.path}` can't be read: {ex.strerror}") from None
            found = []
        if not found:
            remedy = "make one by `writ keys rotate`" if self.path.name == FOLDER else "put it back"
            raise UnusableSigningKey(f"there is no key in `{self.path}`; {remedy}")
        return found

    def _files(self) -> list[Path]:
        """The newest first."""
        return sorted((file for file in self.path.iterdir() if _NAME.fullmatch(file.name)), reverse=True)

    def _counting(self) -> list[Path]:
        """Those of which the next one is not that old that nothing can be alive which they signed."""
        files, now = self._files(), self._clock()
        return files[:1] + [file for newer, file in pairwise(files) if _made(newer) + self._kept >= now]

    def _make(self) -> None:
        if not self.path.exists():
            self.path.mkdir(mode=0o700)
            hand_to_owner(self.path, self.path.parent)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One rotation at a time; at the end what it did is on disk."""
        descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _remove_drafts(self) -> None:
        """Private keys that were never used, of commands that were killed."""
        for file in self.path.iterdir():
            if _FILE_DRAFT.fullmatch(file.name):
                file.unlink()
        for folder in self.path.parent.iterdir():
            if re.fullmatch(re.escape(self.path.name) + DRAFT, folder.name):
                shutil.rmtree(folder)


def _write_key(folder: Path, algorithm: str, made: int) -> str:
    key, pem = new_key(algorithm)
    write_file(folder / f"{made:012d}-{key.id}.pem", pem)
    return key.id


def _keep_public_half(file: Path) -> None:
    """Replace a private key by its public half; what can't be read stays for the operator to look at."""
    try:
        pem = read_key(read_file(file), "").public_pem()
    except (UnusableSigningKey, OSError):
        return
    write_file(file, pem)


def _pem(file: Path) -> Pem:
    place = f"the key `{file}`"
    try:
        return Pem(place, read_file(file))
    except OSError as ex:
        return Pem(place, b"", ex.strerror)


def _made(file: Path) -> int:
    return int(file.name[:12])
