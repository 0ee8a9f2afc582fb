"""What is printed: the table, and the aims of the transport beside what was measured."""

import json
import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

from tests.bench.http.contest import (
    A_BATCH,
    CROWD,
    DECIDED_FILTER,
    EVALUATION,
    FULL,
    LARGE_CROWD,
    OPEN_FILTER,
    OVER_TLS,
    ROWS,
    Entrant,
    Row,
)
from tests.bench.http.opa_service import BARE

HEAD = f"{'':30}{'':12}{'a second':>10}{'µs':>10}{'p50 ms':>9}{'p99 ms':>9}{'p99.9 ms':>10}{'× Writ':>8}"

TIMES_AS_MANY = ((EVALUATION, 5, 25), (A_BATCH, 10, 35), (OPEN_FILTER, 18, 100), (DECIDED_FILTER, 18, 100))
"""How many times as many requests as OPA without a token, and as Cerbos, Writ aims to answer in the same time."""

MOST_SPREAD, LEAST_OVER_TLS, MOST_FOR_TWO_WORKERS, MOST_KIBIBYTES = 3, 0.6, 1.1, 20


@dataclass(frozen=True, slots=True)
class Aim:
    """A figure to reach: at least `wanted`, or at most."""

    name: str
    measured: float
    wanted: float
    least: bool

    @property
    def met(self) -> bool:
        """Whether it is reached."""
        return self.measured >= self.wanted if self.least else self.measured <= self.wanted

    def __str__(self) -> str:
        bound = f"at {'least' if self.least else 'most'} {self.wanted:g}"
        return f"{self.name:52}{self.measured:8.2f}   {bound:14}{'met' if self.met else 'MISSED'}"


@dataclass(slots=True)
class Report:
    """All that was measured, by the generator of that name; Writ is the first of the `entrants`."""

    generator: str
    entrants: Sequence[Entrant]
    skipped: dict[str, str]
    workers_ratio: float
    smaller_share: float
    idle_kibibytes: float
    resumed: dict[str, float] = field(default_factory=dict)

    def aims(self) -> Iterator[Aim]:
        """Yields the aims that can be judged."""
        writ, *others = self.entrants
        for row, *wanted in TIMES_AS_MANY:
            for name, times in zip((BARE, "Cerbos"), wanted, strict=True):
                for other in (one for one in others if one.service.name == name):
                    yield Aim(f"{row.title}: times as many as {name}", _times(other, writ, row), times, True)
        for other in (one for one in others if one.service.name == BARE):
            yield Aim("full handshake: times as many as OPA", _times(other, writ, FULL), 1, True)
        for row in (EVALUATION, CROWD):
            spread = median(turn.spread for turn in writ.turns[row])
            yield Aim(f"p99 ÷ p50 at {row.connections} connections", spread, MOST_SPREAD, False)
        for row in (CROWD, LARGE_CROWD):
            yield Aim(f"lost connections, of {row.connections:,}", writ.figures(row).lost, 0, False)
        slower = median(
            plain.processor / tls.processor
            for plain, tls in zip(writ.turns[EVALUATION], writ.turns[OVER_TLS], strict=True)
        )
        yield Aim("TLS: share of the evaluations without it", slower, LEAST_OVER_TLS, True)
        yield Aim("two workers: processor time beside one's", self.workers_ratio, MOST_FOR_TWO_WORKERS, False)
        yield Aim("KiB for an idle connection", self.idle_kibibytes, MOST_KIBIBYTES, False)

    def text(self) -> str:
        """Returns the report for people."""
        lines = [_machine(), f"load: {self.generator}", *(_introduced(one) for one in self.entrants)]
        lines += [f"{name}: skipped, since {reason}" for name, reason in self.skipped.items()]
        lines += ["", HEAD]
        for row in ROWS:
            for number, entrant in enumerate(self.entrants):
                lines.append(_line("" if number else row.title, entrant, row, self.entrants[0]))
        lines += ["", *(_remembered(one) for one in self.entrants), ""]
        lines += [f"resumed handshakes with two workers, {name}: {share:.0%}" for name, share in self.resumed.items()]
        lines += [f"share of the less busy of two workers: {self.smaller_share:.0%}", "", *map(str, self.aims())]
        return "\n".join(lines)

    def json(self) -> str:
        """Returns the report for programs."""
        rows: list[dict[str, Any]] = [
            {"row": row.title, "service": one.service.name, **asdict(one.figures(row))}
            for row in ROWS
            for one in self.entrants
        ]
        services = {
            one.service.name: {
                "version": one.service.version,
                "credential": one.service.credential,
                "memory": one.memory and asdict(one.memory),
            }
            for one in self.entrants
        }
        return json.dumps(
            {
                "machine": _machine(),
                "load": self.generator,
                "services": services,
                "skipped": self.skipped,
                "rows": rows,
                "resumed": self.resumed,
                "smaller_share": self.smaller_share,
                "aims": [asdict(aim) | {"met": aim.met} for aim in self.aims()],
            },
            indent=1,
        )


def _machine() -> str:
    load = f"{os.getloadavg()[1]:.1f} processes wanted one in the last five minutes"
    return f"{os.cpu_count()} cores ({platform.machine()}), one for the server and one for the client; {load}"


def _introduced(entrant: Entrant) -> str:
    return f"{entrant.service.name} {entrant.service.version}: checks {entrant.service.credential}"


def _line(title: str, entrant: Entrant, row: Row, writ: Entrant) -> str:
    own = entrant.figures(row)
    times = "" if entrant is writ else f"{_times(entrant, writ, row):8.1f}"
    latencies = f"{own.p50 / 1e3:9.2f}{own.p99 / 1e3:9.2f}{own.p999 / 1e3:10.2f}"
    lost = f"   {own.lost:,.0f} connections lost" if own.lost else ""
    return f"{title:30}{entrant.service.name:12}{own.rate:10,.0f}{own.processor:10,.1f}{latencies}{times:8}{lost}"


def _remembered(entrant: Entrant) -> str:
    taken = entrant.memory
    assert taken is not None
    return f"memory of {entrant.service.name}: {taken.resident >> 20} MiB (RSS), {taken.proportional >> 20} MiB (PSS)"


def _times(other: Entrant, writ: Entrant, row: Row) -> float:
    """How many times the processor time of Writ another takes: the median over the rounds."""
    return median(own.processor / base.processor for own, base in zip(other.turns[row], writ.turns[row], strict=True))
