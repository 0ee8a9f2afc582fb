"""Where the keys that sign tokens lie: in the data directory, or where the operator put them."""

import logging
import os
import re
import secrets
from collections.abc import Hashable
from pathlib import Path
from typing import Final, Protocol

from api.tokens.signing_keys import UnusableSigningKey, new_key, read_key

FOLDER: Final = "keys"
"""In the data directory; for its owner alone, as every file in it."""

_PEM = re.compile(rb"-----BEGIN [A-Z0-9 ]+-----.+?-----END [A-Z0-9 ]+-----\n?", re.DOTALL)
_NAME = re.compile(r"(\d{12})-[A-Za-z0-9_-]{43}\.pem")
_MOST_BYTES: Final = 64 * 1024


class KeySource(Protocol):
    """A place of keys."""

    def stamp(self) -> Hashable:
        """What differs from the last time where the keys may have changed."""

    def pems(self) -> list[tuple[str, bytes]]:
        """The keys as PEM, each with its place in words; the first one signs. Raises UnusableSigningKey."""


class KeyFolder:
    """The keys of a data directory, one a file, which begins with the epoch seconds of when it was made.

    The newest signs. Of those before it the public half stays, as long as a token that they signed may be alive.
    """

    def __init__(self, directory: Path) -> None:
        """`directory` is the data directory."""
        self.path = directory / FOLDER

    def make_first(self, algorithm: str, now: float) -> None:
        """Make the folder and a key in it, in one step, unless the folder is there. Raises OSError."""
        if self.path.exists():
            return
        draft = self.path.with_name(f"{FOLDER}.{secrets.token_hex(8)}")
        draft.mkdir(mode=0o700)
        _write_key(draft, algorithm, int(now))
        draft.rename(self.path)

    def rotate(self, algorithm: str, now: float, kept_seconds: float) -> str:
        """Make a new key, and give back its id; keys that were replaced `kept_seconds` ago are removed.

        Raises OSError.
        """
        self.path.mkdir(mode=0o700, exist_ok=True)
        files = self._files()
        id = _write_key(self.path, algorithm, max(int(now), *(_made(file) + 1 for file in files), 0))
        successors = [None, *files]
        for successor, file in zip(successors, files, strict=False):
            if successor is not None and _made(successor) + kept_seconds < now:
                file.unlink()
            else:
                _keep_public_half(file)
        return id

    def stamp(self) -> Hashable:
        """See `KeySource`."""
        try:
            found = [(entry.name, entry.stat()) for entry in os.scandir(self.path)]
        except OSError:
            return None
        return frozenset((name, stat.st_ino, stat.st_size, stat.st_mtime_ns) for name, stat in found)

    def pems(self) -> list[tuple[str, bytes]]:
        """See `KeySource`."""
        try:
            found = [(f"the key `{file}`", _read(file)) for file in self._files()]
        except OSError as ex:
            raise UnusableSigningKey(f"the keys in `{self.path}` can't be read: {ex.strerror}") from None
        if not found:
            raise UnusableSigningKey(f"there is no key in `{self.path}`; make one by `writ keys rotate`")
        return found

    def _files(self) -> list[Path]:
        """The newest first."""
        return sorted((file for file in self.path.iterdir() if _NAME.fullmatch(file.name)), reverse=True)


class GivenKeys:
    """Keys that the operator gives as PEM, or the path of a file of it. The first one signs, the others only verify."""

    def __init__(self, setting: str) -> None:
        """`setting` is the text or the path."""
        self._text = setting.encode() if setting.lstrip().startswith("-----BEGIN") else None
        self._path = Path(setting)

    def stamp(self) -> Hashable:
        """See `KeySource`."""
        if self._text is not None:
            return True
        try:
            stat = self._path.stat()
        except OSError:
            return None
        return stat.st_ino, stat.st_size, stat.st_mtime_ns

    def pems(self) -> list[tuple[str, bytes]]:
        """See `KeySource`."""
        place = "in WRIT_SIGNING_KEY" if self._text is not None else f"in `{self._path}`"
        try:
            text = _read(self._path) if self._text is None else self._text
        except OSError as ex:
            raise UnusableSigningKey(f"the keys {place} can't be read: {ex.strerror}") from None
        found = [(f"key {number} {place}", pem) for number, pem in enumerate(_PEM.findall(text), 1)]
        if not found:
            raise UnusableSigningKey(f"there is no key {place}")
        return found


NO_KEYS: Final = GivenKeys("")
"""No key at all: no token can be issued."""


def source_of_keys(directory: Path, given: str | None, algorithm: str, now: float, log: logging.Logger) -> KeySource:
    """Where a service finds its keys: as they are `given`, else in its data directory, where a first one is made.

    Without a key the service runs on, and issues no token: API keys and the administrator's work without one.
    """
    source: KeySource
    if given is not None:
        source = GivenKeys(given)
    else:
        source = folder = KeyFolder(directory)
        try:
            folder.make_first(algorithm, now)
        except OSError as ex:
            log.error("no key to sign tokens can be made in `%s`: %s", folder.path, ex.strerror)
    return source


def _write_key(folder: Path, algorithm: str, made: int) -> str:
    key, pem = new_key(algorithm)
    _write(folder / f"{made:012d}-{key.id}.pem", pem)
    return key.id


def _keep_public_half(file: Path) -> None:
    """Replace a private key by its public half; what can't be read stays for the operator to look at."""
    try:
        pem = read_key(_read(file), "").public_pem()
    except UnusableSigningKey:
        return
    _write(file, pem)


def _write(path: Path, content: bytes) -> None:
    """Durably, readable by the owner alone, never half."""
    draft = path.with_suffix(f".{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MOST_BYTES)


def _made(file: Path) -> int:
    return int(file.name[:12])
