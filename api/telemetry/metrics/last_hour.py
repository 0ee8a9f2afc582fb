"""The decisions of the last hour by minute: samples of the counters, which all workers of a server share.

Each worker samples its own row of the table once a minute, at its heartbeat. A sample has the decisions of each
environment before a minute began, so the decisions of a minute are the difference of two samples. What was counted
after the last sample of a row belongs to the minute of that sample.
"""

import mmap
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from operator import add
from typing import Final, NamedTuple

from .blocks import OTHERS, Block, EnvironmentBlocks
from .counter_layout import Layout
from .definitions import DECISIONS
from .metric import Series

MINUTES: Final = 60
"""The minutes that can be read, the current one included."""

MINUTE_SECONDS: Final = 60

_SLOTS: Final = 64
"""The samples that are kept. Reading needs one more than `MINUTES`. A new sample replaces one that no reader needs."""

_WORD: Final = 8
_BEGAN: Final = 0
"""The first word of all: the second since the epoch at which counting began."""

_LAST: Final = 0
"""The first word of a row: the minute since the epoch of its last sample, or 0 before the first one."""

_OWNER: Final = 0
"""The first word of the samples of a block: the number of changes that the block had, plus 1. 0: no samples yet."""


class Minute(NamedTuple):
    """The decisions of a minute. `start` is in seconds since the epoch. `counts` are by outcome and reason code."""

    start: int
    counts: dict[Series, int]


class Hour(NamedTuple):
    """The last minutes, oldest first. The newest is not over. `since` and `until` are in seconds since the epoch.

    `is_whole` is False if decisions of the environment may be among those of all other environments.
    """

    since: int
    until: float
    minutes: tuple[Minute, ...]
    is_whole: bool


class HourSamples:
    """The samples of all rows, made before the workers are forked. Only one process writes to those of a row.

    They follow the table's rule: a word is written in one step, so there is no lock. The system provides the memory of
    a row once the row is used.
    """

    def __init__(self, layout: Layout, rows: Sequence[memoryview], clock: Callable[[], float] = time.time) -> None:
        """`rows` are those of the table of counters. `clock` gives epoch seconds."""
        self._layout, self._rows, self._clock = layout, rows, clock
        self._first, self._series = layout.at(DECISIONS, DECISIONS.series[0]), len(DECISIONS.series)
        self._block_words = 1 + _SLOTS * self._series
        words = 1 + (layout.row_words - layout.words) // layout.block_words * self._block_words
        cells = memoryview(mmap.mmap(-1, (1 + len(rows) * words) * _WORD)).cast("Q")
        self._began = cells[:1]
        self._samples = tuple(cells[start : start + words] for start in range(1, len(cells), words))
        self._began[_BEGAN] = int(clock())

    def take(self, number: int) -> None:
        """Sample the row of this number, unless that was done in this minute. Called by the process of the row.

        Minutes without a sample get the same numbers: nothing was counted while the process was away. If the clock was
        set back, the hour begins again.
        """
        now = int(self._clock())
        samples, minute = self._samples[number], now // MINUTE_SECONDS
        last = samples[_LAST]
        if minute == last:  # PERF: every second but one in a minute
            return
        missing = min(minute - last, _SLOTS)
        if minute < last:
            missing, self._began[_BEGAN] = _SLOTS, now
        if last:
            for block in EnvironmentBlocks(self._layout, self._rows[number]).all():
                self._sample(samples[self._place(block) :], block, range(minute - missing + 1, minute + 1))
        samples[_LAST] = minute

    def read(self, uuid: str) -> Hour:
        """Returns the decisions in the environment of this UUID, the sum of all rows."""
        now = self._clock()
        since, minute = min(self._began[_BEGAN], int(now)), int(now) // MINUTE_SECONDS
        minutes = range(max(minute - MINUTES + 1, since // MINUTE_SECONDS), minute + 1)
        sums, is_whole = [[0] * self._series for _ in minutes], True
        for samples, row in zip(self._samples, self._rows, strict=True):
            found, others = self._of_row(samples, row, uuid, minutes)
            is_whole = is_whole and (found is not None or not others)
            for number, counted in enumerate(found or ()):
                sums[number] = list(map(add, sums[number], counted))
        names = DECISIONS.series
        return Hour(
            max(since, minutes[0] * MINUTE_SECONDS),
            now,
            tuple(
                Minute(at * MINUTE_SECONDS, dict(zip(names, counted, strict=True)))
                for at, counted in zip(minutes, sums, strict=True)
            ),
            is_whole,
        )

    def _sample(self, samples: memoryview, block: Block, minutes: range) -> None:
        owner = block.values[0] + 1
        if samples[_OWNER] != owner:  # everything in the block was counted after the last sample of the row
            samples[_OWNER] = 0
            samples[1 : self._block_words] = array("Q", bytes((self._block_words - 1) * _WORD))
        counted = array("Q", self._counted(block))
        for minute in minutes:
            start = self._slot(minute)
            samples[start : start + self._series] = counted
        samples[_OWNER] = owner

    def _of_row(
        self, samples: memoryview, row: memoryview, uuid: str, minutes: range
    ) -> tuple[list[list[int]] | None, bool]:
        """Returns the counts of each minute or None, and whether the row also counts for all other environments."""
        blocks = EnvironmentBlocks(self._layout, row)
        known = {block.uuid: block for block in blocks.all()}
        if uuid not in known:
            return None, OTHERS in known
        last, copied = samples[_LAST], samples[self._place(known[uuid]) :][: self._block_words].tolist()
        newest = next((block for block in blocks.all() if block.uuid == uuid), None)  # after its samples
        if newest is None:
            return None, False
        before = [*self._before(last, copied, newest, range(minutes[0], minutes[-1] + 2))]
        return [[max(new - old, 0) for old, new in zip(*step, strict=True)] for step in pairwise(before)], False

    def _before(self, last: int, samples: list[int], block: Block, minutes: range) -> Iterator[list[int]]:
        """Yields what the block had counted when each minute began."""
        counted, is_own = self._counted(block), samples[_OWNER] == block.values[0] + 1
        last = last or minutes[-1] - 1  # before its first sample, a row counts for the current minute
        for minute in minutes:
            if minute > last or last > minutes[-1]:  # the second: the clock was set back just now
                yield counted
            elif is_own:
                start = self._slot(minute)
                yield samples[start : start + self._series]
            else:
                yield [0] * self._series

    def _counted(self, block: Block) -> list[int]:
        return block.values[self._first : self._first + self._series]

    def _place(self, block: Block) -> int:
        return 1 + (block.start - self._layout.words) // self._layout.block_words * self._block_words

    def _slot(self, minute: int) -> int:
        return 1 + minute % _SLOTS * self._series
