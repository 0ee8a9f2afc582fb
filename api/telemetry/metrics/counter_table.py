"""The table of counters that the workers of one server share."""

import mmap
import os
import time
from collections.abc import Callable, Iterator
from operator import add
from typing import Final

from .blocks import Block, EnvironmentBlocks
from .counter_layout import LEAVES, PROCESS, USED, Layout
from .definitions import METRICS, WORKER_LOSSES, WORKERS
from .last_hour import HourSamples
from .metric import MetricType, Split

_WORD: Final = 8


class CounterTable:
    """Rows of 64-bit counters in memory, made before the workers are forked. Only one process writes to a row.

    A counter is one aligned word, which the processor reads and writes in one step. So there is no lock, and no reader
    sees half a number. A row outlives its worker: the worker that takes the place counts on, and no sum ever falls. The
    system provides the memory of a row once the row is used.
    """

    def __init__(self, layout: Layout, places: int, clock: Callable[[], float] = time.time) -> None:
        """`places` is the most workers that live at a time. The last row is for the process that forks them.

        `clock` gives epoch seconds.
        """
        self.layout = layout
        size = layout.row_words
        cells = memoryview(mmap.mmap(-1, (places + 1) * size * _WORD)).cast("Q")
        self._rows = tuple(cells[start : start + size] for start in range(0, len(cells), size))
        self.hour = HourSamples(layout, self._rows, clock)
        self._gauges = tuple(
            layout.at(metric, series)
            for metric in METRICS
            if metric.kind is MetricType.GAUGE and metric.split is Split.NOTHING
            for series in metric.series
        )
        self._gauges_of_blocks = tuple(
            layout.at(metric, series)
            for metric in METRICS
            if metric.kind is MetricType.GAUGE and metric.split is Split.ENVIRONMENT
            for series in metric.series
        )

    def own_row(self) -> memoryview:
        """Returns the row of the process that forks the workers."""
        return self._begin(len(self._rows) - 1)

    def row(self, place: int) -> memoryview:
        """Returns the row of a worker, for this process to write to. A place beyond the rows has the last of them."""
        row = self._begin(self.number_of(place))
        row[PROCESS], row[LEAVES], row[self.layout.at(WORKERS)] = os.getpid(), 0, 1
        return row

    def number_of(self, place: int) -> int:
        """Returns the number of a worker's row."""
        return min(place, len(self._rows) - 2)

    def _begin(self, number: int) -> memoryview:
        row = self._rows[number]
        row[USED] = 1
        return row

    def worker_gone(self, process: int) -> None:
        """Forget the gauges of a process that has ended, however it ended. Its counters stay.

        It is lost unless it was asked to stop. Only the process that forks the workers may call this.
        """
        for row in self._used():
            if row[PROCESS] == process:
                row[PROCESS] = 0
                self._rows[-1][self.layout.at(WORKER_LOSSES)] += not row[LEAVES]
                for at in self._gauges:
                    row[at] = 0
                for block in EnvironmentBlocks(self.layout, row).all():
                    for at in self._gauges_of_blocks:
                        row[block.start + at] = 0

    def processes(self) -> list[int]:
        """Returns the ids of the workers that live, as far as the master has noticed their end."""
        return [row[PROCESS] for row in self._used() if row[PROCESS]]

    def sums(self) -> list[int]:
        """Returns the sum of all rows for each counter outside the blocks of environments, by its place."""
        sums = [0] * self.layout.words
        for row in self._used():
            sums = list(map(add, sums, row[: self.layout.words].tolist()))
        return sums

    def blocks(self) -> Iterator[Block]:
        """Yields the blocks of environments of all rows."""
        for row in self._used():
            yield from EnvironmentBlocks(self.layout, row).all()

    def _used(self) -> Iterator[memoryview]:
        return (row for row in self._rows if row[USED])
