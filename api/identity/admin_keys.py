"""The administrator's keys of a running service: each process reads them again, so that they rotate without a restart.

A supplied key counts once the data directory has its SHA-256 too, which comes after its entry in the audit log. It
stops counting as soon as it is gone from either place. If a place can't be read, no key counts: who takes a key out
of a file wants it refused, and must not need a file without faults for that. Decisions, API keys, clients and people
need no administrator's key, so they go on meanwhile.
"""

import hashlib
import hmac
import time
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ..store.actor import ADMIN_KEY, OLD_ADMIN_KEY_PREFIX
from .admin_access import SuppliedKeys
from .admin_key import DIGEST_FILE, AdminKey, UnusableKey, stored_keys
from .credential import Credential, Scope
from .keys.key_files import stamp_of

READ_SECONDS: Final = 1.0
"""Time after which the files are read again, even if they seem unchanged: two writes can have one time of change."""


class _Read(NamedTuple):
    stamp: Hashable
    keys: Sequence[AdminKey]
    due: float


class AdminKeyFiles:
    """The keys that count at a server now, by the files in its data directory and by its settings."""

    def __init__(
        self, directory: Path, supplied: SuppliedKeys | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`clock` gives monotonic seconds."""
        self._directory, self.supplied, self._clock = directory, supplied, clock
        self._paths = (directory / DIGEST_FILE, *((supplied.path,) if supplied and supplied.path else ()))
        self._read: _Read | None = None

    def __call__(self) -> Sequence[AdminKey]:
        """Returns the keys, the newest first. There are none if a file can't be used."""
        stamp, now, read = tuple(map(stamp_of, self._paths)), self._clock(), self._read
        if read is None or read.stamp != stamp or now >= read.due:
            try:
                keys: Sequence[AdminKey] = self.read()
            except (UnusableKey, OSError):  # the upkeep logs it
                keys = ()
            read = self._read = _Read(stamp, keys, now + READ_SECONDS)
        return read.keys

    def read(self) -> Sequence[AdminKey]:
        """Returns the keys as the files have them. Raises UnusableKey, OSError."""
        stored = stored_keys(self._directory) or ()
        if self.supplied is None:
            return stored
        ends = dict(stored)
        return [
            AdminKey(key.digest, min(key.ends, ends[key.digest])) for key in self.supplied.read() if key.digest in ends
        ]


class AdminKeys:
    """The administrator's keys as a kind of credential, known by their SHA-256 only."""

    def __init__(self, keys: Callable[[], Sequence[AdminKey]], clock: Callable[[], float] = time.time) -> None:
        """`keys` returns those that count now, the newest first. `clock` gives epoch seconds."""
        self._keys, self._clock = keys, clock

    def credential(self, token: bytes) -> Credential | None:
        """See `Verifier`. It compares with every key, each in constant time. A key ends at its instant exactly."""
        digest, found = hashlib.sha256(token).digest(), None
        for place, key in enumerate(self._keys()):
            if hmac.compare_digest(digest, key.digest) and self._clock() < key.ends:
                name = f"{OLD_ADMIN_KEY_PREFIX}{key.fingerprint}" if place else ADMIN_KEY
                found = Credential(Scope.ADMIN, name, expires=key.ends)
        return found

    def was_issued(self, _token: bytes) -> bool:
        """See `Verifier`. Earlier keys are not stored, so none is recognised."""
        return False
