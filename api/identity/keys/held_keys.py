"""The keys of a server, of each kind, by their ids, and its public URL: it tells them the others on its database."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ....bundles.signing.jws import ALGORITHM
from ...settings.settings import ALGORITHMS, Settings
from ...store.database.postgresql.shared_keys import HeldKey
from ..admin_key import VARIABLE, AdminKey
from .bundle_keys import BUNDLE_KEY_VARIABLE, bundle_keys_at
from .folder import KeyFolder
from .signing_keys import Key, UnusableSigningKey, read_keys
from .sources import AUDIT_KEY_VARIABLE, SIGNING_KEY_VARIABLE, KeySource, audit_keys_at, signing_keys_at

PUBLIC_URL_VARIABLE: Final = "WRIT_PUBLIC_URL"


@dataclass(frozen=True, slots=True)
class KeyKind:
    """A kind of key: its name in the database and in messages, and the setting that supplies such keys.

    The public URL is one too: servers with different ones refuse each other's tokens, as with different keys.
    """

    name: str
    words: str
    variable: str


TOKEN_KEYS: Final = KeyKind("token", "signing key", SIGNING_KEY_VARIABLE)
AUDIT_KEYS: Final = KeyKind("audit", "key of the audit log", AUDIT_KEY_VARIABLE)
BUNDLE_KEYS: Final = KeyKind("bundle", "key of bundles", BUNDLE_KEY_VARIABLE)
ADMIN_KEYS: Final = KeyKind("admin", "administrator's key", VARIABLE)
PUBLIC_URLS: Final = KeyKind("url", "public URL", PUBLIC_URL_VARIABLE)


@dataclass(frozen=True, slots=True)
class HeldKeys:
    """The keys of one kind. `given`: a setting supplies them, else they are those of the data directory.

    `signing` is the id of the one that signs, or None if none can sign. All of `ids` verify.
    """

    kind: KeyKind
    given: bool
    ids: frozenset[str]
    signing: str | None

    def registered(self) -> Iterator[HeldKey]:
        """Yields them as the database has them."""
        return (HeldKey(self.kind.name, id, id == self.signing) for id in sorted(self.ids))


def make_first_keys(directory: Path, settings: Settings, clock: Callable[[], float] = time.time) -> None:
    """Makes the keys that neither the settings nor the data directory have. `clock` gives epoch seconds.

    A key of bundles is made too, although no bundle may ever be signed: servers that made theirs later would differ.
    A key that can't be written is left out; who uses it logs that.
    """
    for _, source, algorithm in _sources(directory, settings, clock):
        if isinstance(source, KeyFolder):
            with suppress(OSError):
                source.make_first(algorithm)


def held_keys(directory: Path, settings: Settings, clock: Callable[[], float] = time.time) -> Iterator[HeldKeys]:
    """Yields the keys of each kind that signs, as they are now.

    Keys that can't be read are left out; who uses them logs that.
    """
    for kind, source, _ in _sources(directory, settings, clock):
        yield _held(kind, source)


def held_admin_keys(settings: Settings, keys: Sequence[AdminKey]) -> HeldKeys:
    """Returns the administrator's keys, the newest first, by their SHA-256."""
    ids = [key.digest.hex() for key in keys]
    given = settings.admin_key is not None or settings.admin_key_file is not None
    return HeldKeys(ADMIN_KEYS, given, frozenset(ids), ids[0] if ids else None)


def held_url(settings: Settings, own_url: str) -> HeldKeys:
    """Returns the public URL of a server, the issuer of its tokens. `own_url` counts if the settings name none."""
    url = settings.public_url or own_url
    return HeldKeys(PUBLIC_URLS, settings.public_url is not None, frozenset({url}), url)


def _sources(
    directory: Path, settings: Settings, clock: Callable[[], float]
) -> Iterator[tuple[KeyKind, KeySource, str]]:
    """Yields each kind of keys that sign, with their source, and the algorithm of a key that this server makes."""
    yield TOKEN_KEYS, signing_keys_at(directory, settings.signing_key, clock), settings.signing_algorithm
    yield AUDIT_KEYS, audit_keys_at(directory, settings.audit_key, clock), ALGORITHMS[0]
    yield BUNDLE_KEYS, bundle_keys_at(directory, settings.bundle_key, clock), ALGORITHM


def _held(kind: KeyKind, source: KeySource) -> HeldKeys:
    given = not isinstance(source, KeyFolder)
    try:
        keys = read_keys(source.pems())[0]
    except UnusableSigningKey:
        return HeldKeys(kind, given, frozenset(), None)
    first = keys.signing
    signing = first.id if isinstance(first, Key) and first.private is not None else None
    return HeldKeys(kind, given, frozenset(keys.verifying), signing)
