"""The decision lane: ordinary decision calls, answered by the connection itself without the HTTP application.

The lane adds no rule. It calls the guard, the reading of bodies and the functions that the application's
handlers call, and it only ever gives a 200. It leaves everything else to the application: a credential that the worker
does not remember, a fault of any kind, and work that may take long. Leaving is safe: a decision changes nothing but
the counters of rate limits, and a request that the lane leaves to the application is not counted twice (C10).
"""

import re
from collections.abc import Callable, Mapping
from http import HTTPStatus
from time import perf_counter_ns
from typing import Final, Protocol, TypeAlias

from ....runtime import Engine
from ...http.revision_tokens import decision_lines
from ...identity.credential import Admission
from ...store.environment_ids import DEFAULT
from ...telemetry.decision_log.decision_ids import IDS
from ...telemetry.decision_log.decision_log import NO_LOG, Log
from ...telemetry.log_lines import TRACE
from ...telemetry.metrics.counter_layout import LAST, SHIFT, SUM
from ...telemetry.metrics.counts import Counts
from .admissions import Admissions
from .lane_answers import AnswersAtOnce

IN_ENVIRONMENT: Final = "/environments/{env}"
"""The beginning of the path templates of a named environment."""

DECISIONS: Final = "/access/v1/"
"""The beginning of the paths of decision calls in the default environment."""

MOST_TARGETS: Final = 4_096
"""Targets of named environments that are remembered."""

_TARGET: Final = re.compile(rb"(?:/environments/([A-Za-z0-9._~-]+))?/access/v1/([a-z/]+)")


class Head(Protocol):
    """The head of a request, as the connection has read it."""

    @property
    def target(self) -> bytes: ...

    @property
    def method(self) -> str: ...

    @property
    def headers(self) -> list[tuple[bytes, bytes]]: ...

    @property
    def fields(self) -> Mapping[bytes, bytes]: ...

    @property
    def repeats(self) -> bool: ...

    @property
    def id(self) -> bytes: ...

    admission: Admission | None
    """The last admission of a request with this head, if the lane has kept one."""


LaneDecision: TypeAlias = tuple[bytes, bytes, bytes]
"""Header lines up to the id of a decision, that id, and the decision as JSON."""

Gateways: TypeAlias = Callable[[Head, str], "tuple[int, bytes, bytes] | None"]
"""Returns status, header lines and body for a gateway's request from the address of a peer, or None for another one."""

_GATEWAY: Final = b"/gateway/"
_NAMED: Final = b"/environments/"


class DecisionLane:
    """See the module. `calls` are the lane's answers by the path below `/access/v1/`."""

    def __init__(
        self,
        admissions: Admissions,
        calls: dict[bytes, AnswersAtOnce],
        counts: Counts,
        gateways: Gateways | None = None,
        log: Log = NO_LOG,
    ) -> None:
        """`gateways` answers gateways."""
        self._admissions, self._again = admissions, admissions.again
        self._calls, self._gateways, self._counts, self._log = calls, gateways, counts, log
        self._told: Engine | None = None
        self._revision = b""
        self._targets: dict[bytes, tuple[str, AnswersAtOnce, int]] = {}

    def takes(self, target: bytes) -> bool:
        """Returns whether a POST to `target` may be answered here."""
        return target in self._targets or self._learn(target)

    def _learn(self, target: bytes) -> bool:
        found = _TARGET.fullmatch(target)
        call = None if found is None else self._calls.get(found[2])
        if found is None or call is None or found[1] == DEFAULT.encode():  # an agent may have to refuse that name
            return False
        if len(self._targets) >= MOST_TARGETS:
            self._targets.clear()
        route = route_of_call(target), "POST"
        times = self._counts.cells_of(route, HTTPStatus.OK).times
        self._targets[target] = found[1].decode() if found[1] else DEFAULT, call, times
        return True

    def answer(self, request: Head, body: bytes) -> LaneDecision | None:
        """Returns the parts of a 200, or None if the application has to answer."""
        began = perf_counter_ns()
        try:
            env, call, times = self._targets[request.target]
            admission, header = request.admission, request.fields[b"authorization"]
            if admission is None or not self._again(admission, header):
                admission = request.admission = self._admissions.admission(header.decode("latin-1"), env)
            engine, log = admission.engine.held(), self._log
            if log.is_on:
                moment = log.begin(began)
                answer, id = call.at_once(engine, body, moment.now), moment.id
            else:
                answer, id = call.at_once(engine, body), IDS.next()
        except Exception:  # the application meets it again, answers it and reports it
            return None
        if answer is None:
            return None
        kind, encoded = answer
        taken = perf_counter_ns() - began
        if log.is_on:
            trace = request.fields.get(TRACE)
            log.take(kind, moment, taken, engine, body, encoded, admission.credential.actor, request.id, trace)
        if engine is not self._told:  # PERF: a held engine is of one revision
            self._told, self._revision = engine, decision_lines(engine)
        # PERF: as `Counts.answered`, without a call.
        row, bucket = self._counts.row, (taken >> SHIFT).bit_length()
        row[times + (bucket if bucket < LAST else LAST)] += 1
        row[times + SUM] += taken
        return self._revision, id, encoded

    def serves(self, target: bytes) -> bool:
        """Returns whether the target is a gateway's, of any method."""
        if self._gateways is None:
            return False
        return target.startswith(_GATEWAY) or (target.startswith(_NAMED) and _GATEWAY in target)

    def outcome(self, request: Head, peer: str) -> tuple[int, bytes, bytes] | None:
        """Returns status, header lines and body for a gateway, or None if the application has to answer."""
        assert self._gateways is not None
        try:
            return self._gateways(request, peer)
        except Exception:  # as in `answer`
            return None


def route_of_call(target: bytes) -> str:
    """Returns the path template of a decision call's target, or an empty text for another target.

    >>> route_of_call(b"/environments/prod/access/v1/evaluation")
    '/environments/{env}/access/v1/evaluation'
    """
    found = _TARGET.fullmatch(target)
    return "" if found is None else f"{IN_ENVIRONMENT if found[1] else ''}{DECISIONS}{found[2].decode()}"


def lane_calls(handlers: Mapping[str, object]) -> dict[bytes, AnswersAtOnce]:
    """Returns what the lane answers: the decision calls whose handlers have an answer at once."""
    return {
        path.removeprefix(DECISIONS).encode(): handler
        for path, handler in handlers.items()
        if path.startswith(DECISIONS) and isinstance(handler, AnswersAtOnce)
    }
