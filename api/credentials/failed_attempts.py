"""Attempts with a wrong credential, counted by address over all worker processes, so that guessers are told off."""

import hashlib
import mmap
import secrets
from collections.abc import Callable
from typing import Final

from ..http.source_address import network_of

SLOTS: Final = 65_536
"""Counts that are kept; addresses that meet in one share it, and only those of them that fail notice."""

_WINDOW_SECONDS: Final = 60
_COUNT_BITS: Final = 32
_COUNT: Final = (1 << _COUNT_BITS) - 1


class FailedAttempts:
    """Counts in memory that processes share which are forked after this was made.

    Nothing is locked: an attempt may go uncounted where two processes count in one slot at the same instant.
    """

    def __init__(self, most_a_minute: int, clock: Callable[[], float]) -> None:
        """`clock` gives epoch seconds; a minute is one of its own, so that one that is set back blocks nobody."""
        self._most, self._clock = most_a_minute, clock
        # A slot is the number of its minute above its count, in one word that is written at once.
        self._slots = memoryview(mmap.mmap(-1, SLOTS * 8)).cast("Q")
        self._key = secrets.token_bytes(16)  # nobody can find out which addresses share a slot

    def failed(self, address: str) -> int | None:
        """Count an attempt of an address; the whole seconds until its next one, None where it may go on at once."""
        now = self._clock()
        minute = int(now // _WINDOW_SECONDS) & _COUNT
        slot = self._slot(address)
        then, count = divmod(self._slots[slot], 1 << _COUNT_BITS)
        count = min(count, self._most) + 1 if then == minute else 1
        self._slots[slot] = minute << _COUNT_BITS | count
        return _WINDOW_SECONDS - int(now % _WINDOW_SECONDS) if count > self._most else None

    def _slot(self, address: str) -> int:
        digest = hashlib.blake2b(network_of(address).encode(), digest_size=8, key=self._key).digest()
        return int.from_bytes(digest) % SLOTS
