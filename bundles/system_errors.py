"""Sentences about the errors of the operating system: the path, the reason and the remedy.

An `OSError` of Python names no path if a file was open already, and never a remedy.
"""

import errno
import os
import pwd
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

FULL_DISK: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""The errors of a write for which there is no room."""

_REMEDIES: Final[Mapping[int, str]] = {
    errno.ENOSPC: "make room on the disk",
    errno.EDQUOT: "make room, or raise the quota of the user",
    errno.EFBIG: "raise the limit on the size of files",
    errno.EROFS: "mount the file system writable, or name another path",
    errno.ENAMETOOLONG: "name a shorter path",
    errno.EIO: "check the disk",
    errno.EMFILE: "raise the limit of open files (`ulimit -n`)",
    errno.ENFILE: "raise the machine's limit of open files",
    errno.ENOMEM: "give the machine more memory",
}
_NOT_ALLOWED: Final = frozenset({errno.EACCES, errno.EPERM})


class Lack(NamedTuple):
    """A right that this user lacks: one of `r`, `w` and `x` on the file or folder `path`."""

    path: Path
    right: str

    @property
    def message(self) -> str:
        """The words for the lack: the user, the right, the path and its owner."""
        verb = {"r": "read", "w": "write to", "x": "enter" if self.path.is_dir() else "run"}[self.right]
        return f"{this_user()} can't {verb} `{self.path}`, which belongs to {user_name(self.path.stat().st_uid)}"

    @property
    def remedy(self) -> str:
        """The command that gives the right."""
        rights = "u+rwx" if self.path.is_dir() else f"u+{self.right}"
        if self.path.stat().st_uid == os.geteuid():
            return f"run `chmod {rights} {self.path}`"
        owner = user_name(self.path.stat().st_uid)
        if self.right == "x":
            return f"let {this_user()} {'enter' if self.path.is_dir() else 'run'} `{self.path}`, or run this as {owner}"
        return f"run `chown {this_user()} {self.path}`, or run this as {owner}"


def os_sentence(error: OSError) -> str:
    """Returns the system's error with the name of the file, and the remedy if there is one.

    >>> os_sentence(FileNotFoundError(2, "No such file or directory", "model.yaml"))
    'model.yaml: no such file or directory'
    >>> os_sentence(OSError(28, "No space left on device", "backup.db"))
    'backup.db: no space left on device; make room on the disk'
    """
    if not error.filename:
        return _with(error.strerror or str(error), _remedy(error))
    return f"{shown(error.filename)}: {reason_of(error)}"


def reason_of(error: OSError) -> str:
    """Returns the reason and the remedy, for a message that has named the path.

    >>> reason_of(OSError(28, "No space left on device"))
    'no space left on device; make room on the disk'
    """
    return _with((error.strerror or str(error)).lower(), _remedy(error))


def public_reason(error: OSError) -> str:
    """Returns the reason and the remedy without a path, for those who do not administer the machine.

    >>> public_reason(PermissionError(13, "Permission denied", "/var/lib/writ/keys"))
    'permission denied'
    """
    remedy = "" if error.errno in _NOT_ALLOWED else _remedy(error)
    return _with((error.strerror or str(error)).lower(), remedy)


def sentence_of(error: Exception) -> str:
    """Returns the message of an error, which is one sentence, or what `os_sentence` makes of the system's."""
    return os_sentence(error) if isinstance(error, OSError) else str(error)


@contextmanager
def naming(path: Path, draft: Path | None = None) -> Iterator[None]:
    """Adds the path to an OSError of the block that has none, as after a failed write to an open file.

    It also replaces the name of a `draft`, which the reader of the message does not know.
    """
    try:
        yield
    except OSError as ex:
        names_another = ex.filename is not None and (draft is None or shown(ex.filename) != str(draft))
        if names_another or ex.errno is None:
            raise
        raise OSError(ex.errno, ex.strerror, str(path)) from ex


def lack_at(path: Path, rights: str = "r") -> Lack | None:
    """Returns the first right that this user lacks on the way to a path or on the path itself, or None.

    To make a path that does not exist, its folder must be writable.
    """
    if os.path.islink(path):
        path = Path(os.path.realpath(path))
    for folder in reversed(path.absolute().parents):
        if os.path.exists(folder) and not _may(folder, "x"):
            return Lack(folder, "x")
    if not os.path.lexists(path):
        return None if not os.path.exists(path.parent) or _may(path.parent, "w") else Lack(path.parent, "w")
    return next((Lack(path, right) for right in rights if not _may(path, right)), None)


def this_user() -> str:
    """Returns the name of the user of this process."""
    return user_name(os.geteuid())


def user_name(number: int) -> str:
    """Returns the name of a user, or the number if it has none, as in a container."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def shown(filename: object) -> str:
    """Returns the path of an error as text."""
    return os.fsdecode(filename) if isinstance(filename, str | bytes) else str(filename)


def _with(reason: str, remedy: str) -> str:
    return f"{reason}; {remedy}" if remedy else reason


def _remedy(error: OSError) -> str:
    if error.errno not in _NOT_ALLOWED:
        return _REMEDIES.get(error.errno or 0, "")
    if not isinstance(error.filename, str | bytes):
        return ""
    path = Path(os.fsdecode(error.filename))
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        return ""  # a device is not Writ's to give away
    lack = lack_at(path, "rwx" if os.path.isdir(path) else "rw")
    return "" if lack is None else lack.remedy


def _may(path: Path, right: str) -> bool:
    effective = os.access in os.supports_effective_ids
    return os.access(path, {"r": os.R_OK, "w": os.W_OK, "x": os.X_OK}[right], effective_ids=effective)
