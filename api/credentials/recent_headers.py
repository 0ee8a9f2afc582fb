"""What `Authorization` headers stood for a moment ago, so that a known caller is known at once."""

import secrets
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from ..store.database.watch import Watch
from ..store.errors import StoreUnavailable
from .credential import Credential

GOOD_SECONDS: Final = 1.0
"""After so long a header is looked at anew: keys that sign tokens are not in the store that is watched.

It adds to `known_credentials.LOOK_SECONDS`."""

MOST_RECENT: Final = 65_536
"""Headers that a worker remembers; of more, the one met first is forgotten."""


class RecentHeaders:
    """The headers of one worker: good as long as nothing was committed since, for `GOOD_SECONDS` at most.

    PERF: to take a header apart and find its SHA-256 costs as much as a tenth of an evaluation. A header is remembered
    by two keyed hashes of 64 bits, SipHash as Python's strings have it; of the header itself nothing is kept. Who
    does not know the two random prefixes meets both with one guess in 2**128.
    """

    def __init__(self, watch: Watch, clock: Callable[[], float]) -> None:
        """`clock` gives epoch seconds."""
        self._watch, self._clock = watch, clock
        self._prefixes = secrets.token_urlsafe(), secrets.token_urlsafe()
        self._known: OrderedDict[tuple[int, int], tuple[Credential, object, float, float]] = OrderedDict()

    def version(self) -> object:
        """See `auth.Recent`."""
        try:
            return self._watch.version()
        except StoreUnavailable:
            return None

    def credential(self, header: str, version: object) -> Credential | None:
        """See `auth.Recent`."""
        found = self._known.get(self._key(header))
        if found is None:
            return None
        credential, seen, since, until = found
        return credential if seen == version and since <= self._clock() < until else None

    def keep(self, header: str, credential: Credential, version: object) -> None:
        """See `auth.Recent`."""
        if version is None:
            return
        key = self._key(header)
        since = self._clock()
        self._known[key] = credential, version, since, min(since + GOOD_SECONDS, credential.expires)
        self._known.move_to_end(key)
        if len(self._known) > MOST_RECENT:
            self._known.popitem(last=False)

    def _key(self, header: str) -> tuple[int, int]:
        one, other = self._prefixes
        return hash(one + header), hash(other + header)
