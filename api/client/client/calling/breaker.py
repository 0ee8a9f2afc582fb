"""A circuit breaker: after some failures in a row, no call is made for a moment, and then a single one tries."""

import threading
from collections.abc import Callable
from typing import Final, NamedTuple

from .errors import CircuitOpen

MOST_FAILURES: Final = 5
"""The failures in a row that open the circuit."""

OPEN_SECONDS: Final = 1.0
"""The time for which it stays open, give or take a half, so that many clients don't come back together."""


class Permit(NamedTuple):
    """The permission of a call. `period` is the state of the circuit that it began in."""

    period: int


class Breaker:
    """The circuit to one decision point. `name` is that, for messages. Any thread may use it.

    Each call that `admit` lets through ends with `succeeded`, `failed` or `abandoned`. A period ends when the circuit
    opens or closes, and when a call tries it. The end of a call of an earlier period says nothing about this one.
    """

    def __init__(self, name: str, clock: Callable[[], float], random: Callable[[], float]):
        """`clock` gives the seconds of a monotonic clock, and `random` numbers from 0 to 1."""
        self._name, self._clock, self._random = name, clock, random
        self._lock = threading.Lock()
        self._period = 0
        self._failures = 0
        self._closed_from: float | None = None

    def admit(self, seconds: float) -> Permit:
        """Let a call through, which takes some `seconds` at most.

        Raises CircuitOpen while the circuit is open, or while another call tries it.
        """
        with self._lock:
            now = self._clock()
            if self._closed_from is not None:
                if now < self._closed_from:
                    raise CircuitOpen(
                        f"{self._name} is not asked for a moment, since {self._failures} calls in a row failed"
                    )
                # This call tries. If its end is never told, as when its event loop is gone, another one tries then.
                self._period += 1
                self._closed_from = now + seconds
            return Permit(self._period)

    def succeeded(self, permit: Permit) -> None:
        """An answer came: close the circuit."""
        with self._lock:
            if permit.period == self._period:
                self._failures = 0
                if self._closed_from is not None:
                    self._closed_from = None
                    self._period += 1

    def failed(self, permit: Permit) -> None:
        """No answer came, or one that says that the service can't work now."""
        with self._lock:
            if permit.period == self._period:
                self._failures += 1
                if self._closed_from is not None or self._failures >= MOST_FAILURES:
                    self._closed_from = self._clock() + OPEN_SECONDS * (0.5 + self._random())
                    self._period += 1

    def abandoned(self, permit: Permit) -> None:
        """The call was given up, which says nothing. If it tried the circuit, another one may."""
        with self._lock:
            if permit.period == self._period and self._closed_from is not None:
                self._closed_from = self._clock()
                self._period += 1
