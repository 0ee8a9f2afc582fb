"""The administrator's keys on disk: Writ stores their SHA-256 only, and an operator may supply them in a file."""

import hashlib
import math
import secrets
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, NamedTuple

from ...bundles.conditions.instants import SECOND, parse_instant, show_seconds
from ...bundles.system_errors import reason_of
from ..store.database.private_files import write_atomically, write_new

SHORTEST_KEY: Final = 32
KEY_FILE: Final = "admin-key"
DIGEST_FILE: Final = "admin-key.sha256"

VARIABLE: Final = "WRIT_ADMIN_KEY"
FILE_VARIABLE: Final = "WRIT_ADMIN_KEY_FILE"
"""The settings with the key, and with the path of a file of keys."""

MOST_KEYS: Final = 6
"""The keys that count at a time: the newest one, and those that still work."""

MOST_BYTES: Final = 64 * 1024
"""The bytes of a file of keys."""

_PREFIX: Final = "writ_admin_"
_RANDOM_BYTES: Final = 32
_FINGERPRINT_DIGITS: Final = 8
_UNTIL: Final = " until "


class UnusableKey(Exception):
    """A key, or a file of the administrator's key, can't be used by this server; the message is one sentence."""


class AdminKey(NamedTuple):
    """A key by its SHA-256, `digest`. It counts while now < `ends`, in epoch seconds."""

    digest: bytes
    ends: float = math.inf

    @property
    def fingerprint(self) -> str:
        """The first 8 hexadecimal digits of the SHA-256: logs name the key by them."""
        return self.digest.hex()[:_FINGERPRINT_DIGITS]

    @property
    def until(self) -> str | None:
        """The end in RFC 3339, or None if the key has none."""
        return None if self.ends == math.inf else show_seconds(self.ends)


def preset_digest(key: str, place: str = f"`{VARIABLE}`") -> bytes:
    """Returns the SHA-256 of a key that the operator chose. `place` is where it is, for messages.

    Raises:
        UnusableKey: the key is too short, or has characters that the `Authorization` header can't carry.
    """
    if len(key) < SHORTEST_KEY:
        raise UnusableKey(f"{place} has {len(key)} characters, it must have at least {SHORTEST_KEY}")
    if not all("!" <= character <= "~" for character in key):
        raise UnusableKey(f"{place} must consist of ASCII letters, digits and signs, without spaces")
    return _digest(key)


def supplied_keys(path: Path) -> tuple[AdminKey, ...]:
    """Returns the keys in the file of an operator, the newest one first.

    Each line is a key, or `KEY until 2030-01-01T00:00:00Z`. One line that can't be read makes the whole file unusable:
    else a key that was to end could live on unseen, or a new one could never begin.

    Raises:
        UnusableKey: the file can't be read, has no key, or has what is no key. The message has nothing of a key.
    """
    try:
        text = _text(path)
    except OSError as ex:
        raise UnusableKey(f"the file `{path}` of `{FILE_VARIABLE}` can't be read: {reason_of(ex)}") from None
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    keys = tuple(_key_in(line, f"line {number} of `{path}`", preset_digest) for number, line in lines)
    if not keys:
        raise UnusableKey(f"the file `{path}` of `{FILE_VARIABLE}` has no key; write one into it, on a line of its own")
    return _checked(keys, f"`{path}`")


def stored_keys(directory: Path) -> tuple[AdminKey, ...] | None:
    """Returns the keys whose SHA-256 `directory` has, the newest one first, or None if there are none.

    Raises:
        UnusableKey: the file contains no SHA-256.
        OSError: the file can't be read.
    """
    path = directory / DIGEST_FILE
    try:
        text = _text(path)
    except FileNotFoundError:
        return None
    keys = tuple(_key_in(line, f"`{path}`", _stored) for line in text.strip().split("\n"))
    return _checked(keys, f"`{path}`")


def lines_of(keys: Iterable[AdminKey]) -> bytes:
    """Returns the content of the file that stores keys."""
    return b"".join(_line(key.digest.hex() + (f"{_UNTIL}{key.until}" if key.until else "")) for key in keys)


def store_keys(directory: Path, keys: Iterable[AdminKey]) -> None:
    """Stores the SHA-256 of `keys`, in one step. Only the owner can read the file.

    Raises:
        OSError: `directory` can't be written.
    """
    write_atomically(directory / DIGEST_FILE, lines_of(keys))


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


def _key_in(line: str, place: str, digest_of: Callable[[str, str], bytes]) -> AdminKey:
    key, parted, until = line.partition(_UNTIL)
    digest = digest_of(key.strip(), place)
    if not parted:
        return AdminKey(digest)
    try:
        return AdminKey(digest, parse_instant(until.strip()) // SECOND)
    except ValueError:
        raise UnusableKey(f"{place} has no instant such as 2030-01-01T00:00:00Z after `until`") from None


def _checked(keys: tuple[AdminKey, ...], place: str) -> tuple[AdminKey, ...]:
    if len(keys) > MOST_KEYS:
        raise UnusableKey(f"{place} has {len(keys)} keys, and may have {MOST_KEYS}; remove the old ones")
    if len({key.digest for key in keys}) < len(keys):
        raise UnusableKey(f"{place} has one administrator's key twice; remove one of its lines")
    return keys


def _stored(text: str, place: str) -> bytes:
    try:
        digest = bytes.fromhex(text)
    except ValueError:
        digest = b""
    if len(digest) != hashlib.sha256().digest_size:
        raise UnusableKey(f"{place} holds no SHA-256; remove it, and the next start makes a new key")
    return digest


def _text(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(MOST_BYTES).decode("ascii", "replace")


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()


def _line(text: str) -> bytes:
    return f"{text}\n".encode("ascii")
