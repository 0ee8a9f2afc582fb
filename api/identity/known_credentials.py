"""The credentials that a worker knows: looked up in the store, and remembered until a credential changes.

Before every use, the worker asks whether the database changed (microseconds), and then whether a credential did. So
once a deletion or revocation is answered, every worker refuses the credential.
"""

import hashlib
import logging
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from ...bundles.conditions.instants import SECOND, parse_instant
from ..store.actor import API_KEY_PREFIX
from ..store.credentials.credentials import Credentials
from ..store.database.watch import Version, Watch
from ..store.environment_ids import is_environment_id
from ..store.errors import Stale, StoreUnavailable
from .credential import Credential, highest
from .secret_format import API_KEY, is_well_formed

MOST_REMEMBERED: Final = 65_536
"""Credentials that a worker remembers. Above the limit, it forgets the oldest."""

MOST_NAMES: Final = 10_000
"""Ids of environments that a worker remembers, existing or not."""

BASIS_SECONDS: Final = 1.0
"""Time between two checks of the basis of credentials outside the store (see `CredentialKind.basis`).

A token whose signing key was removed stays valid for up to this time plus `recent_headers.VALID_SECONDS`."""


class CredentialKind(Protocol):
    """One kind of credential that the store knows."""

    def basis(self) -> object:
        """Returns what these credentials depend on outside the store: their signing keys. It differs after a change."""

    def recognises(self, token: bytes) -> bool:
        """Returns whether `token` has the format of this kind."""

    def credential(self, token: bytes, digest: bytes) -> Credential | None:
        """Returns the credential of `token`, whose SHA-256 is `digest`, or None if unknown. Raises StoreUnavailable."""

    def was_issued(self, token: bytes, digest: bytes) -> bool:
        """Returns whether this service issued `token`, still valid or not. Raises StoreUnavailable."""


class KnownCredentials:
    """The credentials of one process. Only the thread of the event loop uses it, so there is no lock."""

    def __init__(
        self,
        store: Credentials,
        watch: Watch,
        kinds: Sequence[CredentialKind],
        clock: Callable[[], float],
        stale_seconds: float,
        log: logging.Logger,
    ) -> None:
        """`clock` gives epoch seconds. If the store can't be read, known credentials serve for `stale_seconds` more."""
        self._store, self._watch, self._kinds, self._clock = store, watch, kinds, clock
        self._stale_seconds, self._log = stale_seconds, log
        self._seen: Version | None = None
        self._generation: int | None = None
        self._bases: list[object] = []
        self._looked = -math.inf
        self._behind_since: float | None = None
        self._remembered: OrderedDict[bytes, Credential] = OrderedDict()
        self._uuids: dict[str, str | None] = {}  # of unknown names too, so that both take the same time

    def credential(self, token: bytes) -> Credential | None:
        """See `Verifier`. Raises Stale if the store can't be read and the token is not known, or not for sure."""
        digest = hashlib.sha256(token).digest()
        if digest not in self._remembered and not any(kind.recognises(token) for kind in self._kinds):
            return None
        now = self._clock()
        if abs(now - self._looked) >= BASIS_SECONDS:  # in whichever direction the clock was set
            self._check_bases(now)
        self._follow_commits()
        found = self._remembered.get(digest)
        if found is None:
            found = self._look_up(token, digest)
        return found if found is not None and found.is_valid_at(now) else None

    def was_issued(self, token: bytes) -> bool:
        """See `Verifier`. Raises Stale if the store can't be read."""
        digest = hashlib.sha256(token).digest()
        try:
            return any(kind.recognises(token) and kind.was_issued(token, digest) for kind in self._kinds)
        except StoreUnavailable as ex:
            raise Stale("the store can't be read, so this credential can't be checked") from ex

    def environment_uuid(self, id: str) -> str | None:
        """Returns the UUID of an environment, or None if no environment has that id. Raises Stale."""
        if not is_environment_id(id):
            return None  # and not remembered, since it may be long
        self._follow_commits()
        if id not in self._uuids:
            if len(self._uuids) >= MOST_NAMES:
                self._uuids.clear()
            try:
                self._uuids[id] = self._store.environment_uuid(id)
            except StoreUnavailable as ex:
                raise Stale("the store can't be read, so this environment can't be looked up") from ex
        return self._uuids[id]

    def _look_up(self, token: bytes, digest: bytes) -> Credential | None:
        try:
            found = next((kind.credential(token, digest) for kind in self._kinds if kind.recognises(token)), None)
        except StoreUnavailable as ex:
            raise Stale("the store can't be read, so this credential can't be checked") from ex
        if found is not None:
            if len(self._remembered) >= MOST_REMEMBERED:
                self._remembered.popitem(last=False)
            self._remembered[digest] = found
        return found

    def _check_bases(self, now: float) -> None:
        """Forgets all credentials if a signing key may have gone."""
        bases = [kind.basis() for kind in self._kinds]
        if bases != self._bases:
            self._remembered.clear()
        self._bases, self._looked = bases, now

    def _follow_commits(self) -> None:
        """Forgets credentials and environments if a commit may have changed them."""
        try:
            version = self._watch.version()
            if version == self._seen:
                return
            generation = self._store.generation()
        except StoreUnavailable as ex:
            self._serve_remembered(ex)
            return
        if generation != self._generation:
            self._remembered.clear()
        self._uuids.clear()
        self._seen, self._generation, self._behind_since = version, generation, None

    def _serve_remembered(self, error: StoreUnavailable) -> None:
        """Lets remembered credentials serve for `stale_seconds`. Raises Stale after that."""
        self._seen = None
        if self._behind_since is None:
            self._behind_since = time.monotonic()
            self._log.error("the credentials can't be followed: %s", error)
        if time.monotonic() - self._behind_since >= self._stale_seconds:
            raise Stale("the store can't be read, so no credential can be checked") from error


class KnownApiKeys:
    """API keys. The store knows them by their SHA-256."""

    def __init__(self, store: Credentials) -> None:
        self._store = store

    def basis(self) -> object:
        """See `CredentialKind`: nothing outside the store."""
        return None

    def recognises(self, token: bytes) -> bool:
        """See `CredentialKind`."""
        return is_well_formed(token.decode("latin-1"), API_KEY)

    def credential(self, _token: bytes, digest: bytes) -> Credential | None:
        """See `CredentialKind`. Looks up the SHA-256, so the time that it takes tells nothing about the key."""
        found = self._store.api_key_with(digest)
        if found is None:
            return None
        key, ends = found
        expires = math.inf if key.expires_at is None else parse_instant(key.expires_at) / SECOND
        expires = expires if ends is None else min(expires, ends)
        return Credential(highest(key.scopes), f"{API_KEY_PREFIX}{key.id}", key.bounds, expires, secret=digest)

    def was_issued(self, _token: bytes, digest: bytes) -> bool:
        """See `CredentialKind`. The store forgets a deleted key, and a secret that was ended: both count as guesses."""
        return self._store.api_key_with(digest) is not None
