"""The keys that sign bundles: separate Ed25519 keys, which sign no tokens."""

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ....bundles.signing.jws import ALGORITHM
from ....bundles.signing.pem_keys import SigningKey
from .folder import BUNDLE_FOLDER, KeyFolder
from .signing_keys import Key, Keys, UnusableSigningKey, read_keys
from .sources import KeySource, SuppliedKeys, note_given

BUNDLE_KEY_VARIABLE: Final = "WRIT_BUNDLE_KEY"

BUNDLE_KEYS_GIVEN: Final = "bundle-keys-given"
"""The file in the data directory that says that the last service used supplied keys for bundles."""


def bundle_keys_at(directory: Path, given: str | None, clock: Callable[[], float] = time.time) -> KeySource:
    """Returns the source of the keys that sign bundles: the `given` ones, or else those of a data directory."""
    return KeyFolder(directory, BUNDLE_FOLDER, clock) if given is None else SuppliedKeys(given, BUNDLE_KEY_VARIABLE)


def prepare_bundle_keys(
    directory: Path, given: str | None, clock: Callable[[], float], log: logging.Logger
) -> KeySource:
    """Returns the source of a service's bundle keys. The log says at once if a supplied key can't be used.

    It makes no key: many services never sign a bundle. `bundle_signing_key` makes the first one when it is needed.
    """
    note_given(directory / BUNDLE_KEYS_GIVEN, given is not None)
    source = bundle_keys_at(directory, given, clock)
    if given is not None:
        try:
            _signer(source)
        except UnusableSigningKey as ex:
            log.error("no bundle can be signed: %s", ex)
    return source


def bundle_signing_key(source: KeySource, token_keys: Keys) -> SigningKey:
    """Returns the key that signs bundles now. Makes a first one in the data directory if it has none.

    Raises:
        UnusableSigningKey: there is no usable key, or it is one of the `token_keys`.
        OSError: no first key can be made.
    """
    if isinstance(source, KeyFolder):
        source.make_first(ALGORITHM)
    key = _signer(source)
    if key.id in token_keys.verifying:
        raise UnusableSigningKey("the key of bundles is also a key of tokens; give each its own key")
    return key


def refuse_other_kinds(key: Key) -> None:
    """Raises UnusableSigningKey if a key is not an Ed25519 key."""
    if key.algorithm != ALGORITHM:
        raise UnusableSigningKey(f"the key {key.id} can't sign bundles: it is not an Ed25519 key")


def _signer(source: KeySource) -> SigningKey:
    key, private = read_keys(source.pems())[0].signer()
    refuse_other_kinds(key)
    assert isinstance(private, Ed25519PrivateKey)
    return SigningKey(key.id, private)
