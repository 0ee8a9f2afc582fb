"""The pace of a body: when it has to be complete, by how much of it has come."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Pace:
    """A body that began at `started`, in the seconds of some clock.

    It may take `seconds`, and longer while it comes at `rate` bytes a second on average, with no pause of `seconds`.
    """

    seconds: float
    rate: int
    started: float
    _bytes: int = 0
    _last: float = field(init=False)

    def __post_init__(self) -> None:
        self._last = self.started

    def add(self, count: int, now: float) -> None:
        """Note that `count` bytes came."""
        self._bytes += count
        self._last = now

    @property
    def due(self) -> float:
        """When it has to be complete, if nothing comes any more.

        >>> upload = Pace(seconds=30.0, rate=1_000, started=100.0)
        >>> upload.add(20_000, 105.0)
        >>> upload.due
        130.0
        >>> upload.add(50_000, 129.0)
        >>> upload.due
        159.0
        """
        return min(self._last + self.seconds, self.started + max(self.seconds, self._bytes / self.rate))
