"""The public keys of the issuers of users' tokens: fetched in the background, and kept while an issuer is away."""

import asyncio
import math
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import jwt
import msgspec

from ....bundles.prepared import prepared
from ....bundles.system_errors import reason_of
from ...http.outgoing.bounded_exchange import BROKEN, exchanged
from ...http.outgoing.in_time import TooSlow

REFRESH_SECONDS: Final = 300.0
"""The seconds after which keys are fetched again."""

IDLE_SECONDS: Final = 600.0
"""Keys that were fetched longer ago, since no request needed them, count only after another fetch was tried."""

UNKNOWN_KEY_SECONDS: Final = 30.0
"""The least time between two fetches for tokens that name an unknown key: they can't make Writ fetch without bound."""

FETCH_SECONDS: Final = 10.0
"""Time in which an issuer must answer, from the connection to the last byte."""

MOST_BYTES: Final = 1024 * 1024
"""The bytes of a key set that are read."""

MOST_KEYS: Final = 100
"""The keys of a set that are used."""

_POLL_SECONDS: Final = 0.02

MOST_ISSUERS: Final = 1_000
"""The key sets that a worker remembers."""


class PublicKey(NamedTuple):
    """A key of a set: its type, its algorithm, and whether the set names that algorithm."""

    public: Any
    key_type: str
    algorithm: str
    names_algorithm: bool


KeysById = dict[str, PublicKey]


class KeysAreComing(Exception):
    """The issuer's keys are not there yet, or too old. Wait for them, and try again."""

    def __init__(self, place: str) -> None:
        super().__init__(f"the keys at {place} are not there yet")
        self.place = place


class UnusableKeySet(Exception):
    """A key set can't be fetched or read. The message is a part of a sentence."""


@prepared
class _KeySet(msgspec.Struct, frozen=True):
    """A JWK set."""

    keys: list[dict[str, Any]]


class KeySets:
    """The key sets of all issuers that a worker needs. Safe for threads; start it after the fork."""

    def __init__(self, report: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        """`report` gets a sentence when a set can't be fetched any more, and when it can again."""
        self._report, self._clock = report, clock
        self._sets: dict[str, KeySet] = {}
        self._lock = threading.Lock()

    def of(self, place: str) -> "KeySet":
        """Returns the key set at a URL or in a file."""
        found = self._sets.get(place)
        if found is None:
            with self._lock:
                if len(self._sets) >= MOST_ISSUERS:
                    self._sets.clear()
                found = self._sets.setdefault(place, KeySet(place, self._report, self._clock))
        return found


class KeySet:
    """The keys at one place. What was read last stays while the place can't be read."""

    def __init__(self, place: str, report: Callable[[str], None], clock: Callable[[], float]) -> None:
        self._place, self._report, self._clock = place, report, clock
        self._lock = threading.Lock()
        self._keys: KeysById | None = None
        self._text = b""
        self._tried: float | None = None
        self._fetching: threading.Thread | None = None
        self._failure: str | None = None

    def key(self, id: str | None) -> PublicKey | None:
        """Returns the key of that id, or the only key for a token that names none. Never waits.

        Starts a fetch if the keys are old, or if the id is unknown and the last fetch is long enough ago. As long as
        the text of the set stays the same, a key is the same object. Raises KeysAreComing.
        """
        keys, age = self._keys, math.inf if self._tried is None else self._clock() - self._tried
        found = None if keys is None else _key_in(keys, id)
        if age >= REFRESH_SECONDS or (found is None and age >= UNKNOWN_KEY_SECONDS):
            self._start()
        if keys is None or age >= IDLE_SECONDS:
            raise KeysAreComing(self._place)
        return found

    @property
    def is_loaded(self) -> bool:
        """True if any keys were read yet."""
        return self._keys is not None

    async def loaded(self) -> bool:
        """Wait until the fetch that is going on has ended, FETCH_SECONDS at most. Returns whether there are keys.

        It takes no thread: requests that wait for a slow issuer delay no others.
        """
        until = self._clock() + FETCH_SECONDS
        while self._fetching is not None and self._fetching.is_alive() and self._clock() < until:
            await asyncio.sleep(_POLL_SECONDS)
        return self.is_loaded

    def _start(self) -> None:
        with self._lock:
            if self._fetching is not None and self._fetching.is_alive():
                return
            self._tried = self._clock()
            self._fetching = threading.Thread(target=self._fetch, name="jwks", daemon=True)
            self._fetching.start()

    def _fetch(self) -> None:
        try:
            text = text_at(self._place)
            if text != self._text:
                self._keys, self._text = read_key_set(text), text
        except UnusableKeySet as ex:
            self._tell(f"the keys at {self._place} can't be fetched: {ex}")
        else:  # an issuer that takes all its keys back is not away
            self._tell(None if self._keys else f"the key set at {self._place} has no public key that signs")

    def _tell(self, failure: str | None) -> None:
        if failure != self._failure:
            self._report(failure or f"the keys at {self._place} are fetched again")
        self._failure = failure


def read_key_set(text: bytes) -> KeysById:
    """Returns the public keys of a JWK set (RFC 7517) by id. Symmetric and unknown ones are left out.

    Raises UnusableKeySet.
    """
    try:
        listed = msgspec.json.decode(text, type=_KeySet).keys
    except msgspec.MsgspecError:
        raise UnusableKeySet("it is no set of keys (RFC 7517)") from None
    usable = {}
    for one in listed[:MOST_KEYS]:
        key = _public_key(one)
        if key is not None:
            usable[str(one.get("kid", ""))] = key
    return usable


def _public_key(jwk: dict[str, Any]) -> PublicKey | None:
    if jwk.get("kty") not in ("RSA", "EC", "OKP") or jwk.get("use", "sig") != "sig" or "d" in jwk:
        return None
    try:
        read = jwt.PyJWK(jwk)
    except (jwt.PyJWTError, ValueError, TypeError, KeyError):
        return None
    return PublicKey(read.key, str(jwk["kty"]), str(read.algorithm_name), "alg" in jwk)


def _key_in(keys: KeysById, id: str | None) -> PublicKey | None:
    if id is not None:
        return keys.get(id)
    return next(iter(keys.values())) if len(keys) == 1 else None


def text_at(place: str) -> bytes:
    """Returns what is at a URL, or in a file: MOST_BYTES at most, within FETCH_SECONDS. Raises UnusableKeySet."""
    if not place.startswith(("https://", "http://")):
        try:
            with Path(place).open("rb") as file:
                return file.read(MOST_BYTES)
        except OSError as ex:
            raise UnusableKeySet(reason_of(ex)) from None
    try:
        answer = exchanged("GET", place, FETCH_SECONDS, MOST_BYTES)
    except TooSlow:
        raise UnusableKeySet("it answers too slowly") from None
    except BROKEN as ex:
        raise UnusableKeySet(str(ex).partition("): ")[2] or str(ex)) from None
    if answer.status != 200:
        raise UnusableKeySet(f"it answers {answer.status}")
    return answer.body
