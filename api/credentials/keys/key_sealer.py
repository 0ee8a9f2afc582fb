"""Seals the audit log with keys that lie outside the store (see `store.audit.seals`)."""

from collections.abc import Iterable

import jwt

from .key_ring import KeyRing
from .signing_keys import Key


class KeySealer:
    """The keys of a ring, of which the first signs; `trusted` are public keys that verify as well."""

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
