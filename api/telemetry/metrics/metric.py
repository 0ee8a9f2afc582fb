"""A metric: its name, its type, its labels, and the servers that have it."""

from dataclasses import dataclass
from enum import Enum, auto

Series = tuple[str, ...]
"""The values of a metric's labels, in their order."""


class MetricType(Enum):
    """The type of a metric, as Prometheus names it."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Split(Enum):
    """The label by which the series of a metric are split, beside the metric's own labels."""

    NOTHING = auto()
    ROUTE = auto()
    """By the path and the method of a route."""

    ENVIRONMENT = auto()
    """By the id of an environment. A credential that is bound to environments sees these metrics only."""

    READ = auto()
    """It is not counted, but read for each answer."""


class MetricServer(Enum):
    """Which server has a metric."""

    BOTH = "service, agent"
    SERVICE = "service"
    AGENT = "agent"


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """A row of the table. `series` are the values that its own `labels` have together.

    The value of a gauge that is split by environment is the least of all workers. Others are added up.
    """

    name: str
    kind: MetricType
    unit: str
    help: str
    labels: tuple[str, ...] = ()
    series: tuple[Series, ...] = ((),)
    split: Split = Split.NOTHING
    where: MetricServer = MetricServer.BOTH

    @property
    def all_labels(self) -> tuple[str, ...]:
        """Returns the labels, those that it is split by first."""
        return {Split.ROUTE: ("route", "method"), Split.ENVIRONMENT: ("environment",)}.get(self.split, ()) + self.labels
