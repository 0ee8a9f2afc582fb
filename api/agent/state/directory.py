"""The state directory: which process writes it, and how each change gets into it in one step."""

import fcntl
import logging
import os
import re
import secrets
import shutil
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import msgspec

from ....bundles.errors import BundleError
from ....bundles.feed.update import LONGEST_UPDATE
from ...telemetry.log import LOG
from ..sources.download import UNFINISHED, unfinished_file
from .current import CURRENT, LONGEST_CURRENT, Current, decode_current, encode_current
from .state_files import OWNER_ONLY, sync_file, sync_folder, write_file

_LOCK: Final = "lock"
_BUNDLE, _UPDATES, _CALLERS = ".bundle", ".updates", ".callers"
_NAME: Final = re.compile(r"(\d{1,18})-(\d{1,18})-[0-9a-f]{16}")
_HEARD: Final = b"1"
_LENGTH: Final = struct.Struct("<I")
_FOLDER_MODE: Final = 0o700
_OTHERS_WRITE: Final = 0o022

Stamp: TypeAlias = tuple[int, int, int]
"""The inode, size and time of a `current.json`, which differ from those of the next one."""


class Guess(NamedTuple):
    """A bundle in a directory whose `current.json` is damaged: its name, and the size of the updates beside it."""

    bundle: str
    updates: int


class StateDirectory:
    """A folder that belongs to its owner alone. One process at a time writes it, and others may read it."""

    def __init__(self, folder: Path):
        """Raises OSError if the folder can't be made."""
        self.folder = folder
        folder.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        if folder.stat().st_mode & _OTHERS_WRITE:
            logging.getLogger(LOG).warning(
                "other users can write to `%s`, and may replace what decides; `chmod 700` it", folder
            )
        self._lock: int | None = None
        self.leads = self._has_told = False

    # -- who writes

    def try_lead(self) -> bool:
        """Returns whether this process may write. Once it may, it may until `release`. Raises OSError."""
        if self.leads:
            return True
        if self._lock is None:
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            self._lock = os.open(self.folder / _LOCK, flags, OWNER_ONLY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        self.leads, self._has_told = True, False
        os.ftruncate(self._lock, 0)
        for file in self.folder.glob(f".*{UNFINISHED}"):
            file.unlink(missing_ok=True)
        return True

    def tell_heard(self) -> None:
        """Let the processes that read know that this one has an answer of the source.

        Without room on the disk they don't, and wait for as long as their callers say.
        """
        if self.leads and self._lock is not None and not self._has_told:
            with suppress(OSError):
                self._has_told = os.pwrite(self._lock, _HEARD, 0) > 0

    def leader_has_heard(self) -> bool:
        """Returns whether the process that writes has an answer of the source since it writes. Raises OSError."""
        return self._lock is not None and os.pread(self._lock, 1, 0) == _HEARD

    def release(self) -> None:
        """Let another process write. In a forked child, this leaves the lock of the parent as it is."""
        if self._lock is not None:
            os.close(self._lock)
        self._lock, self.leads = None, False

    # -- reading

    def stamp(self) -> Stamp | None:
        """Returns the stamp of `current.json`, or None if there is none. It is one system call. Raises OSError."""
        try:
            found = os.stat(self.folder / CURRENT)
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns

    def read(self) -> Current | None:
        """Returns what `current.json` says, or None if there is none. Raises BundleError, OSError."""
        try:
            with open(self.folder / CURRENT, "rb") as file:
                return decode_current(file.read(LONGEST_CURRENT))
        except FileNotFoundError:
            return None

    def bundle_path(self, name: str) -> Path:
        """Returns the path of the bundle of this name."""
        return self.folder / f"{name}{_BUNDLE}"

    def updates(self, name: str, start: int, end: int) -> Iterator[bytes]:
        """Yields updates on top of a bundle, from one place in their file to another. Raises BundleError, OSError."""
        if start == end:
            return
        with open(self.folder / f"{name}{_UPDATES}", "rb") as file:
            file.seek(start)
            while file.tell() < end:
                head = file.read(_LENGTH.size)
                length = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else -1
                if not 0 <= length <= min(LONGEST_UPDATE, end - file.tell()):
                    raise BundleError("the updates in the state directory are damaged")
                yield file.read(length)

    def callers(self, name: str) -> bytes:
        """Returns a list of callers. Raises OSError."""
        return (self.folder / f"{name}{_CALLERS}").read_bytes()

    def guesses(self) -> list[Guess]:
        """Returns the bundles that are there, the newest first. Raises OSError."""
        found = [match for file in self.folder.glob(f"*{_BUNDLE}") if (match := _NAME.fullmatch(file.stem))]
        found.sort(key=lambda match: (int(match[1]), int(match[2])), reverse=True)
        return [Guess(match[0], self._size(match[0])) for match in found]

    def _size(self, name: str) -> int:
        with suppress(FileNotFoundError):
            return (self.folder / f"{name}{_UPDATES}").stat().st_size
        return 0

    # -- writing

    def copied(self, path: Path) -> Path:
        """Returns a copy of a file, in this folder. Raises OSError."""
        copy = unfinished_file(self.folder)
        try:
            with path.open("rb") as source, os.fdopen(os.open(copy, _NEW, OWNER_ONLY), "wb") as target:
                shutil.copyfileobj(source, target)
        except BaseException:
            copy.unlink(missing_ok=True)
            raise
        return copy

    def linked(self, name: str) -> Path:
        """Returns another name for the bundle of this name, in this folder. Raises OSError."""
        link = unfinished_file(self.folder)
        os.link(self.bundle_path(name), link)
        return link

    def keep_bundle(self, path: Path, updates: Iterable[bytes], new: Current) -> Current:
        """Put a bundle, a file in this folder, and updates on top of it in place of the earlier ones.

        Returns the new state. After OSError, the earlier state is there, and the file is gone.
        """
        name = f"{new.epoch}-{new.revision}-{secrets.token_hex(8)}"
        frames = b"".join(map(_frame, updates))
        try:
            path.chmod(OWNER_ONLY)
            sync_file(path)
            os.rename(path, self.bundle_path(name))
            if frames:
                write_file(self.folder / f"{name}{_UPDATES}", frames)
            sync_folder(self.folder)
            return self.keep(msgspec.structs.replace(new, bundle=name, updates=len(frames)))
        except OSError:
            path.unlink(missing_ok=True)
            self._remove_unless_current(name)
            raise

    def keep_update(self, update: bytes, new: Current) -> Current:
        """Add an update to those on disk. Returns the new state. After OSError, the earlier one is there."""
        handle = os.open(self.folder / f"{new.bundle}{_UPDATES}", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, OWNER_ONLY)
        with os.fdopen(handle, "wb") as file:
            file.truncate(new.updates)  # what stands behind was never accepted
            file.seek(new.updates)
            frame = _frame(update)
            try:
                file.write(frame)
                file.flush()
                os.fsync(handle)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(handle, new.updates)
                raise
        return self.keep(msgspec.structs.replace(new, updates=new.updates + len(frame)))

    def keep_callers(self, token: bytes, new: Current) -> Current:
        """Put a list of callers in place of the earlier one. Returns the new state. Raises OSError."""
        name = secrets.token_hex(8)
        write_file(self.folder / f"{name}{_CALLERS}", token)
        return self.keep(msgspec.structs.replace(new, callers=name))

    def keep(self, new: Current) -> Current:
        """Write `current.json`, and remove the files that it no longer names. Returns the new state. Raises OSError."""
        write_file(self.folder / CURRENT, encode_current(new))
        kept = {f"{new.bundle}{_BUNDLE}", f"{new.bundle}{_UPDATES}", f"{new.callers}{_CALLERS}"}
        for file in self.folder.iterdir():
            if file.suffix in (_BUNDLE, _UPDATES, _CALLERS) and file.name not in kept:
                file.unlink(missing_ok=True)
        return new

    def _remove_unless_current(self, name: str) -> None:
        """Remove the files of a bundle that was not accepted."""
        with suppress(OSError, BundleError):
            current = self.read()
            if current is None or current.bundle != name:
                for ending in (_BUNDLE, _UPDATES):
                    (self.folder / f"{name}{ending}").unlink(missing_ok=True)


_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


def _frame(update: bytes) -> bytes:
    return _LENGTH.pack(len(update)) + update
