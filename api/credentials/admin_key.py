"""The administrator's key: made once, handed over once, kept in the data directory as its SHA-256 alone."""

import hashlib
import secrets
from pathlib import Path
from typing import Final

from ..store.database.private_files import write_new, write_whole

SHORTEST_KEY: Final = 32
KEY_FILE: Final = "admin-key"
DIGEST_FILE: Final = "admin-key.sha256"

_PREFIX: Final = "writ_admin_"
_RANDOM_BYTES: Final = 32


class UnusableKey(Exception):
    """The key that was preset, or a file about it, can't be used; the message is one sentence."""


def preset_digest(key: str) -> bytes:
    """The SHA-256 of a key that the operator chose.

    Raises:
        UnusableKey: too short, or with characters that the `Authorization` header can't carry.
    """
    if len(key) < SHORTEST_KEY:
        raise UnusableKey(f"`WRIT_ADMIN_KEY` has {len(key)} characters, it must have at least {SHORTEST_KEY}")
    if not all("!" <= character <= "~" for character in key):
        raise UnusableKey("`WRIT_ADMIN_KEY` must consist of ASCII letters, digits and signs, without spaces")
    return _digest(key)


def stored_digest(directory: Path) -> bytes | None:
    """The SHA-256 that an earlier start left in `directory`, None where there is none.

    Raises:
        UnusableKey: the file holds no SHA-256.
        OSError: it can't be read.
    """
    path = directory / DIGEST_FILE
    try:
        text = path.read_text("ascii", "replace").strip()
    except FileNotFoundError:
        return None
    try:
        digest = bytes.fromhex(text)
    except ValueError:
        digest = b""
    if len(digest) != hashlib.sha256().digest_size:
        raise UnusableKey(f"`{path}` holds no SHA-256; remove it, and the next start makes a new key")
    return digest


def store_digest(directory: Path, digest: bytes) -> None:
    """Keep `digest` for the next start; readable by the owner alone, never half written.

    Raises:
        OSError: `directory` can't be written.
    """
    write_whole(directory / DIGEST_FILE, _line(digest.hex()))


def new_key() -> tuple[str, bytes]:
    """A key that nobody can guess, and its SHA-256."""
    key = _PREFIX + secrets.token_urlsafe(_RANDOM_BYTES)
    return key, _digest(key)


def write_key(directory: Path, key: str) -> Path:
    """Hand `key` over in a file that only the owner reads, and say where.

    Raises:
        UnusableKey: the file is there already: it is from a start that failed, or somebody put it there.
        OSError: `directory` can't be written.
    """
    path = directory / KEY_FILE
    try:
        write_new(path, _line(key))
    except FileExistsError:
        raise UnusableKey(f"`{path}` is there already, and belongs to no known key; remove it") from None
    return path


def forget_key(directory: Path) -> None:
    """Remove the file that handed over a key, which is not valid any more. Raises OSError."""
    (directory / KEY_FILE).unlink(missing_ok=True)


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()


def _line(text: str) -> bytes:
    return f"{text}\n".encode("ascii")
