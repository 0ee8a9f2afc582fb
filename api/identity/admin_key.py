"""The administrator's key: generated once, shown once, and stored in the data directory as its SHA-256 only."""

import hashlib
import secrets
from pathlib import Path
from typing import Final

from ..store.database.private_files import write_atomically, write_new

SHORTEST_KEY: Final = 32
KEY_FILE: Final = "admin-key"
DIGEST_FILE: Final = "admin-key.sha256"

_PREFIX: Final = "writ_admin_"
_RANDOM_BYTES: Final = 32


class UnusableKey(Exception):
    """A key, or a file of the administrator's key, can't be used by this server; the message is one sentence."""


def preset_digest(key: str) -> bytes:
    """Returns the SHA-256 of a key that the operator chose.

    Raises:
        UnusableKey: the key is too short, or has characters that the `Authorization` header can't carry.
    """
    if len(key) < SHORTEST_KEY:
        raise UnusableKey(f"`WRIT_ADMIN_KEY` has {len(key)} characters, it must have at least {SHORTEST_KEY}")
    if not all("!" <= character <= "~" for character in key):
        raise UnusableKey("`WRIT_ADMIN_KEY` must consist of ASCII letters, digits and signs, without spaces")
    return _digest(key)


def stored_digest(directory: Path) -> bytes | None:
    """Returns the SHA-256 that an earlier start stored in `directory`, or None if there is none.

    Raises:
        UnusableKey: the file contains no SHA-256.
        OSError: the file can't be read.
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
    """Stores `digest` for the next start, in one step. Only the owner can read the file.

    Raises:
        OSError: `directory` can't be written.
    """
    write_atomically(directory / DIGEST_FILE, _line(digest.hex()))


def new_key() -> tuple[str, bytes]:
    """Returns a new random key of 256 bits, and its SHA-256."""
    key = _PREFIX + secrets.token_urlsafe(_RANDOM_BYTES)
    return key, _digest(key)


def write_key(directory: Path, key: str) -> Path:
    """Writes `key` to a file that only the owner can read, and returns the file's path.

    Raises:
        UnusableKey: the file exists already, from a start that failed or from another process.
        OSError: `directory` can't be written.
    """
    path = directory / KEY_FILE
    try:
        write_new(path, _line(key))
    except FileExistsError:
        raise UnusableKey(f"`{path}` is there already, and belongs to no known key; remove it") from None
    return path


def forget_key(directory: Path) -> None:
    """Removes the file with a key that is no longer valid. Raises OSError."""
    (directory / KEY_FILE).unlink(missing_ok=True)


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()


def _line(text: str) -> bytes:
    return f"{text}\n".encode("ascii")
