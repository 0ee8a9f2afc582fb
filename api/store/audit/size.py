"""The size of the audit log: the number of its entries, and their bytes."""

from typing import Final, NamedTuple

from ..database.connection import Connection

ENTRIES_A_LOOK: Final = 100_000
"""The most entries whose sizes are read at a time. It takes some tens of milliseconds."""

_BLOCK: Final = 10_000


class LogSize(NamedTuple):
    """The entries, and their bytes, or None while these are still being read."""

    entries: int
    bytes: int | None


class SizeOfLog:
    """Reads the sizes of entries in steps, and each only once. The log only grows at its end and shrinks at its start.

    Used by one thread at a time. It keeps the bytes of each block of entries, by the number of the block.
    """

    def __init__(self) -> None:
        self._blocks: dict[int, int] = {}
        self._first = self._last = 0  # of the entries whose sizes were read

    def look(self, db: Connection) -> LogSize:
        """Read on, and return what is known. `db` is in a transaction."""
        first, last = db.execute("SELECT (SELECT min(number) FROM audit), (SELECT max(number) FROM audit)").fetchone()
        if first is None:
            return LogSize(0, 0)
        if last < self._last:  # another store took the place of this one
            self._blocks, self._first, self._last = {}, 0, 0
        if first != self._first:
            self._begin_at(db, first)
        until = min(last, self._last + ENTRIES_A_LOOK)
        self._add(db, self._last + 1, until)
        self._last = until
        return LogSize(last - first + 1, sum(self._blocks.values()) if until == last else None)

    def _begin_at(self, db: Connection, first: int) -> None:
        """Forget the entries before `first`, which are gone."""
        cut = first // _BLOCK
        self._blocks = {block: size for block, size in self._blocks.items() if block > cut}
        self._first, self._last = first, max(self._last, first - 1)
        self._add(db, first, min(self._last, (cut + 1) * _BLOCK - 1))

    def _add(self, db: Connection, first: int, last: int) -> None:
        query = "SELECT number / ?, sum(length(CAST(body AS BLOB))) FROM audit WHERE number BETWEEN ? AND ? GROUP BY 1"
        for block, size in db.execute(query, (_BLOCK, first, last)).fetchall():
            self._blocks[block] = self._blocks.get(block, 0) + int(size)
