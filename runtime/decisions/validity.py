"""The validity of an answer to an evaluation: until the first instant at which the clock gives another one."""

from collections.abc import Iterable, Iterator
from typing import Final

from ...bundles.conditions.instants import from_seconds, seconds_not_before
from ...bundles.conditions.window_changes import next_change
from ...bundles.event_loop import refuse_on_event_loop
from ...bundles.program.clauses import AgainstNow, Atom, During
from ..requests.evaluation_request import EvaluationRequest
from ..rules.against_now import boundary, now_value
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

    Instants are in epoch seconds. It depends on time windows, on comparisons with `now` (X5), and on the starts and
    expiries of assignments and grants.
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
        """Returns the first instant after `at` at which a role, a grant or the clock may change the answer."""
        if specialised is None:
            return FOREVER
        edges = (*self._grant_edges(holder, specialised, at), *self._window_edges(sid, holder, specialised, at))
        return min(holder.until, *edges, FOREVER)

    def _grant_edges(self, holder: Holder, specialised: Specialised, at: float) -> Iterator[float]:
        rid = self._resource_id(specialised)
        if rid is None:
            return
        for grant in self._snapshot.grants_on(holder, specialised.type, rid):
            yield from (edge for edge in (grant.starts, grant.expires) if at < edge)

    def _window_edges(self, sid: str | None, holder: Holder, specialised: Specialised, at: float) -> Iterator[float]:
        """Yields the next edges that may matter: but for the clock, their rule would count."""
        if not self._reads_clock:
            return
        rid = self._resource_id(specialised)
        denies, is_denied = self._open(specialised.denies, sid, holder, rid, at)
        grants = self._snapshot.grants(holder, specialised.type, rid, at)
        is_granted = by_grant(self._snapshot, grants, self._action) is not None
        allows, is_allowed = ([], True) if is_granted else self._open(specialised.allows, sid, holder, rid, at)
        yield from denies
        if not (is_denied and is_allowed):  # a denial does not name the permission that it overrides
            yield from allows

    def _open(
        self, rules: Iterable[Rule], sid: str | None, holder: Holder, rid: str | None, at: float
    ) -> tuple[list[float], bool]:
        """Returns the next edges of rules that may hold, at some time, and whether one holds from now on.

        The rules are in the order in which they are reported. What comes after one that always holds is never reported.
        """
        edges: list[float] = []
        for rule in rules:
            later = self._edges(rule, sid, holder, rid, at) if rule.body.timed else []
            if later and self._may_hold(rule, sid, holder, rid, at):
                edges += later
            elif self._holds(rule, sid, holder, rid, at):
                return edges, True
        return edges, False

    def _edges(self, rule: Rule, sid: str | None, holder: Holder, rid: str | None, at: float) -> list[float]:
        """Returns the next instant after `at` at which each condition of a rule that reads the clock may change."""
        found = (self._change(atom, sid, holder, rid, at) for atom in rule.clause.body)
        edges = (seconds_not_before(instant) for instant in found if instant is not None)
        return [edge for edge in edges if at < edge]

    def _change(self, atom: Atom, sid: str | None, holder: Holder, rid: str | None, at: float) -> int | None:
        match atom:
            case During(window):
                return next_change(window, self._snapshot.state.zone(window.timezone), from_seconds(at))
            case AgainstNow():
                value = now_value(atom, self._rtype)
                return boundary(atom, value(self._stype, sid, self._s, rid, self._r, self._a, self._c, holder, at))
            case _:
                return None

    def _may_hold(self, rule: Rule, sid: str | None, holder: Holder, rid: str | None, at: float) -> bool:
        """Returns whether the conditions of a rule that don't read the clock hold."""
        pairs = zip(rule.clause.body, rule.body.by_atom, strict=True)
        return all(
            test(self._stype, sid, self._s, rid, self._r, self._a, self._c, holder, at)
            for atom, test in pairs
            if not isinstance(atom, During | AgainstNow)
        )

    def _holds(self, rule: Rule, sid: str | None, holder: Holder, rid: str | None, at: float) -> bool:
        tests = rule.body.tests
        return all(test(self._stype, sid, self._s, rid, self._r, self._a, self._c, holder, at) for test in tests)


def _is_same(one: Answer, other: Answer) -> bool:
    return one.allowed == other.allowed and one.context == other.context
