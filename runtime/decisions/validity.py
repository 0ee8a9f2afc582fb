"""The validity of an answer to an evaluation: until the first instant at which the clock gives another one."""

from collections.abc import Iterable, Iterator
from typing import Final

from ...bundles.conditions.instants import from_seconds, seconds_not_before
from ...bundles.conditions.window_changes import next_change
from ...bundles.conditions.windows import TimeWindow
from ...bundles.event_loop import refuse_on_event_loop
from ...bundles.program.clauses import During
from ..requests.evaluation_request import EvaluationRequest
from ..rules.reasons import NOT_DECLARED, Answer
from ..rules.rule import Rule
from ..rules.specialise import Specialised
from ..snapshot import FOREVER, Holder, Snapshot
from .decide import specialised_for, subject_of
from .judge import by_grant, judge

TRIED_INSTANTS: Final = 32
"""If an answer outlives so many changes of windows, roles and grants, it counts as valid until the last of them."""


def valid_until(snapshot: Snapshot, request: EvaluationRequest, now: float) -> float:
    """Returns the first instant after `now` at which the same revision gives another answer, or infinity.

    Instants are in epoch seconds. It depends on time windows, and on the starts and expiries of assignments and grants.
    If a rate limit takes part, each evaluation may change the answer, and the result is `now` itself (C10). Raises
    TakesLong on an event loop, if there is anything to try.
    """
    return _TimedRequest(snapshot, request).until(now)


class _TimedRequest:
    """A request whose answer is tried at later instants. Nothing that lies ahead is cached."""

    def __init__(self, snapshot: Snapshot, request: EvaluationRequest):
        self._snapshot = snapshot
        self._stype, self._by, self._sname, self._s, self._action, self._a = request[:6]
        self._rtype, self._resource_by, self._rname, self._r, self._c = request[6:11]
        # A window reads the time of the request, if it has one (C8).
        self._reads_clock = self._c.get("time") is None

    def until(self, now: float) -> float:
        """See `valid_until`."""
        sid, holder = subject_of(self._snapshot, self._stype, self._by, self._sname, now)
        specialised = self._specialised(holder)
        if specialised is not None and specialised.limited_indexes:
            return now
        at = self._next(sid, holder, specialised, now)
        if at == FOREVER:
            return at
        refuse_on_event_loop()
        first = self._answer(sid, holder, specialised, now)
        for _ in range(TRIED_INSTANTS):
            if at == FOREVER:
                break
            holder = holder if sid is None else self._snapshot.holder_at(self._stype, sid, at)
            specialised = self._specialised(holder)
            if specialised is not None and specialised.limited_indexes:
                break
            if not _is_same(self._answer(sid, holder, specialised, at), first):
                break
            last, at = at, self._next(sid, holder, specialised, at)
        else:
            return last
        return at

    def _specialised(self, holder: Holder) -> Specialised | None:
        return specialised_for(self._snapshot, holder, self._rtype, self._action)

    def _resource_id(self, specialised: Specialised) -> str | None:
        if self._resource_by == "id":
            return self._rname
        return self._snapshot.state.resource_id(specialised.type, self._resource_by, self._rname)

    def _answer(self, sid: str | None, holder: Holder, specialised: Specialised | None, at: float) -> Answer:
        if specialised is None:
            return NOT_DECLARED
        rid = self._resource_id(specialised)
        return judge(
            self._snapshot,
            holder,
            specialised,
            self._stype,
            sid,
            self._s,
            self._action,
            self._a,
            rid,
            self._r,
            self._c,
            at,
        )

    def _next(self, sid: str | None, holder: Holder, specialised: Specialised | None, at: float) -> float:
        """Returns the first instant after `at` at which a role, a grant or a window may change the answer."""
        if specialised is None:
            return FOREVER
        edges = (*self._grant_edges(holder, specialised, at), *self._window_edges(sid, holder, specialised, at))
        return min(holder.until, *edges, FOREVER)

    def _grant_edges(self, holder: Holder, specialised: Specialised, at: float) -> Iterator[float]:
        rid = self._resource_id(specialised)
        if rid is None or not holder.grants:
            return
        for grant in self._snapshot.state.grants(holder.grants, specialised.type, rid):
            yield from (edge for edge in (grant.starts, grant.expires) if at < edge)

    def _window_edges(self, sid: str | None, holder: Holder, specialised: Specialised, at: float) -> Iterator[float]:
        """Yields the next edge of each window that may matter: without it, its rule would count."""
        if not self._reads_clock:
            return
        rid = self._resource_id(specialised)
        denies, is_denied = self._open(specialised.denies, sid, rid, at)
        grants = self._snapshot.grants(holder, specialised.type, rid, at)
        is_granted = by_grant(self._snapshot, grants, self._action) is not None
        allows, is_allowed = ([], True) if is_granted else self._open(specialised.allows, sid, rid, at)
        yield from denies
        if not (is_denied and is_allowed):  # a denial does not name the permission that it overrides
            yield from allows

    def _open(self, rules: Iterable[Rule], sid: str | None, rid: str | None, at: float) -> tuple[list[float], bool]:
        """Returns the next edges of the windows of rules that hold now or at that edge, and whether one always holds.

        The rules are in the order in which they are reported. What comes after one that always holds is never reported.
        """
        edges: list[float] = []
        for rule in rules:
            window = next((atom.window for atom in rule.clause.body if isinstance(atom, During)), None)
            if window is None:
                if self._holds(rule, sid, rid, at):
                    return edges, True
                continue
            edge = self._edge(window, at)
            if edge != FOREVER and (self._holds(rule, sid, rid, at) or self._holds(rule, sid, rid, edge)):
                edges.append(edge)
            elif self._holds(rule, sid, rid, at):
                return edges, True
        return edges, False

    def _edge(self, window: TimeWindow, at: float) -> float:
        found = next_change(window, self._snapshot.state.zone(window.timezone), from_seconds(at))
        return FOREVER if found is None else seconds_not_before(found)

    def _holds(self, rule: Rule, sid: str | None, rid: str | None, at: float) -> bool:
        tests = rule.body.tests
        return all(test(self._stype, sid, self._s, rid, self._r, self._a, self._c, at) for test in tests)


def _is_same(one: Answer, other: Answer) -> bool:
    return one.allowed == other.allowed and one.context == other.context
