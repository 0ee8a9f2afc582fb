"""A table of counters for rate limits, of a size that does not depend on the number of subjects (C10).

It is a count-min sketch: a key has a cell in each of several areas, and the least of its cells is its number. Keys that
share all their cells are counted together, so a subject may be limited early, and never late.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from hashlib import blake2b
from math import ceil
from struct import Struct
from typing import Any, Final

from .words import (
    ANY_NUMBER,
    LAST_TICK,
    MOST,
    TICKS,
    WORDS,
    best_place,
    expiry_of,
    least_alive,
    split,
    total,
    with_one_more,
)

AREAS: Final = 4
"""The cells of a key."""

BYTES_OF_A_WORD: Final = 8

LEAST_BYTES: Final = AREAS * WORDS * BYTES_OF_A_WORD
"""The bytes of a row with one cell in each area."""

_HASHES: Final = Struct(f"<{AREAS}I")


def table_bytes(rows: int, row_bytes: int) -> int:
    """Returns the size of a table with `rows` rows of up to `row_bytes` bytes each, and `LEAST_BYTES` at least."""
    return rows * BYTES_OF_A_WORD + rows * max(1, row_bytes // LEAST_BYTES) * LEAST_BYTES


class RateTable:
    """Counters in a piece of memory that several processes may share. Each process counts in a row of its own.

    A number is the sum over all rows, so every process sees what the others counted. Between reading and counting, the
    others may count too: of n processes, n - 1 may each allow one evaluation too many. Within a process, `lock` keeps
    threads apart.

    INVARIANT: only the owner of a row writes to it, and each word in one step. So a process that dies at any moment
    leaves a sound row, and its successor goes on with it.
    """

    def __init__(
        self, memory: Any, rows: int, salt: bytes, lock: AbstractContextManager[Any], row: int | None = None
    ) -> None:
        """`memory` is a writable buffer of `table_bytes`, all zero for a new table.

        `salt` is secret: whoever knows it can find subjects that share cells with somebody else. `row` is the row of
        this process. Without one, every limit counts as reached.
        """
        self._words = memoryview(memory).cast("B").cast("Q")
        self._rows, self._salt = rows, salt
        self._row_words = len(self._words) // rows - 1
        self._cells = self._row_words // (AREAS * WORDS)
        self._flags = b""
        self._in_use: tuple[int, ...] = ()
        self._row: int | None = None
        self.use_row(lock, row)

    def use_row(self, lock: AbstractContextManager[Any], row: int | None) -> None:
        """Let this process count in `row`, which no other process may use. Without a row, every limit is reached."""
        self._lock = lock
        self._row = row if row is not None and 0 <= row < self._rows else None
        if self._row is not None:
            self._words[self._row] = 1

    def count(self, key: bytes, limit: int, window_seconds: int, now: float) -> int:
        """Counts an evaluation of `key`, unless its limit is reached.

        Returns the number of the evaluation in the window before `now`, which is in epoch seconds. It was counted if
        the number is `limit` at most. If the clock is before 1970 or too far ahead, nothing is counted.
        """
        tick = int(now * TICKS)
        expiry = expiry_of(tick, window_seconds)
        if self._row is None or now < 0 or expiry > LAST_TICK:
            return limit + 1
        places, alive = self._places(key), least_alive(tick)
        with self._lock:
            before = self._number(places, alive, limit)
            if before < limit:
                first = self._start(self._row)
                for place in places:
                    self._add(first + place, expiry // window_seconds % WORDS, expiry, alive)
        return before + 1

    def wait(self, key: bytes, limit: int, window_seconds: int, now: float) -> int:
        """Returns the whole seconds until `count` would count again, if nothing else is counted. It is at least 1.

        If that is unknown, it is the length of the window.
        """
        tick = int(now * TICKS)
        if self._row is None or now < 0 or expiry_of(tick, window_seconds) > LAST_TICK:
            return window_seconds
        alive = least_alive(tick)
        free = min(_free_from(self._words_at(place), alive, limit, tick) for place in self._places(key))
        return max(1, ceil(free / TICKS - now))

    def _places(self, key: bytes) -> list[int]:
        """Returns the places of a key's cells in each row."""
        digest = blake2b(key, digest_size=_HASHES.size, key=self._salt).digest()
        cells = self._cells
        return [(area * cells + number % cells) * WORDS for area, number in enumerate(_HASHES.unpack(digest))]

    def _start(self, row: int) -> int:
        return self._rows + row * self._row_words

    def _starts(self) -> Sequence[int]:
        """Returns where the rows begin that any process ever used."""
        flags = self._words[: self._rows].tobytes()
        if flags != self._flags:
            self._in_use = tuple(self._start(row) for row in range(self._rows) if self._words[row])
            self._flags = flags
        return self._in_use

    def _number(self, places: Sequence[int], alive: int, limit: int) -> int:
        """Returns the number of a key: the least of its cells, or the first that is below the limit."""
        least = ANY_NUMBER
        for place in places:
            least = min(least, total(self._words_at(place), alive))
            if least < limit:
                break
        return least

    def _words_at(self, place: int) -> list[int]:
        """Returns the words of a cell in all rows."""
        found: list[int] = []
        for start in self._starts():
            found += self._words[start + place : start + place + WORDS].tolist()
        return found

    def _add(self, cell: int, slot: int, expiry: int, alive: int) -> None:
        words = self._words
        word = words[cell + slot]
        if word >= alive and split(word)[0] != expiry:  # the cell is shared with another window
            slot = best_place(words[cell : cell + WORDS].tolist(), expiry, alive)
            word = words[cell + slot]
        words[cell + slot] = with_one_more(word, expiry, alive)


def _free_from(words: Sequence[int], alive: int, limit: int, tick: int) -> int:
    """Returns the first tick at which words that count at `tick` reach the limit no longer."""
    number = 0
    for until, more in sorted((split(word) for word in words if word >= alive), reverse=True):
        number += ANY_NUMBER if more == MOST else more
        if number >= limit:
            return until
    return tick
