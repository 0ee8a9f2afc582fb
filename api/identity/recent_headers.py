"""Remembers for a second which credential an `Authorization` header carried, and which engines it may ask."""

import secrets
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

from ...runtime import Engine
from ..store.errors import StoreUnavailable
from .credential import Credential

VALID_SECONDS: Final = 1.0
"""Time for which a header is remembered. It is short since signing keys are not in the store that is watched.

It adds to `known_credentials.BASIS_SECONDS`."""

MOST_RECENT: Final = 65_536
"""Headers that a worker remembers. Above the limit, it forgets the oldest."""


class CredentialWatch(Protocol):
    """Tells whether a credential may have changed."""

    def version(self) -> object:
        """Returns a value that differs after a change. Raises StoreUnavailable."""


class _Known(NamedTuple):
    """A credential as of a version, at instants with `since` <= now < `until`, and the engines that it may ask."""

    credential: Credential
    version: object
    since: float
    until: float
    engines: dict[str, Engine]


class RecentHeaders:
    """The recent headers of one worker. Each is valid until the next commit, for `VALID_SECONDS` at most.

    PERF: to split a header and compute its SHA-256 costs a tenth of an evaluation. The key here is two keyed hashes of
    64 bits (SipHash, as Python's strings have it), and the header itself is not kept. Without the two random prefixes,
    a guess matches both hashes with probability 2**-128.

    `hits` and `misses` count the lookups.
    """

    def __init__(
        self, watch: CredentialWatch, clock: Callable[[], float], used: Callable[[str], None] = lambda _: None
    ) -> None:
        """`clock` gives epoch seconds. `used` notes the use of a credential by its actor, once a second at least while
        it is used.
        """
        self._watch, self._clock, self._used = watch, clock, used
        self._prefixes = secrets.token_urlsafe(), secrets.token_urlsafe()
        self.hits = self.misses = 0
        self._known: OrderedDict[tuple[int, int], _Known] = OrderedDict()

    def version(self) -> object:
        """See `Recent`."""
        try:
            return self._watch.version()
        except StoreUnavailable:
            return None

    def credential(self, header: str, version: object) -> Credential | None:
        """See `Recent`."""
        found = self._valid(header, version)
        if found is None:
            self.misses += 1
            return None
        self.hits += 1
        return found.credential

    def engine(self, header: str, version: object, env: str) -> tuple[Credential, Engine] | None:
        """See `Recent`. Only a hit is counted: who finds nothing here asks for the credential."""
        found = self._valid(header, version)
        if found is None:
            return None
        credential, _, _, _, engines = found
        engine = engines.get(env)
        if engine is None:
            return None
        self.hits += 1
        return credential, engine

    def keep_engine(self, header: str, version: object, env: str, engine: Engine) -> None:
        """See `Recent`."""
        found = self._valid(header, version)
        if found is not None:
            found.engines[env] = engine

    def _valid(self, header: str, version: object) -> _Known | None:
        one, other = self._prefixes  # PERF: as in `_key`
        found = self._known.get((hash(one + header), hash(other + header)))
        if found is None:
            return None
        _, known, since, until, _ = found
        return found if (known is version or known == version) and since <= self._clock() < until else None

    def __len__(self) -> int:
        """Returns how many headers are remembered."""
        return len(self._known)

    def keep(self, header: str, credential: Credential, version: object) -> None:
        """See `Recent`."""
        self._used(credential.actor)
        if version is None:
            return
        key = self._key(header)
        since = self._clock()
        self._known[key] = _Known(credential, version, since, min(since + VALID_SECONDS, credential.expires), {})
        self._known.move_to_end(key)
        if len(self._known) > MOST_RECENT:
            self._known.popitem(last=False)

    def _key(self, header: str) -> tuple[int, int]:
        one, other = self._prefixes
        return hash(one + header), hash(other + header)
