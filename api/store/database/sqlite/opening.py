"""The files of a database: makes a new one for its owner alone, and finds out that one is missing."""

import os
from pathlib import Path

from ...errors import StoreUnavailable
from ..private_files import OWNER_ONLY

FILE = "writ.db"


def ensure_file(path: Path) -> None:
    """Create the file if it is missing, with access for its owner alone. SQLite gives its other files the same mode.

    Raises StoreUnavailable if the folder can't be written.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, OWNER_ONLY))
    except PermissionError:
        raise StoreUnavailable.at(path, "is read-only; make the file and its folder writable") from None
    except OSError as ex:
        raise StoreUnavailable.at(path, f"can't be opened: {ex.strerror}") from None


def require_file(path: Path) -> None:
    """Raises StoreUnavailable if the file is missing: an empty store must not replace one that was lost."""
    if not path.exists():
        raise StoreUnavailable.at(path, "is gone")
