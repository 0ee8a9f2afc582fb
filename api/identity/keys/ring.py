"""The keys of one process: read at the first use, read again after a change, and used to seal the audit log."""

import logging
import math
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final, NamedTuple

import jwt

from .signing_keys import Key, Keys, Pem, UnusableSigningKey, read_keys
from .sources import KeySource

RETRY_SECONDS: Final = 1.0
"""Time after which keys that could not be read are read again, even if nothing seems to have changed."""


class _ReadKeys(NamedTuple):
    """The result of the last reading; at the time `due`, the keys are read again in any case."""

    stamp: Hashable
    found: Sequence[Pem] | str
    keys: Keys
    due: float


class KeyRing:
    """The current keys of a source. It is safe to use from several threads: the result is replaced as a whole."""

    def __init__(self, source: KeySource, log: logging.Logger, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives monotonic seconds."""
        self._source, self._log, self._clock = source, log, clock
        self._read: _ReadKeys | None = None

    def keys(self) -> Keys:
        """Returns the current keys: the same object as long as nothing changed."""
        stamp = self._source.stamp()
        read = self._read
        if read is None or read.stamp != stamp or self._clock() >= read.due:
            read = self._read = self._load(stamp, read)
        return read.keys

    def _load(self, stamp: Hashable, before: _ReadKeys | None) -> _ReadKeys:
        found: Sequence[Pem] | str
        try:
            found = self._source.pems()
            complete = all(pem.error is None for pem in found)
        except UnusableSigningKey as ex:
            found, complete = str(ex), False
        due = math.inf if complete else self._clock() + RETRY_SECONDS
        if before is not None and before.found == found:
            return _ReadKeys(stamp, found, before.keys, due)
        return _ReadKeys(stamp, found, self._keys(found), due)

    def _keys(self, found: Sequence[Pem] | str) -> Keys:
        if isinstance(found, str):
            keys, errors = Keys({}, UnusableSigningKey(found)), [UnusableSigningKey(found)]
        else:
            keys, errors = read_keys(found)
        for error in errors:
            self._log.error("%s", error)
        return keys


class KeySealer:
    """Seals the audit log with the first key of a ring (see `store.audit.seals.Sealer`).

    It verifies with every key of the ring, and with the `trusted` public keys.
    """

    def __init__(self, ring: KeyRing, trusted: Iterable[Key] = ()) -> None:
        self._ring = ring
        self._trusted = {key.id: key for key in trusted}

    def sign(self, text: bytes) -> tuple[str, bytes]:
        """See `Sealer`. Raises UnusableSigningKey."""
        key, private = self._ring.keys().signer()
        return key.id, jwt.get_algorithm_by_name(key.algorithm).sign(text, private)

    def verify(self, key: str, text: bytes, signature: bytes) -> bool | None:
        """See `Sealer`."""
        found = self._trusted.get(key) or self._ring.keys().verifying.get(key)
        if found is None:
            return None
        return bool(jwt.get_algorithm_by_name(found.algorithm).verify(text, found.public, signature))
