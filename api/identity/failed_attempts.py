"""Counts attempts with a wrong credential by address, over all worker processes."""

import hashlib
import mmap
import secrets
from collections.abc import Callable
from typing import Final

from ...runtime.rates.server_share import ServerShare
from ..http.source_address import network_of

SLOTS: Final = 65_536
"""Counters. Addresses with the same counter share it, which matters only to addresses that fail."""

_WINDOW_SECONDS: Final = 60
_COUNT_BITS: Final = 32
_COUNT: Final = (1 << _COUNT_BITS) - 1


class FailedAttempts:
    """Counters in memory that is shared with the processes forked later.

    There is no lock: if two processes count in one slot at the same instant, one attempt may go uncounted.
    """

    def __init__(self, most_a_minute: int, clock: Callable[[], float], share: ServerShare | None = None) -> None:
        """`clock` gives epoch seconds. A counter belongs to one minute, so setting the clock back blocks no caller.

        `share` is the part of `most_a_minute` that this server allows. None: all of it. With more servers than
        attempts, some allow none: else the number of servers would multiply the limit.
        """
        self._whole, self._clock, self._share = most_a_minute, clock, share
        # A slot is one word, written in one step: the minute in the high bits, the count in the low bits.
        self._slots = memoryview(mmap.mmap(-1, SLOTS * 8)).cast("Q")
        self._key = secrets.token_bytes(16)  # so that an attacker can't find addresses that share a slot

    def count(self, address: str) -> int | None:
        """Counts an attempt of an address. Returns the seconds until its next one, or None if it need not wait."""
        now = self._clock()
        most = self._whole if self._share is None else self._share.of(self._whole)
        minute = int(now // _WINDOW_SECONDS) & _COUNT
        slot = self._slot(address)
        then, count = divmod(self._slots[slot], 1 << _COUNT_BITS)
        count = min(count, most) + 1 if then == minute else 1
        self._slots[slot] = minute << _COUNT_BITS | count
        return _WINDOW_SECONDS - int(now % _WINDOW_SECONDS) if count > most else None

    def _slot(self, address: str) -> int:
        digest = hashlib.blake2b(network_of(address).encode(), digest_size=8, key=self._key).digest()
        return int.from_bytes(digest) % SLOTS
