"""The decision lane that passes each answered request to the access log and to traces."""

from functools import lru_cache
from http import HTTPStatus
from time import perf_counter_ns
from typing import Final

from ...endpoints.decisions.lane import MOST_TARGETS, DecisionLane, Head, LaneDecision, route_of_call
from ...endpoints.gateway.front import route_of_target
from ...http.caller import CALLER, SERVICE
from .answered import Observer, answer_of

_call_route: Final = lru_cache(MOST_TARGETS)(route_of_call)


class ObservedLane:
    """A decision lane (see `transport.lane_calls.Lane`). What it leaves to the application is told there."""

    def __init__(self, lane: DecisionLane, observer: Observer, is_secure: bool) -> None:
        """`is_secure` is whether the service has TLS. The guard of `lane` notes whom it admits."""
        self._lane, self._observer, self._is_secure = lane, observer, is_secure
        self.takes, self.serves = lane.takes, lane.serves

    def answer(self, request: Head, body: bytes) -> LaneDecision | None:
        """See `DecisionLane`."""
        began = perf_counter_ns()
        CALLER.set(SERVICE)
        answer = self._lane.answer(request, body)
        if answer is not None:
            route = _call_route(request.target), request.method
            self._report(request, route, HTTPStatus.OK.value, began, len(answer[2]))
        return answer

    def outcome(self, request: Head, peer: str) -> tuple[int, bytes, bytes] | None:
        """See `DecisionLane`."""
        began = perf_counter_ns()
        CALLER.set(SERVICE)
        found = self._lane.outcome(request, peer)
        if found is not None:
            status, _, body = found
            route = route_of_target(request.target), request.method
            size = 0 if request.method == "HEAD" else len(body)
            self._report(request, route, status, began, size)
        return found

    def _report(self, request: Head, route: tuple[str, str], status: int, began: int, size: int) -> None:
        told = answer_of(route, status, began, size, request.fields, self._is_secure, request.id)
        self._observer.answered(told)
