"""The keys of one process: read when they are first needed, and again when they may have changed."""

import logging
import math
import time
from collections.abc import Callable, Hashable, Sequence
from typing import Final, NamedTuple

from .key_sources import KeySource
from .signing_keys import Keys, Pem, UnusableSigningKey, read_keys

RETRY_SECONDS: Final = 1.0
"""After so long what could not be read is tried again, though nothing seems to have changed."""


class _Read(NamedTuple):
    """What was read last; `due` is when it is to be read again in any case."""

    stamp: Hashable
    found: Sequence[Pem] | str
    keys: Keys
    due: float


class KeyRing:
    """Keeps keys; thread-safe, since what it keeps is replaced as a whole."""

    def __init__(self, source: KeySource, log: logging.Logger, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives seconds that only grow."""
        self._source, self._log, self._clock = source, log, clock
        self._read: _Read | None = None

    def keys(self) -> Keys:
        """The keys as they are now: the same object as long as nothing changed."""
        stamp = self._source.stamp()
        read = self._read
        if read is None or read.stamp != stamp or self._clock() >= read.due:
            read = self._read = self._load(stamp, read)
        return read.keys

    def _load(self, stamp: Hashable, before: _Read | None) -> _Read:
        found: Sequence[Pem] | str
        try:
            found = self._source.pems()
            complete = all(pem.trouble is None for pem in found)
        except UnusableSigningKey as ex:
            found, complete = str(ex), False
        due = math.inf if complete else self._clock() + RETRY_SECONDS
        if before is not None and before.found == found:
            return _Read(stamp, found, before.keys, due)
        return _Read(stamp, found, self._keys(found), due)

    def _keys(self, found: Sequence[Pem] | str) -> Keys:
        if isinstance(found, str):
            keys, troubles = Keys({}, UnusableSigningKey(found)), [UnusableSigningKey(found)]
        else:
            keys, troubles = read_keys(found)
        for trouble in troubles:
            self._log.error("%s", trouble)
        return keys
