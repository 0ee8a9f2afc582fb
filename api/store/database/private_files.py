"""Files with access for their owner alone, each written whole or not at all."""

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from ....bundles.system_errors import naming

DRAFT: Final = r"\.[0-9a-f]{16}"
"""The ending of an unfinished file's name (a regular expression)."""

SECRET_BYTES: Final = 32

OWNER_ONLY: Final = 0o600


def draft_suffix() -> str:
    """Returns a new ending for an unfinished file (see `DRAFT`)."""
    return f".{secrets.token_hex(8)}"


def write_new(path: Path, content: bytes) -> None:
    """Create a file, and sync it to disk. Raises FileExistsError, OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    with naming(path), os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def write_atomically(path: Path, content: bytes, finish: Callable[[Path], None] = lambda _: None) -> None:
    """Replace a file in one step. `finish` gets the new file before it takes the place of the old one.

    Raises OSError.
    """
    draft = path.with_suffix(draft_suffix())
    with naming(path, draft):
        try:
            write_new(draft, content)
            finish(draft)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)


def read_or_create_secret(path: Path) -> bytes:
    """Returns the random bytes in a file. They are made on the first call, or if the file was cut. Raises OSError."""
    with suppress(FileNotFoundError):
        found = path.read_bytes()
        if len(found) == SECRET_BYTES:
            return found
    made = secrets.token_bytes(SECRET_BYTES)
    write_atomically(path, made)
    return made
