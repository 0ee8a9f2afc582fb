"""What a decision log adds to a decision in process: `python -m tests.bench.embedded_log [--rounds N]`.

The same evaluation is decided in turns: by an engine, by the same engine with a decision log, and with one whose masks
change each record. The figures are medians of rounds, of the time until the answer, and of the processor time with that
of the thread that writes, which is waited for.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from writ import DecisionLog, Engine

from tests.bench.expected import Expected
from tests.bench.models import Document, company
from tests.bench.requests import hot
from tests.support.bundling import bundle_file

POLICIES = 100
DECISIONS = 5_000
"""The decisions of a turn."""

MASKS = {"*": [{"path": "$.subject.id", "do": "drop"}]}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model, now = company(POLICIES), time.time()
        engine = Engine.open(bundle_file(model, Path(folder) / "model.bundle"))
        show(measured(engine, hot(Expected(model, now)), Path(folder), options.rounds))


def measured(engine: Engine, request: Document, folder: Path, rounds: int) -> dict[str, tuple[float, float]]:
    """The microseconds of a decision: until its answer, and of the processor."""
    found: dict[str, list[tuple[float, float]]] = {}
    for number in range(rounds + 1):
        for name, options in (("without", None), ("log", {}), ("log, masked", {"masks": MASKS})):
            processor = time.process_time_ns()
            if options is None:
                wall = timed(engine.decide, request)
            else:
                with DecisionLog(folder / "log", **options) as log:  # its end waits until all is written
                    wall = timed(log.engine(engine).decide, request)
                assert log.written == DECISIONS, log.dropped
            spent = wall / DECISIONS / 1e3, (time.process_time_ns() - processor) / DECISIONS / 1e3
            if number:  # the first turn fills caches
                found.setdefault(name, []).append(spent)
    return {name: (median(one for one, _ in all_), median(two for _, two in all_)) for name, all_ in found.items()}


def timed(decide: Callable[[Document], object], request: Document) -> int:
    """The nanoseconds of a turn."""
    began = time.perf_counter_ns()
    for _ in range(DECISIONS):
        decide(request)
    return time.perf_counter_ns() - began


def show(found: dict[str, tuple[float, float]]) -> None:
    """Print a line for each way."""
    wall, processor = found["without"]
    for name, (one, two) in found.items():
        print(f"{name:12} {one:6.2f} µs ({one / wall:5.2f}), processor {two:6.2f} µs ({two / processor:5.2f})")


if __name__ == "__main__":
    main()
