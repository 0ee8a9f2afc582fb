"""The number of decisions of a worker by environment, outcome and reason, read from the counters of the metrics.

PERF: so telemetry costs a decision nothing.
"""

from typing import TypeAlias

from ...telemetry.metrics.blocks import EnvironmentBlocks
from ...telemetry.metrics.counts import Counts
from ...telemetry.metrics.definitions import DECISIONS

Key: TypeAlias = tuple[str, str, str]
"""The id of an environment, an outcome, and a reason code, which is empty for a decision that failed."""

_Named: TypeAlias = tuple[str, Key]


class DecisionCounts:
    """Reads the row of a worker. The row counts on what an earlier worker of the same place counted: that is left out.

    Any thread may read.
    """

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._before: dict[_Named, int] = {}

    def start_worker(self) -> None:
        """Counts from now on. `Counts` has started before."""
        self._before = self._all()

    def read(self) -> dict[Key, int]:
        """Returns the decisions since the start of the worker, without those of which there was none."""
        found: dict[Key, int] = {}
        for (uuid, key), number in self._all().items():
            since = number - self._before.get((uuid, key), 0)
            if since > 0:
                found[key] = found.get(key, 0) + since
        return found

    def _all(self) -> dict[_Named, int]:
        layout = self._counts.table.layout
        return {
            (block.uuid, (block.id, outcome, reason)): block.values[layout.at(DECISIONS, (outcome, reason))]
            for block in EnvironmentBlocks(layout, self._counts.row).all()
            for outcome, reason in DECISIONS.series
        }
