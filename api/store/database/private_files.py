"""Files for their owner alone, each written whole or not at all."""

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

DRAFT: Final = r"\.[0-9a-f]{16}"
"""How the name of what is not whole yet ends (a regular expression)."""

SECRET_BYTES: Final = 32

_OWNER_ONLY: Final = 0o600


def draft_suffix() -> str:
    """One that nothing has yet (see `DRAFT`)."""
    return f".{secrets.token_hex(8)}"


def write_new(path: Path, content: bytes) -> None:
    """Make a file, and see it on disk. Raises FileExistsError where there is one, OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def write_whole(path: Path, content: bytes, finish: Callable[[Path], None] = lambda _: None) -> None:
    """Put a file in the place of whatever is there; `finish` is shown it before it stands there. Raises OSError."""
    draft = path.with_suffix(draft_suffix())
    try:
        write_new(draft, content)
        finish(draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def kept_secret(path: Path) -> bytes:
    """The random bytes in a file, made when they are first asked for, or where they were cut. Raises OSError."""
    with suppress(FileNotFoundError):
        found = path.read_bytes()
        if len(found) == SECRET_BYTES:
            return found
    made = secrets.token_bytes(SECRET_BYTES)
    write_whole(path, made)
    return made
