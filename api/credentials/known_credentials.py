"""What is known of the credentials that were presented: remembered, until a commit that may matter.

A worker asks before every use whether the database changed (`PRAGMA data_version`, microseconds), and then whether a
credential did. So a credential that is deleted or revoked is refused by every worker once that is answered.
"""

import hashlib
import logging
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from ...bundles.conditions.instants import SECOND, parse_instant
from ..serving.live_engines import Stale
from ..store.credentials.credentials import Credentials
from ..store.database.watch import Watch
from ..store.environments import is_environment_id
from ..store.errors import StoreUnavailable
from .credential import Credential, Scope
from .secret_format import API_KEY, is_made

MOST_REMEMBERED: Final = 65_536
"""Credentials that a worker remembers; of more, the one first met is forgotten."""

MOST_NAMES: Final = 10_000
"""Ids of environments that are remembered, whether there are such."""

LOOK_SECONDS: Final = 1.0
"""Between two looks at what credentials rest on outside of the store.

A token by a key that was removed may be good for so long, and `recent_headers.GOOD_SECONDS` more."""


class Kind(Protocol):
    """One kind of credential that the store knows of."""

    def basis(self) -> object:
        """What these credentials rest on beside the store, the keys that sign them: it differs where that changed."""

    def recognises(self, token: bytes) -> bool:
        """Whether `token` may be one of this kind, as its form alone tells."""

    def credential(self, token: bytes, digest: bytes) -> Credential | None:
        """What `token`, of that SHA-256, stands for now; None where it is not known. Raises StoreUnavailable."""

    def spent(self, token: bytes, digest: bytes) -> bool:
        """Whether `token`, of that SHA-256, was made here, good or not. Raises StoreUnavailable."""


class KnownCredentials:
    """The credentials of one process. Requests begin on one thread, and so does this: nothing here is locked."""

    def __init__(
        self,
        store: Credentials,
        watch: Watch,
        kinds: Sequence[Kind],
        clock: Callable[[], float],
        stale_seconds: float,
        log: logging.Logger,
    ) -> None:
        """`clock` gives epoch seconds; what is remembered serves for `stale_seconds` while the store can't be read."""
        self._store, self._watch, self._kinds, self._clock = store, watch, kinds, clock
        self._stale_seconds, self._log = stale_seconds, log
        self._seen: tuple[int, int] | None = None
        self._generation: int | None = None
        self._bases: list[object] = []
        self._looked = -math.inf
        self._behind_since: float | None = None
        self._remembered: OrderedDict[bytes, Credential] = OrderedDict()
        self._uuids: dict[str, str | None] = {}  # of names that there are not too: it takes no longer to say so

    def credential(self, token: bytes) -> Credential | None:
        """See `Verifier`. Raises Stale if the store can't be read and the token is not known, or not for sure."""
        digest = hashlib.sha256(token).digest()
        if digest not in self._remembered and not any(kind.recognises(token) for kind in self._kinds):
            return None
        now = self._clock()
        if abs(now - self._looked) >= LOOK_SECONDS:  # whichever way the clock was set
            self._look(now)
        self._follow()
        found = self._remembered.get(digest)
        if found is None:
            found = self._learn(token, digest)
        return None if found is None or found.expires <= now else found

    def spent(self, token: bytes) -> bool:
        """See `Verifier`. Raises Stale if the store can't be read."""
        digest = hashlib.sha256(token).digest()
        try:
            return any(kind.recognises(token) and kind.spent(token, digest) for kind in self._kinds)
        except StoreUnavailable as ex:
            raise Stale("the store can't be read, so nobody knows this credential") from ex

    def environment_uuid(self, id: str) -> str | None:
        """The UUID of an environment, None where there is none of that id. Raises Stale."""
        if not is_environment_id(id):
            return None  # it may be long, and is not remembered
        self._follow()
        if id not in self._uuids:
            if len(self._uuids) >= MOST_NAMES:
                self._uuids.clear()
            try:
                self._uuids[id] = self._store.environment_uuid(id)
            except StoreUnavailable as ex:
                raise Stale("the store can't be read, so nobody knows this environment") from ex
        return self._uuids[id]

    def _learn(self, token: bytes, digest: bytes) -> Credential | None:
        try:
            found = next((kind.credential(token, digest) for kind in self._kinds if kind.recognises(token)), None)
        except StoreUnavailable as ex:
            raise Stale("the store can't be read, so nobody knows this credential") from ex
        if found is not None:
            if len(self._remembered) >= MOST_REMEMBERED:
                self._remembered.popitem(last=False)
            self._remembered[digest] = found
        return found

    def _look(self, now: float) -> None:
        """Forget what rests on keys that may be gone."""
        bases = [kind.basis() for kind in self._kinds]
        if bases != self._bases:
            self._remembered.clear()
        self._bases, self._looked = bases, now

    def _follow(self) -> None:
        """Forget what may not be right any more."""
        try:
            version = self._watch.version()
            if version == self._seen:
                return
            generation = self._store.generation()
        except StoreUnavailable as ex:
            self._serve_on(ex)
            return
        if generation != self._generation:
            self._remembered.clear()
        self._uuids.clear()
        self._seen, self._generation, self._behind_since = version, generation, None

    def _serve_on(self, trouble: StoreUnavailable) -> None:
        """What is in memory serves for a while."""
        self._seen = None
        if self._behind_since is None:
            self._behind_since = time.monotonic()
            self._log.error("the credentials can't be followed: %s", trouble)
        if time.monotonic() - self._behind_since > self._stale_seconds:
            raise Stale("the store can't be read, so no credential is believed") from trouble


class ApiKeys:
    """API keys, which the store knows by their SHA-256."""

    def __init__(self, store: Credentials) -> None:
        self._store = store

    def basis(self) -> object:
        """See `Kind`: the store has all."""
        return None

    def recognises(self, token: bytes) -> bool:
        """See `Kind`."""
        return is_made(token.decode("latin-1"), API_KEY)

    def credential(self, _token: bytes, digest: bytes) -> Credential | None:
        """See `Kind`. Nothing is compared with the key itself, so nothing can be learnt from how long it takes."""
        key = self._store.api_key_with(digest)
        if key is None:
            return None
        expires = math.inf if key.expires_at is None else parse_instant(key.expires_at) / SECOND
        return Credential(highest(key.scopes), f"api-key:{key.id}", key.bounds, expires)

    def spent(self, _token: bytes, digest: bytes) -> bool:
        """See `Kind`. Of a deleted key nothing is left, so it is not known from a guess."""
        return self._store.api_key_with(digest) is not None


def highest(scopes: Sequence[str]) -> Scope:
    """What scopes, by their names, allow together: they are cumulative.

    >>> highest(["read", "write"]).name, highest([]).name
    ('WRITE', 'NONE')
    """
    return max((Scope[scope.upper()] for scope in scopes), default=Scope.NONE)
