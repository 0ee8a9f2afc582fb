"""Makes what tells of requests, as the settings ask for it, and runs it in the workers of a server."""

import logging
from collections.abc import Callable, Sequence
from typing import Any, Final

from ..decisions.lane import DecisionLane
from ..gateway.answering import Answers
from ..settings import ON, Settings
from ..transport.lane_calls import Lane
from .access_log import AccessLog
from .answered import refusal
from .application import ObservedApplication
from .checks import ObservedChecks
from .lane import ObservedLane
from .waiting import Teller, Waiting

STOP_SECONDS: Final = 3.0
"""The time that a worker which stops gives to what is not told yet."""


class Observing:
    """Tells of the requests of a server. Without tellers it changes nothing: the parts of the server stay as they are.

    `is_on` is whether there are tellers.
    """

    def __init__(self, tellers: Sequence[Teller], log: logging.Logger, is_secure: bool) -> None:
        """`is_secure` is whether the server has TLS."""
        self.is_on, self._is_secure = bool(tellers), is_secure
        self._waiting = Waiting(tellers, log)

    def application(self, behind: Any) -> Any:
        """Returns an ASGI application that tells of the requests that `behind` answers."""
        return ObservedApplication(behind, self._waiting) if self.is_on else behind

    def lane(self, lane: DecisionLane) -> Lane:
        """Returns a lane that tells of what `lane` answers."""
        return ObservedLane(lane, self._waiting, self._is_secure) if self.is_on else lane

    def checks(self, answering: Answers) -> Answers:
        """Returns what tells of the checks that `answering` answers."""
        return ObservedChecks(answering, self._waiting, self._is_secure) if self.is_on else answering

    def refused(self, counted: Callable[[int], None]) -> Callable[[int], None]:
        """Returns what tells of an answer to what could not be read as a request, after `counted`."""
        if not self.is_on:
            return counted

        def told(status: int) -> None:
            counted(status)
            self._waiting.answered(refusal(int(status), self._is_secure))

        return told

    def start_worker(self, place: int) -> None:
        """Start to tell, in a forked worker, at its place."""
        if self.is_on:
            self._waiting.start_worker(place)

    def end_worker(self) -> None:
        """Tell of what waits, for `STOP_SECONDS` at most."""
        if self.is_on:
            self._waiting.stop(STOP_SECONDS)


def observing(settings: Settings, log: logging.Logger, is_secure: bool) -> Observing:
    """Returns what tells of requests. `is_secure` is whether the server has TLS."""
    tellers: list[Teller] = []
    if settings.access_log == ON:
        tellers.append(AccessLog(settings.log_format))
    return Observing(tellers, log, is_secure)
