"""Remembers for a second which credential an `Authorization` header carried, and which engines it may ask."""

import secrets
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

from ...runtime import Engine
from ..store.errors import StoreUnavailable
from .credential import Admission, Credential

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
    """A credential as of a version, at instants with `since` <= now < `until`, and its admissions by environment."""

    credential: Credential
    version: object
    since: float
    until: float
    admissions: dict[str, Admission]


class RecentHeaders:
    """The recent headers of one worker. Each is valid until the next commit, for `VALID_SECONDS` at most.

    PERF: to split a header and compute its SHA-256 costs a tenth of an evaluation. The key here is two keyed hashes of
    64 bits (SipHash, as Python's bytes have it), and the header itself is not kept. Without the two random prefixes,
    a guess matches both hashes with probability 2**-128.

    `hits` and `misses` count the lookups.
    """

    def __init__(
        self, watch: CredentialWatch, clock: Callable[[], float], used: Callable[[str], None] = lambda _: None
    ) -> None:
        """`clock` gives epoch seconds. `used` notes the use of a credential (see `Credential.used_as`): once a second
        at least while it is used.
        """
        self._watch, self._clock, self._used = watch, clock, used
        self._prefixes = secrets.token_bytes(), secrets.token_bytes()
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

    def admission(self, header: str, version: object, env: str) -> Admission | None:
        """See `Recent`. Only a hit is counted: who finds nothing here asks for the credential."""
        found = self._valid(header, version)
        admission = None if found is None else found.admissions.get(env)
        if admission is not None:
            self.hits += 1
        return admission

    def admit(self, header: str, credential: Credential, version: object, env: str, engine: Engine) -> Admission:
        """See `Recent`. It has ended when it begins if nothing is remembered, or if the bytes of the header, of which
        `admits` gets to know, may be those of another text.
        """
        found = self._valid(header, version)
        since, until = (0.0, 0.0) if found is None or not header.isascii() else (found.since, found.until)
        admission = Admission(credential, env, engine, version, since, until, self._key(header))
        if found is not None:
            found.admissions[env] = admission
        return admission

    def admits(self, admission: Admission, header: bytes) -> bool:
        """See `Recent`. Raises StoreUnavailable. Only a hit is counted, as in `admission`.

        PERF: it is asked for each request, so it makes nothing. The watch gives one object until something changes.
        """
        one, other = self._prefixes
        if (
            self._watch.version() is admission.version
            and admission.since <= self._clock() < admission.until
            and admission.key == (hash(one + header), hash(other + header))
        ):
            self.hits += 1
            return True
        return False

    def _valid(self, header: str, version: object) -> _Known | None:
        found = self._known.get(self._key(header))
        if found is None:
            return None
        _, known, since, until, _ = found
        return found if (known is version or known == version) and since <= self._clock() < until else None

    def __len__(self) -> int:
        """Returns how many headers are remembered."""
        return len(self._known)

    def keep(self, header: str, credential: Credential, version: object) -> None:
        """See `Recent`."""
        self._used(credential.used_as)
        if version is None:
            return
        key = self._key(header)
        since = self._clock()
        self._known[key] = _Known(credential, version, since, min(since + VALID_SECONDS, credential.expires), {})
        self._known.move_to_end(key)
        if len(self._known) > MOST_RECENT:
            self._known.popitem(last=False)

    def _key(self, header: str) -> tuple[int, int]:
        (one, other), sent = self._prefixes, header.encode("utf-8", "surrogatepass")
        return hash(one + sent), hash(other + sent)
