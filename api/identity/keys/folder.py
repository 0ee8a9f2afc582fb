"""The keys of a data directory: Writ makes them, rotates them, and drops each one after its retention."""

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

from ....bundles.signing import sign
from ....bundles.system_errors import reason_of
from ...store.database.private_files import DRAFT, draft_suffix
from ..credential_shapes import LONGEST_LIFETIME
from .key_files import hand_to_owner, read_file, stamp_of, write_file
from .signing_keys import Pem, UnusableSigningKey, new_key, read_key

FOLDER: Final = "keys"
"""The folder of the keys that sign tokens, in the data directory. Only the owner can read a folder of keys."""

AUDIT_FOLDER: Final = "audit-keys"
"""The folder of the keys that seal the audit log."""

BUNDLE_FOLDER: Final = "bundle-keys"
"""The folder of the keys that sign bundles."""

_NOTICE_SECONDS: Final = 60
"""Time for every worker to notice a new key."""

_RETENTION_SECONDS: Final[Mapping[str, float]] = {
    FOLDER: LONGEST_LIFETIME + _NOTICE_SECONDS,
    AUDIT_FOLDER: math.inf,
    BUNDLE_FOLDER: sign.LONGEST_LIFETIME + _NOTICE_SECONDS,
}
"""Time for which a replaced key still verifies: while what it signed can be valid, or forever for the audit log."""

_REMEDIES: Final[Mapping[str, str]] = {
    FOLDER: "make one by `writ keys rotate`",
    AUDIT_FOLDER: "put it back",
    BUNDLE_FOLDER: "make one by `writ keys rotate --kind bundle`",
}
"""The remedy if a folder has no key, by the use of its keys."""

_ID: Final = r"\d{12}-[A-Za-z0-9_-]{43}"
_NAME: Final = re.compile(_ID + r"\.pem")
_FILE_DRAFT: Final = re.compile(_ID + DRAFT)


class KeyFolder:
    """A folder with one key in each file. A file's name begins with the time of its creation in epoch seconds.

    The newest key signs. Older keys verify until their retention ends; the folder keeps only their public halves.
    """

    def __init__(self, directory: Path, folder: str = FOLDER, clock: Callable[[], float] = time.time) -> None:
        """`directory` is the data directory, `folder` is one of the three above; `clock` gives epoch seconds."""
        self.path = directory / folder
        self._retention, self._clock = _RETENTION_SECONDS[folder], clock

    def make_first(self, algorithm: str) -> None:
        """Makes the folder with one key, in one step, unless the folder exists. Raises OSError."""
        if self.path.exists():
            return
        draft = self.path.with_name(self.path.name + draft_suffix())
        draft.mkdir(mode=0o700)
        try:
            _write_key(draft, algorithm, int(self._clock()))
            draft.rename(self.path)
        except OSError:
            shutil.rmtree(draft, ignore_errors=True)
            if not self.path.exists():  # else another process made it at the same time
                raise

    def rotate(self, algorithm: str, distrust_old: bool = False) -> str:
        """Makes a new key that signs from now on, and returns its id.

        Older keys verify until their retention ends. With `distrust_old`, they are deleted. Raises OSError.
        """
        self._ensure_folder()
        with self._locked():
            files = self._files()
            id = _write_key(self.path, algorithm, max(int(self._clock()), *(_created(file) + 1 for file in files), 0))
            retained = [] if distrust_old else self._retained()
            for file in files:
                if file in retained:
                    _keep_public_half(file)
                else:
                    file.unlink()
            self._remove_drafts()
        return id

    def stamp(self) -> Hashable:
        """See `KeySource`."""
        try:
            return tuple((file.name, stamp_of(file)) for file in self._retained())
        except OSError:
            return None

    def pems(self) -> list[Pem]:
        """See `KeySource`."""
        try:
            found = [_pem(file) for file in self._retained()]
        except OSError as ex:
            if ex.errno != errno.ENOENT:
                raise UnusableSigningKey(f"the keys in `{self.path}` can't be read: {reason_of(ex)}") from None
            found = []
        if not found:
            raise UnusableSigningKey(f"there is no key in `{self.path}`; {_REMEDIES[self.path.name]}")
        return found

    def _files(self) -> list[Path]:
        """Returns the files of keys, the newest first."""
        return sorted((file for file in self.path.iterdir() if _NAME.fullmatch(file.name)), reverse=True)

    def _retained(self) -> list[Path]:
        """Returns the newest file, and each older one whose successor is younger than the retention."""
        files, now = self._files(), self._clock()
        return files[:1] + [file for newer, file in pairwise(files) if _created(newer) + self._retention >= now]

    def _ensure_folder(self) -> None:
        if not self.path.exists():
            self.path.mkdir(mode=0o700)
            hand_to_owner(self.path, self.path.parent)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Lets one rotation run at a time. At the end, its changes are on disk."""
        descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _remove_drafts(self) -> None:
        """Removes private keys that were never used, left by commands that were killed."""
        for file in self.path.iterdir():
            if _FILE_DRAFT.fullmatch(file.name):
                file.unlink()
        for folder in self.path.parent.iterdir():
            if re.fullmatch(re.escape(self.path.name) + DRAFT, folder.name):
                shutil.rmtree(folder)


def strays(folder: Path) -> list[Path]:
    """Returns what is in a folder of keys, and no key or draft of one by its name. Empty if it can't be read."""
    try:
        found = sorted(folder.iterdir())
    except OSError:
        return []
    return [one for one in found if not (_NAME.fullmatch(one.name) or _FILE_DRAFT.fullmatch(one.name))]


def _write_key(folder: Path, algorithm: str, created: int) -> str:
    key, pem = new_key(algorithm)
    write_file(folder / f"{created:012d}-{key.id}.pem", pem)
    return key.id


def _keep_public_half(file: Path) -> None:
    """Replaces a private key by its public half. A file that can't be read stays as it is, for the operator."""
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
        return Pem(place, b"", reason_of(ex))


def _created(file: Path) -> int:
    return int(file.name[:12])
