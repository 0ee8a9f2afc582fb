"""Times rows of a table in turns: every row once in every round, so that a noisy machine is noisy to all alike.

Time is the processor's, spent by this process: while another process has the processor, nothing is counted. No engine
here waits for anything or starts threads, so on an idle machine it is the same as the time on the wall.
"""

import gc
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat, starmap
from statistics import median
from time import process_time_ns
from typing import Any

PASSES = 10_000
"""Passes over a row's items in one round, at most."""

MADE_AT_ONCE = 100
"""Items that are made together right before they are timed: they fit into the processor's caches."""


def per_item(call: Callable[..., Any], items: Sequence[Any], flat: bool = False) -> float:
    """Microseconds for each item, `call` being given an item, or where `flat`, an item's parts."""
    answers = (starmap if flat else map)(call, items)
    start = process_time_ns()
    deque(answers, 0)  # drives the calls without a loop of our own, which would cost as much as a look-up
    return (process_time_ns() - start) / len(items) / 1e3


@dataclass(slots=True)
class Row:
    """One engine over one list of requests: `call` answers an item, or where `flat`, an item's parts.

    Where there is `made`, it makes each item right before it is timed, as a service does that reads a request and
    decides it. Objects that were made long before lie in whatever memory was free then. That is scattered the more, the
    larger a model the program made before, and reading them took most of the time.
    """

    policies: int
    asked: str
    engine: str
    call: Callable[..., Any]
    items: Sequence[Any]
    flat: bool = False
    made: Callable[[Any], Any] | None = None
    times: list[float] = field(default_factory=list)
    _batch: Sequence[Any] = ()
    _passes: int = 1
    _every: int = 1

    def answers(self) -> Iterable[Any]:
        """The answers to all items, in order."""
        return (starmap if self.flat else map)(self.call, map(self.made, self.items) if self.made else self.items)

    def plan(self, budget: float) -> None:
        """Fit a turn into about `budget` seconds: several passes, every nth item only, or a turn in every nth round."""
        sample = self.items[: max(1, len(self.items) // 20)]
        self._time(sample)
        cost = self._time(sample) / 1e6 * len(self.items)
        step = max(1, min(len(self.items) // 20, round(cost / budget)))
        self._batch = self.items[::step]
        self._passes = max(1, min(PASSES, round(budget / cost)))
        self._every = max(1, round(cost / step / budget / 4))

    def turn(self, number: int) -> None:
        """Take the row's turn in the round of that number, where the processor's caches are the row's again."""
        if number % self._every == 0:
            if self._passes > 1:
                self._time(self._batch)
            self.times.append(self._time(list(chain.from_iterable(repeat(self._batch, self._passes)))))

    def _time(self, items: Sequence[Any]) -> float:
        if self.made is None:
            return per_item(self.call, items, self.flat)
        spent = 0.0
        for start in range(0, len(items), MADE_AT_ONCE):
            made = [self.made(item) for item in items[start : start + MADE_AT_ONCE]]
            spent += per_item(self.call, made, self.flat) * len(made)
        return spent / len(items)

    @property
    def microseconds(self) -> float:
        """The median of all rounds."""
        return median(self.times)


def measure(rows: Sequence[Row], rounds: int, budget: float) -> None:
    """Time all rows, `rounds` times in turns, each for about `budget` seconds a turn."""
    gc.collect()
    gc.freeze()  # the models and answers of this benchmark are nobody's garbage
    for row in rows:
        row.plan(budget)
    for number in range(rounds):
        for row in rows:
            row.turn(number)
    gc.unfreeze()
