"""The figures of a turn."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Self


class Failed(Exception):
    """Some requests were not answered by a 200; the message says which."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How often every row has its turn, and for how long."""

    rounds: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Figures:
    """Requests in a second, the server's processor time for one, and the latencies; all times in microseconds.

    `answered` requests came to that, and `lost` connections did not last.
    """

    rate: float
    processor: float
    p50: float
    p99: float
    p999: float
    answered: int
    lost: int = 0

    @property
    def spread(self) -> float:
        """How many times as long the slowest hundredth waits as the middle."""
        return self.p99 / self.p50

    @classmethod
    def middle(cls, turns: Sequence[Self]) -> Self:
        """Returns the median of each figure. Answers and lost connections are added up."""
        middles = {name: median(getattr(turn, name) for turn in turns) for name in _MEASURED}
        return cls(**middles, answered=sum(turn.answered for turn in turns), lost=sum(turn.lost for turn in turns))


_MEASURED = ("rate", "processor", "p50", "p99", "p999")
