"""The part of each rate limit that a server may allow, if several servers count apart (C10)."""

from typing import Any, Final

BYTES: Final = 8
"""The size of the memory that a server's processes share."""

_PLACE: Final = 1 << 32
"""The value of a place in the word, above any number of servers."""


class ServerShare:
    """The place of a server among those that count. Together, they allow what the limit allows.

    Each allows its part, whichever server a subject asks. So a subject that asks one of several servers alone is
    limited early. While a server joins or leaves, one window may have as many more as that server's part.
    """

    def __init__(self, memory: Any) -> None:
        """`memory` is a writable buffer of `BYTES`, all zero for a server that is alone."""
        self._words = memoryview(memory).cast("B").cast("Q")

    def set(self, place: int, servers: int) -> None:
        """Take a place from 0 on among so many servers."""
        if not 0 <= place < servers:
            raise ValueError("a place is one of the servers'")
        self._words[0] = place * _PLACE + servers  # one word, so that no process reads half of a change

    @property
    def servers(self) -> int:
        """The servers that count, with this one, or 0 before it has a place."""
        return self._words[0] % _PLACE

    def of(self, limit: int) -> int:
        """Returns this server's part of a limit.

        >>> shares = [ServerShare(bytearray(BYTES)) for _ in range(3)]
        >>> for place, share in enumerate(shares):
        ...     share.set(place, 3)
        >>> [share.of(100) for share in shares]
        [34, 33, 33]
        """
        place, servers = divmod(self._words[0], _PLACE)
        if servers <= 1:
            return limit
        return limit // servers + (place < limit % servers)
