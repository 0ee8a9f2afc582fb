"""The text of the metrics, in Prometheus' format or in OpenMetrics, as the client asks."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from .blocks import OTHERS, Block
from .counter_layout import BOUNDS_SECONDS, SUM, Layout, width
from .counter_table import CounterTable
from .definitions import LATENCIES, METRICS, OK, REQUESTS
from .metric import Metric, MetricServer, MetricType, Series, Split

_NANO: Final = 1e9
_EDGES: Final = (*map(floatToGoString, BOUNDS_SECONDS), "+Inf")
_FAMILIES: Final = {MetricType.COUNTER: CounterMetricFamily, MetricType.GAUGE: GaugeMetricFamily}
_LIBRARY_UNITS: Final = ("seconds", "bytes")
"""The units that stand in names. OpenMetrics tells no others."""

Readings = Mapping[Metric, Mapping[Series, float]]
"""The values of the metrics that are read, not counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsScope:
    """The scope of an answer.

    `where` is the kind of this server. `bounds` are the UUIDs of the environments that the caller may see, or None for
    all, and with them everything that belongs to no environment. `existing` are the environments' ids by their UUIDs,
    or None if that is not known now.
    """

    where: MetricServer
    bounds: frozenset[str] | None = None
    existing: Mapping[str, str] | None = None

    def shows(self, metric: Metric) -> bool:
        """Returns whether a metric is in the answer."""
        return metric.where in (MetricServer.BOTH, self.where) and (
            self.bounds is None or metric.split is Split.ENVIRONMENT
        )

    def name_of(self, block: Block) -> str | None:
        """Returns the name for the environment of a block, or None if it is not shown."""
        if self.bounds is not None and block.uuid not in self.bounds:
            return None
        if self.existing is None or block.uuid in ("", OTHERS):
            return block.id
        return self.existing.get(block.uuid)


def exposition(table: CounterTable, readings: Readings, asked: MetricsScope, accept: str) -> tuple[bytes, str]:
    """Returns the metrics as text, and its content type. `accept` is the client's `Accept` header, or empty."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collected(table, readings, asked))
    encode, content_type = choose_encoder(accept)
    return encode(registry), content_type


class _Collected(Collector):
    """The collector that the library asks for metrics."""

    def __init__(self, table: CounterTable, readings: Readings, asked: MetricsScope) -> None:
        self._table, self._readings, self._asked = table, readings, asked

    def collect(self) -> Iterator[Any]:
        """Yields the metrics."""
        return _families(self._table, self._readings, self._asked)


def _families(table: CounterTable, readings: Readings, asked: MetricsScope) -> Iterator[Any]:
    sums, blocks = _with_ok(table.sums(), table.layout), list(_named(table.blocks(), asked))
    for metric in METRICS:
        if asked.shows(metric):
            family = _family(metric)
            _add(family, metric, table, sums, blocks, readings)
            yield family


def _with_ok(sums: list[int], layout: Layout) -> list[int]:
    """Returns the sums with the answers 200: their number, and their times among those of all 2xx."""
    for route in layout.routes:
        ok, all_2xx = (layout.at(LATENCIES, series, route) for series in (OK, ("2xx",)))
        sums[layout.at(REQUESTS, OK, route)] = sum(sums[ok : ok + SUM])
        for at in range(SUM + 1):
            sums[all_2xx + at] += sums[ok + at]
            sums[ok + at] = 0
    return sums


def _named(blocks: Iterable[Block], asked: MetricsScope) -> Iterator[tuple[str, Block]]:
    for block in blocks:
        name = asked.name_of(block)
        if name is not None:
            yield name, block


def _family(metric: Metric) -> Any:
    unit = metric.unit if metric.unit in _LIBRARY_UNITS and metric.kind is not MetricType.COUNTER else ""
    family = HistogramMetricFamily if metric.kind is MetricType.HISTOGRAM else _FAMILIES[metric.kind]
    return family(metric.name, metric.help, labels=metric.all_labels, unit=unit)


def _add(
    family: Any,
    metric: Metric,
    table: CounterTable,
    sums: list[int],
    blocks: Iterable[tuple[str, Block]],
    readings: Readings,
) -> None:
    match metric.split:
        case Split.READ:
            for series, value in readings.get(metric, {}).items():
                family.add_metric(series, value)
        case Split.ENVIRONMENT:
            for labels, value in _of_environments(metric, table, blocks).items():
                family.add_metric(labels, value)
        case Split.NOTHING:
            for series in metric.series:
                _add_cells(family, metric, series, sums, table.layout.at(metric, series))
        case Split.ROUTE:
            for route in table.layout.routes:
                for series in metric.series:
                    at = table.layout.at(metric, series, route)
                    if any(sums[at : at + width(metric)]):  # most statuses never come on most routes
                        _add_cells(family, metric, (*route, *series), sums, at)


def _add_cells(family: Any, metric: Metric, labels: Series, sums: list[int], at: int) -> None:
    if metric.kind is MetricType.HISTOGRAM:
        counts = accumulate(sums[at : at + SUM])
        family.add_metric(labels, [*map(list, zip(_EDGES, counts, strict=True))], sums[at + SUM] / _NANO)
    else:
        family.add_metric(labels, sums[at])


def _of_environments(metric: Metric, table: CounterTable, blocks: Iterable[tuple[str, Block]]) -> dict[Series, float]:
    """Returns the values by labels: the sum of the workers, or of a gauge their least one.

    Every reason code has its series from the beginning: a rate needs a first 0.
    """
    found: dict[Series, float] = {}
    for name, block in blocks:
        for series in metric.series:
            value, labels = block.values[table.layout.at(metric, series)], (name, *series)
            if metric.kind is MetricType.COUNTER:
                found[labels] = found.get(labels, 0) + value
            elif value:  # 0 means that there is none
                scaled = (value - 1) / _NANO if metric.unit == "seconds" else value - 1
                found[labels] = min(found.get(labels, scaled), scaled)
    return found
