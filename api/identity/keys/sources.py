"""The sources of a service's keys: its data directory, or the files that its operator supplies."""

import logging
import os
import re
import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from ....bundles.system_errors import os_sentence, reason_of
from ...settings.settings import ALGORITHMS
from ...store.database.private_files import OWNER_ONLY
from .folder import AUDIT_FOLDER, FOLDER, KeyFolder
from .key_files import read_file, stamp_of
from .signing_keys import Pem, UnusableSigningKey, read_keys

SIGNING_KEY_VARIABLE: Final = "WRIT_SIGNING_KEY"
AUDIT_KEY_VARIABLE: Final = "WRIT_AUDIT_KEY"

SIGNING_KEYS_GIVEN: Final = "signing-keys-given"
"""The file in the data directory that says that the last service used supplied keys for tokens."""

ADMIN_KEY_GIVEN: Final = "admin-key-given"
"""The same for the administrator's keys."""

_KEY: Final = rb"(?:[A-Z0-9]+ )*(?:PRIVATE|PUBLIC) KEY"
_PEM: Final = re.compile(rb"-----BEGIN (" + _KEY + rb")-----.+?-----END \1-----\n?", re.DOTALL)
"""Matches the PEM of a key, but not that of a key's parameters or of a certificate."""


class KeySource(Protocol):
    """A place of keys."""

    def stamp(self) -> Hashable:
        """Returns a value that changes when the keys may have changed."""

    def pems(self) -> Sequence[Pem]:
        """Returns the keys; the first one signs. Raises UnusableSigningKey if there is none, or it can't be read."""


class SuppliedKeys:
    """Keys that the operator supplies as PEM, or as the path of a PEM file. The first signs, the others only verify."""

    def __init__(self, setting: str, variable: str = SIGNING_KEY_VARIABLE) -> None:
        """`setting` is the value of `variable`: the PEM or the path."""
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
            raise UnusableSigningKey(f"the keys {place} can't be read: {reason_of(ex)}") from None
        found = [Pem(f"key {number} {place}", pem[0]) for number, pem in enumerate(_PEM.finditer(text), 1)]
        if not found:
            raise UnusableSigningKey(f"there is no key {place}; give a PEM, or the path of a file of it")
        return found

    def _place(self) -> str:
        """Returns the place in words. It quotes the setting only if such a file exists.

        Any other setting may be a key whose first and last line are missing.
        """
        if self._text is not None:
            return f"in {self._variable}"
        return f"in `{self._path}`" if os.path.lexists(self._path) else f"in the file that {self._variable} names"


NO_KEYS: Final = SuppliedKeys("")
"""A source without keys: no token can be issued."""


def signing_keys_at(directory: Path, given: str | None, clock: Callable[[], float] = time.time) -> KeySource:
    """Returns the source of the keys that sign tokens: the `given` ones, or else those of a data directory."""
    return KeyFolder(directory, FOLDER, clock) if given is None else SuppliedKeys(given)


def audit_keys_at(directory: Path, given: str | None, clock: Callable[[], float] = time.time) -> KeySource:
    """Returns the source of the keys that seal the audit log: the `given` ones, or else those of a data directory."""
    return KeyFolder(directory, AUDIT_FOLDER, clock) if given is None else SuppliedKeys(given, AUDIT_KEY_VARIABLE)


def prepare_signing_keys(
    directory: Path, given: str | None, algorithm: str, clock: Callable[[], float], log: logging.Logger
) -> KeySource:
    """Returns the source of a service's signing keys. Makes a first key in the data directory if it has none.

    Without a usable key, the log says so at once. The service runs on and issues no tokens: API keys and the
    administrator's key need none.
    """
    note_given(directory / SIGNING_KEYS_GIVEN, given is not None)
    return _prepared(signing_keys_at(directory, given, clock), algorithm, "no token can be issued", log)


def prepare_audit_keys(
    directory: Path, given: str | None, clock: Callable[[], float], log: logging.Logger
) -> KeySource:
    """Returns the source of the keys that seal a service's audit log, as `prepare_signing_keys` does for tokens."""
    return _prepared(audit_keys_at(directory, given, clock), ALGORITHMS[0], "the audit log can't be signed", log)


def note_given(file: Path, given: bool) -> None:
    """Notes by a file whether keys were supplied, for commands that don't see the service's environment variables."""
    with suppress(OSError):  # the service works without the note
        if given:
            file.touch(OWNER_ONLY)
        else:
            file.unlink(missing_ok=True)


def _prepared(source: KeySource, algorithm: str, consequence: str, log: logging.Logger) -> KeySource:
    """Tries the keys at the start, so that a fault does not first show when a key is needed, perhaps days later."""
    try:
        if isinstance(source, KeyFolder):
            source.make_first(algorithm)
        read_keys(source.pems())[0].signer()
    except OSError as ex:  # from `make_first` alone: `pems` raises none
        log.error("%s: no key can be made in the data directory: %s", consequence, os_sentence(ex))
    except UnusableSigningKey as ex:
        log.error("%s: %s", consequence, ex)
    return source
