"""The keys of one process: read when they are first needed, and again when they may have changed."""

import logging
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from api.tokens.key_sources import KeySource
from api.tokens.signing_keys import Key, PrivateKey, UnusableSigningKey, read_key


@dataclass(frozen=True, slots=True)
class Keys:
    """Keys as they were read: all that verify, by id, and the one that signs, or else why there is none."""

    verifying: Mapping[str, Key]
    signing: Key | UnusableSigningKey

    def signer(self) -> tuple[Key, PrivateKey]:
        """The key that signs, and its private half. Raises UnusableSigningKey."""
        key = self.signing
        if isinstance(key, UnusableSigningKey):
            raise UnusableSigningKey(*key.args)
        if key.private is None:
            raise UnusableSigningKey("the newest key is a public one, and can't sign; make a new key")
        return key, key.private


class KeyRing:
    """Keeps keys; thread-safe, since what it keeps is replaced as a whole."""

    def __init__(self, source: KeySource, log: logging.Logger) -> None:
        self._source, self._log = source, log
        self._read: tuple[Hashable, Keys] | None = None

    def keys(self) -> Keys:
        """The keys as they are now: the same object as long as nothing changed."""
        stamp = self._source.stamp()
        read = self._read
        if read is None or read[0] != stamp:
            read = self._read = stamp, self._load()
        return read[1]

    def _load(self) -> Keys:
        try:
            pems = self._source.pems()
        except UnusableSigningKey as ex:
            return Keys({}, ex)
        found = [self._key(place, pem) for place, pem in pems]
        return Keys({key.id: key for key in found if isinstance(key, Key)}, found[0])

    def _key(self, place: str, pem: bytes) -> Key | UnusableSigningKey:
        try:
            return read_key(pem, place)
        except UnusableSigningKey as ex:
            self._log.error("%s", ex)
            return ex
