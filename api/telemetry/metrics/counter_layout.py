"""The place of each counter in the row of a worker. All counters are words of 64 bits."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from .definitions import METRICS
from .metric import Metric, MetricType, Series, Split

SHIFT: Final = 13
"""The first bucket of every histogram has the times below 2**13 ns (8 µs). Each bucket ends at twice the time before.

PERF: so the bucket of a time follows from its number of bits. To search a table of bounds takes three times as long."""

LAST: Final = 22
"""The number of the last bucket. It has all times from 2**34 ns (17 s) on."""

SUM: Final = LAST + 1
"""The place of a histogram's sum in nanoseconds, after its buckets."""

BOUNDS_SECONDS: Final = tuple(2 ** (SHIFT + bucket) / 1e9 for bucket in range(LAST))
"""The upper bounds of all buckets but the last."""

MOST_ENVIRONMENTS: Final = 256
"""The environments that a worker counts apart. Further ones count as `(other)`."""

PROCESS: Final = 0
"""The first word of a row: the id of the process that counts in it, or 0 if none does."""

USED: Final = 1
"""The second word of a row: 1 if a process has ever counted in it."""

LEAVES: Final = 2
"""The third word of a row: 1 if its process was asked to stop. Then its end is no loss."""

NAMES_WORDS: Final = 15
"""The words of a block of an environment before its counters: see `blocks`."""

NO_ROUTE: Final = ("", "")
"""The path and the method of a request for which there is no route."""


class RouteKey(NamedTuple):
    """The path template of a route, and a method."""

    route: str
    method: str


class Layout:
    """The places of all counters of a server with these routes."""

    def __init__(self, routes: Sequence[tuple[str, str]]) -> None:
        """`routes` are path templates with their methods."""
        self.routes = tuple(RouteKey(*one) for one in dict.fromkeys((NO_ROUTE, *routes)))
        self._numbers = {one: number for number, one in enumerate(self.routes)}
        self._starts: dict[Metric, int] = {}
        self._series = {metric: {one: at for at, one in enumerate(metric.series)} for metric in METRICS}
        self.words = self._place(LEAVES + 1, (Split.NOTHING, Split.ROUTE))
        self.block_words = self._place(NAMES_WORDS, (Split.ENVIRONMENT,))
        self.row_words = self.words + self.block_words * (MOST_ENVIRONMENTS + 1)

    def _place(self, start: int, splits: tuple[Split, ...]) -> int:
        for metric in METRICS:
            if metric.split in splits:
                self._starts[metric] = start
                repeats = len(self.routes) if metric.split is Split.ROUTE else 1
                start += repeats * len(metric.series) * width(metric)
        return start

    def at(self, metric: Metric, series: Series = (), route: tuple[str, str] = NO_ROUTE) -> int:
        """Returns the place of a series' first word: in the row, or in the block of an environment.

        A route that is not in the table counts as none. Raises KeyError for a series that the metric does not have.
        """
        number = self._numbers.get(RouteKey(*route), 0) if metric.split is Split.ROUTE else 0
        series_of = self._series[metric]
        return self._starts[metric] + (number * len(series_of) + series_of[series]) * width(metric)


def width(metric: Metric) -> int:
    """Returns the words of one series."""
    return SUM + 1 if metric.kind is MetricType.HISTOGRAM else 1
