"""Where a service finds its keys: in its data directory, or where the operator put them."""

import logging
import os
import re
import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from . import ALGORITHMS, AUDIT_KEY_VARIABLE, SIGNING_KEY_VARIABLE
from .key_files import read_file, stamp_of
from .key_folder import AUDIT_FOLDER, FOLDER, KeyFolder
from .signing_keys import Pem, UnusableSigningKey, read_keys

_GIVEN: Final = "signing-keys-given"
_KEY: Final = rb"(?:[A-Z0-9]+ )*(?:PRIVATE|PUBLIC) KEY"
_PEM: Final = re.compile(rb"-----BEGIN (" + _KEY + rb")-----.+?-----END \1-----\n?", re.DOTALL)
"""Of a key: not of its parameters, nor of a certificate."""


class KeySource(Protocol):
    """A place of keys."""

    def stamp(self) -> Hashable:
        """What differs from the last time where the keys may have changed."""

    def pems(self) -> Sequence[Pem]:
        """The keys; the first one signs. Raises UnusableSigningKey where there is none, or no looking for it."""


class GivenKeys:
    """Keys that the operator gives as PEM, or the path of a file of it. The first one signs, the others only verify."""

    def __init__(self, setting: str, variable: str = SIGNING_KEY_VARIABLE) -> None:
        """`setting` is the text or the path, and the value of `variable`."""
        self._variable = variable
        is_text = not setting or "-----BEGIN" in setting or "\n" in setting
        self._text = os.fsencode(setting) if is_text else None
        self._path = Path(setting)

    def stamp(self) -> Hashable:
        """See `KeySource`."""
        return True if self._text is not None else stamp_of(self._path)

    def pems(self) -> list[Pem]:
        """See `KeySource`."""
        place = self._place()
        try:
            text = read_file(self._path) if self._text is None else self._text
        except OSError as ex:
            raise UnusableSigningKey(f"the keys {place} can't be read: {ex.strerror}") from None
        found = [Pem(f"key {number} {place}", pem[0]) for number, pem in enumerate(_PEM.finditer(text), 1)]
        if not found:
            raise UnusableSigningKey(f"there is no key {place}; give a PEM, or the path of a file of it")
        return found

    def _place(self) -> str:
        """Quotes the setting only where it is a path for sure: anything else may be a key that came without its frame.

        That there is such a file is the one sure sign.
        """
        if self._text is not None:
            return f"in {self._variable}"
        return f"in `{self._path}`" if os.path.lexists(self._path) else f"in the file that {self._variable} names"


NO_KEYS: Final = GivenKeys("")
"""No key at all: no token can be issued."""


def keys_at(directory: Path, given: str | None, clock: Callable[[], float] = time.time) -> KeyFolder | GivenKeys:
    """The keys that sign tokens: as they are `given`, else those of a data directory."""
    return KeyFolder(directory, FOLDER, clock) if given is None else GivenKeys(given)


def audit_keys_at(directory: Path, given: str | None, clock: Callable[[], float] = time.time) -> KeyFolder | GivenKeys:
    """The keys that sign the audit log: as `keys_at`."""
    return KeyFolder(directory, AUDIT_FOLDER, clock) if given is None else GivenKeys(given, AUDIT_KEY_VARIABLE)


def source_of_keys(
    directory: Path, given: str | None, algorithm: str, clock: Callable[[], float], log: logging.Logger
) -> KeySource:
    """Where a service finds its keys: as they are `given`, else in its data directory, where a first one is made.

    Without a key that signs the service runs on, and issues no token: API keys and the administrator's work without
    one. The log says so at once.
    """
    _note(directory / _GIVEN, given is not None)
    return _ready(keys_at(directory, given, clock), algorithm, "no token can be issued", log)


def are_given(directory: Path) -> bool:
    """Whether the service that last ran on `directory` had its keys from elsewhere: those in it mean nothing then."""
    return (directory / _GIVEN).exists()


def _note(file: Path, it_is_so: bool) -> None:
    """What an operator's shell, which has other variables, could not know."""
    with suppress(OSError):  # the service can do without
        if it_is_so:
            file.touch(0o600)
        else:
            file.unlink(missing_ok=True)


def source_of_audit_keys(
    directory: Path, given: str | None, clock: Callable[[], float], log: logging.Logger
) -> KeySource:
    """Where the key lies that signs the audit log, and those that did: as `source_of_keys`."""
    return _ready(audit_keys_at(directory, given, clock), ALGORITHMS[0], "the audit log can't be signed", log)


def _ready(source: KeyFolder | GivenKeys, algorithm: str, consequence: str, log: logging.Logger) -> KeySource:
    """Complain at the start of what would else be noticed by whoever needs a key first, perhaps days later."""
    try:
        if isinstance(source, KeyFolder):
            source.make_first(algorithm)
        read_keys(source.pems())[0].signer()
    except OSError as ex:  # of the folder alone: what is read is no reason to raise one
        log.error("%s: no key can be made in the data directory: %s", consequence, ex.strerror)
    except UnusableSigningKey as ex:
        log.error("%s: %s", consequence, ex)
    return source
