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

from .counter_words import (
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
    word_of,
)
from .server_share import ServerShare

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
    """Counters in a piece of memory that several processes may share. Each process counts in its own row.

    A number is the sum over all rows, so every process sees what the others counted. Between reading and counting, the
    others may count too: of n processes, n - 1 may each allow one evaluation too many. Within a process, `lock` keeps
    threads apart.

    INVARIANT: only the owner of a row writes to it, and each word in one step. So a process that dies at any moment
    leaves a sound row, and its successor goes on with it.
    """

    def __init__(
        self,
        memory: Any,
        rows: int,
        salt: bytes,
        lock: AbstractContextManager[Any],
        row: int | None = None,
        share: ServerShare | None = None,
    ) -> None:
        """`memory` is a writable buffer of `table_bytes`, all zero for a new table.

        `salt` is secret: with it, an attacker can find subjects that share cells. `row` is the row of
        this process. Without one, every limit counts as reached. `share` is the part of each limit that these processes
        may allow, if others count elsewhere.
        """
        self._part_of = _whole if share is None else share.of
        words = memoryview(memory).cast("B").cast("Q")
        row_words = len(words) // rows - 1
        self._cells = row_words // (AREAS * WORDS)
        self._hash = blake2b(digest_size=_HASHES.size, key=salt)
        self._used = words[:rows]
        starts = range(rows, rows + rows * row_words, row_words)
        self._rows = [words[start : start + row_words] for start in starts]
        self._known_used = b""
        self._rows_in_use: list[memoryview[int]] = []
        self.use_row(lock, row)

    def use_row(self, lock: AbstractContextManager[Any], row: int | None) -> None:
        """Let this process count in `row`, which no other process may use. Without a row, every limit is reached."""
        self._lock = lock
        self._own: memoryview[int] | None = None
        if row is not None and 0 <= row < len(self._rows):
            self._own = self._rows[row]
            self._used[row] = 1

    def count(self, key: bytes, limit: int, window_seconds: int, now: float) -> int:
        """Counts an evaluation of `key`, unless its limit is reached.

        Returns the number of the evaluation in the window before `now`, which is in epoch seconds. It was counted if
        the number is `limit` at most. Beyond the part of these processes, it is greater. If the clock is before 1970 or
        too far ahead, nothing is counted.
        """
        tick = int(now * TICKS)
        expiry, own = expiry_of(tick, window_seconds), self._own
        if own is None or now < 0 or expiry > LAST_TICK:
            return limit + 1
        places, alive, part = self._places(key), least_alive(tick), self._part_of(limit)
        with self._lock:
            before = self._number(places, alive, part)
            if before < part:
                _add(own, places, window_seconds, expiry, alive)
                return before + 1
        return max(before, limit) + 1

    def wait(self, key: bytes, limit: int, window_seconds: int, now: float) -> int:
        """Returns the whole seconds until `count` would count again, if nothing else is counted. It is at least 1.

        If that is unknown, it is the length of the window.
        """
        tick = int(now * TICKS)
        if self._own is None or now < 0 or expiry_of(tick, window_seconds) > LAST_TICK:
            return window_seconds
        alive, part = least_alive(tick), self._part_of(limit)
        if not part:
            return window_seconds
        free = min(_free_from(self._words_at(place), alive, part, tick) for place in self._places(key))
        return max(1, ceil(free / TICKS - now))

    def peeking(self) -> "RateTable":
        """Returns a table that reads these counters as they are, and never counts (C10)."""
        other = object.__new__(_Peeking)
        other.__dict__.update(self.__dict__)
        return other

    def _places(self, key: bytes) -> list[int]:
        """Returns the places of a key's cells in each row.

        PERF: copying a hash that has the salt takes half the time of beginning one.
        """
        keyed = self._hash.copy()
        keyed.update(key)
        cells, place, places = self._cells, 0, []
        for number in _HASHES.unpack(keyed.digest()):
            places.append((place + number % cells) * WORDS)
            place += cells
        return places

    def _rows_used(self) -> "list[memoryview[int]]":
        """Returns the rows that any process ever counted in."""
        used = self._used.tobytes()
        if used != self._known_used:
            self._rows_in_use = [row for row, flag in zip(self._rows, self._used, strict=True) if flag]
            self._known_used = used
        return self._rows_in_use

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
        for row in self._rows_used():
            found += row[place : place + WORDS].tolist()
        return found


class _Peeking(RateTable):
    """Reads the counters of another table."""

    def count(self, key: bytes, limit: int, window_seconds: int, now: float) -> int:
        """Returns the number that `RateTable.count` would return, and counts nothing."""
        tick = int(now * TICKS)
        if self._own is None or now < 0 or expiry_of(tick, window_seconds) > LAST_TICK:
            return limit + 1
        part = self._part_of(limit)
        before = self._number(self._places(key), least_alive(tick), part)
        return before + 1 if before < part else max(before, limit) + 1


def _whole(limit: int) -> int:
    return limit


def _add(row: "memoryview[int]", places: Sequence[int], window_seconds: int, expiry: int, alive: int) -> None:
    """Counts one evaluation in each cell.

    PERF: in almost all cells, the word of the slot counts nothing else. Such a word is changed right here.
    """
    slot, first = expiry // window_seconds % WORDS, word_of(expiry, 1)
    full = first | MOST
    for cell in places:
        word = row[cell + slot]
        if word < alive:
            row[cell + slot] = first
        elif first <= word < full:
            row[cell + slot] = word + 1
        else:  # the cell is shared with another window, or the word is full
            place = cell + best_place(row[cell : cell + WORDS].tolist(), expiry, alive)
            row[place] = with_one_more(row[place], expiry, alive)


def _free_from(words: Sequence[int], alive: int, limit: int, tick: int) -> int:
    """Returns the first tick at which words that count at `tick` reach the limit no longer."""
    number = 0
    for until, more in sorted((split(word) for word in words if word >= alive), reverse=True):
        number += ANY_NUMBER if more == MOST else more
        if number >= limit:
            return until
    return tick
