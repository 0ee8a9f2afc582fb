"""What a group is given: a share of the time, fresh random choices, a folder, and a place for what it finds."""

import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.deep.failures import Written, write
from tests.deep.trial import Trial

MOST_WRITTEN = 3
"""Failures of one law that are written in one run: a fault that fails everywhere needs no thousand files."""

_SHOWN_EVERY = 0.5


@dataclass
class Task:
    """One group's run. `say` gets lines for the reader; `strict` makes missed figures failures."""

    name: str
    random: Random
    seconds: float
    folder: Path
    cases: Path
    seed: int
    strict: bool = False
    examples: int = 0
    failures: int = 0
    notes: list[str] = field(default_factory=list)
    begun: float = field(default_factory=time.monotonic)
    _written: Counter[str] = field(default_factory=Counter)
    _paths: set[Path] = field(default_factory=set)
    _shown: float = 0.0

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return self.begun + self.seconds - time.monotonic()

    def fresh_seed(self) -> int:
        """A seed that no run has used, if the seed of the run is fresh."""
        return self.random.getrandbits(40)

    def count(self, examples: int = 1) -> None:
        """Count examples. On a terminal, show how many there are."""
        self.examples += examples
        if sys.stderr.isatty() and time.monotonic() - self._shown > _SHOWN_EVERY:
            self._shown = time.monotonic()
            print(f"\r\033[K{self.name}: {self.examples:,} examples, {self.left:.0f} s", end="", file=sys.stderr)

    def fail(self, what: str) -> None:
        """Take down a failure that is no trial. The group's name and the run's seed reproduce it."""
        self.failures += 1
        if self.failures <= 2 * MOST_WRITTEN:
            self.note(f"FAILED: {what[:2_000]}\n  again: python -m tests.deep --group {self.name} --seed {self.seed}")

    def fail_trial(self, trial: Trial, what: str) -> Written | None:
        """Take down a trial that failed, as a case file or a line of JSON that the ordinary suite runs."""
        self.failures += 1
        self._written[trial.law] += 1
        if self._written[trial.law] > MOST_WRITTEN:
            return None
        written = write(trial, self.cases, f"python -m tests.deep --group {self.name} --seed {self.seed}")
        if written.path not in self._paths:
            self._paths.add(written.path)
            self.note(f"FAILED: {trial.law}, written to {written.path.name}\n  {' '.join(what.split())[:500]}")
        return written

    def note(self, line: str) -> None:
        """Keep a line for the summary."""
        self.notes.append(line)
