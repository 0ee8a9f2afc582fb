"""The files of a database: makes a new one for its owner alone, and finds out that one is missing."""

import os
from pathlib import Path

from .....bundles.system_errors import lack_at, public_reason
from ...errors import StoreUnavailable
from ..private_files import OWNER_ONLY

FILE = "writ.db"

READ_ONLY = "is read-only; make the file and its folder writable"

_BESIDE = ("", "-wal", "-shm")
"""The endings of the files that SQLite writes."""


def lack_of_files(path: Path) -> str:
    """Returns which right on which file of the database this user lacks, and the remedy, or "" if there is none."""
    files = [path.with_name(path.name + ending) for ending in _BESIDE]
    places = [path.parent, *filter(os.path.exists, files)]
    lack = next(filter(None, (lack_at(place, "rwx" if place == path.parent else "rw") for place in places)), None)
    return "" if lack is None else f"{lack.message}; {lack.remedy}"


def ensure_file(path: Path) -> None:
    """Create the file if it is missing, with access for its owner alone. SQLite gives its other files the same mode.

    Raises StoreUnavailable if the folder can't be written.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, OWNER_ONLY))
    except PermissionError as ex:
        raise StoreUnavailable.at(path, READ_ONLY, lack_of_files(path)) from ex
    except OSError as ex:
        raise StoreUnavailable.at(path, f"can't be opened: {public_reason(ex)}") from None


def require_file(path: Path) -> None:
    """Raises StoreUnavailable if the file is missing: an empty store must not replace one that was lost."""
    if not path.exists():
        raise StoreUnavailable.at(path, "is gone")
