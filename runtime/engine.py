"""The front door: an engine over a bundle file, with a clock."""

import time
from collections.abc import Callable, Iterable
from math import isfinite
from pathlib import Path
from typing import Any

from ..bundles.delta import Delta
from ..bundles.errors import BundleError
from ..bundles.file.reader import Bundle, open_bundle
from ..bundles.manifest import Manifest
from .decisions.decide import decide
from .decisions.explain import explain
from .limits import MemoLimits
from .requests.evaluations import read_evaluation
from .requests.members import MAX_ID_CHARACTERS, NO_ATTRIBUTES, Attributes, BadRequest
from .requests.searches import ActionSearch, ResourceSearch, SubjectSearch, read_resource_search
from .rules.attribute_index import first_rule
from .rules.attributes import NO_CLOCK
from .rules.reasons import GrantingPath
from .searches.actions import find_actions
from .searches.filtering import filter_answer, remembered_answer
from .searches.resources import ResourceJudge, judge_resources
from .searches.searchers import is_granted, undeclared
from .searches.subjects import SubjectJudge, judge_subjects
from .snapshot import Holder, Snapshot, may_be_granted
from .state.apply_deltas import advance
from .state.overlay import overlay_of


class SearchUnavailable(Exception):
    """A search is asked of a bundle that answers evaluations only (contract 7.3, design "HTTP")."""


class Engine:
    """Answers from one bundle. Thread-safe, and fork-safe: processes forked from one that holds it share the mapping.

    Values in a request are read as JSON decodes them (None, bool, int, float, str, list, dict); an attribute of any
    other Python type can't be read, so every condition on it is false (C7). Within a list or an object, such a value
    equals nothing, as a null does.
    """

    def __init__(self, bundle: Bundle, clock: Callable[[], float] = time.time, limits: MemoLimits | None = None):
        """`clock` gives epoch seconds."""
        self._clock = clock
        self._limits = limits or MemoLimits()
        self._snapshot = Snapshot(bundle, self._limits)

    @classmethod
    def open(cls, path: str | Path, clock: Callable[[], float] = time.time) -> "Engine":
        """Map the bundle at `path`, trusting its origin.

        Raises BundleError where it is damaged, foreign or newer than this Writ, OSError where it can't be read.
        """
        return cls(open_bundle(path), clock)

    @property
    def manifest(self) -> Manifest:
        """What the bundle in force is of."""
        return self._snapshot.state.manifest

    @property
    def revision(self) -> int:
        """The revision of the model that is in force."""
        return self._snapshot.state.revision

    def advance(self, deltas: Iterable[Delta]) -> None:
        """Put the deltas that follow the revision in force into force, all at once.

        To be called by one thread at a time; requests keep the snapshot that they started with. Raises BundleError
        where they do not follow it, which leaves it in force.
        """
        snapshot, ordered = self._snapshot, list(deltas)
        if ordered:
            self._snapshot = snapshot.follow(*advance(overlay_of(snapshot.state), ordered))

    def replace(self, bundle: Bundle, deltas: Iterable[Delta] = ()) -> None:
        """Put another bundle of the same environment into force, and the deltas that follow it; else as `advance`."""
        ordered = list(deltas)
        self._snapshot = Snapshot(advance(overlay_of(bundle), ordered)[0] if ordered else bundle, self._limits)

    def decide(self, request: dict[str, Any], now: float | None = None) -> dict[str, Any]:
        """The decision response (contract 2.5) to an AuthZEN evaluation request; `now` in epoch seconds.

        With `options.explain` true the response carries the proof (D10). Raises BadRequest for a malformed request,
        BundleError where a damaged part of the bundle is needed.

        PERF: the plainest question (a known subject without grants on the resource, an open type, no clock; ids, at
        most `properties`) is read, looked up and tested in one go. Finding a name in a dictionary of names that passed
        the model's checks is its validation. Anything else goes the careful way, which a law in the tests holds equal.
        """
        try:
            subject, action, resource = request["subject"], request["action"], request["resource"]
            stype, sid, name, rid = subject["type"], subject["id"], action["name"], resource["id"]
            holder = self._snapshot.holders[stype][sid]
            left = holder.roles.left[resource["type"]][name]
            s, r = subject.get("properties", NO_ATTRIBUTES), resource.get("properties", NO_ATTRIBUTES)
            a, c = action.get("properties", NO_ATTRIBUTES), request.get("context", NO_ATTRIBUTES)
        except (KeyError, TypeError, AttributeError, IndexError):
            return self._decide_carefully(request, now)
        if (
            (holder.plain or self._is_as_good_as_plain(holder, left.type, rid, now))
            and left.plain
            and s.__class__ is r.__class__ is c.__class__ is a.__class__ is dict
            and rid.__class__ is str
            and 0 < len(rid) <= MAX_ID_CHARACTERS
            and len(subject) == (2 if s is NO_ATTRIBUTES else 3)
            and len(resource) == (2 if r is NO_ATTRIBUTES else 3)
            and "options" not in request
        ):
            for test, rest, override, explicit in left.deny_tests:
                if test(stype, sid, s, rid, r, a, c, NO_CLOCK):
                    for test in rest:
                        if not test(stype, sid, s, rid, r, a, c, NO_CLOCK):
                            break
                    else:
                        permitted = first_rule(left.allow_searches, stype, sid, s, rid, r, a, c, NO_CLOCK)
                        return {"decision": False, "context": (override if permitted else explicit).context.copy()}
            for test, rest, _, answer in left.allow_tests:
                if test(stype, sid, s, rid, r, a, c, NO_CLOCK):
                    for test in rest:
                        if not test(stype, sid, s, rid, r, a, c, NO_CLOCK):
                            break
                    else:
                        return {"decision": True, "context": answer.context.copy()}
            return {"decision": False, "context": left.otherwise.context.copy()}
        return self._decide_carefully(request, now)

    def _is_as_good_as_plain(self, holder: Holder, type: int, id: str, now: float | None) -> bool:
        """Whether a holder may be taken for a plain one: without grants on this resource, and true at this instant."""
        return (
            id.__class__ is str
            and not may_be_granted(holder, type, id)
            and holder.since <= (self._clock() if now is None else now) < holder.until
        )

    def _decide_carefully(self, request: Any, now: float | None) -> dict[str, Any]:
        read = read_evaluation(request)
        snapshot = self._snapshot
        instant = self._instant(now)
        answer = decide(snapshot, read, instant)
        context: dict[str, Any] = answer.context.copy()
        if read[-1]:
            context["explanation"] = explain(snapshot, read, instant)
        return {"decision": answer.allowed, "context": context}

    def filter(self, request: dict[str, Any], now: float | None = None) -> dict[str, Any]:
        """The filter response (contract 2.6) to a resource search; `now`, in epoch seconds, tells what has expired.

        Raises BadRequest for a malformed request, BundleError where a damaged part of the bundle is needed,
        SearchUnavailable where the bundle has the profile `decision`.
        """
        return self.filter_for(read_resource_search(request), now)

    def filter_for(self, search: ResourceSearch, now: float | None = None) -> dict[str, Any]:
        """As `filter`, for a search that is read already."""
        return filter_answer(self._searched(), search, self._instant(now))

    def filter_at_once(self, search: ResourceSearch, now: float | None = None) -> dict[str, Any] | None:
        """As `filter_for` where that takes microseconds, since it is remembered; else None."""
        return remembered_answer(self._searched(), search, self._instant(now))

    def judge_resources(self, search: ResourceSearch, now: float | None = None) -> ResourceJudge | None:
        """What decides the candidates of a resource search, None where nothing can be found (S2, S5)."""
        return judge_resources(self._searched(), search, self._instant(now))

    def judge_subjects(self, search: SubjectSearch, now: float | None = None) -> SubjectJudge | None:
        """What decides the candidates of a subject search, None where nobody can be found (S2, S5)."""
        return judge_subjects(self._searched(), search, self._instant(now))

    def find_actions(self, search: ActionSearch, now: float | None = None) -> list[tuple[str, GrantingPath]]:
        """The actions that the subject may take on the resource, by name, each with its access path (S2)."""
        return find_actions(self._searched(), search, self._instant(now))

    def undeclared(self, resource_type: str, action: str | None = None) -> str | None:
        """Why nothing of that type can be found, None where type and action are declared (E7, P1)."""
        return undeclared(self._snapshot, resource_type, action)

    def _searched(self) -> Snapshot:
        if self.manifest.profile == "decision":
            raise SearchUnavailable("this bundle answers evaluations only: it has the profile `decision`")
        return self._snapshot

    def _instant(self, now: float | None) -> float:
        """`now`, else the clock's. Raises ValueError for NaN and infinity, by which every role would have expired."""
        instant = self._clock() if now is None else now
        try:
            if isfinite(instant):
                return instant
        except (TypeError, OverflowError):  # no number, or one beyond all instants
            pass
        raise ValueError("`now` is no instant: it is a number of epoch seconds")

    def decide_many(self, requests: Iterable[Any], now: float | None = None) -> list[dict[str, Any]]:
        """A response for each request, in order; a malformed one is answered by its own error item (W4)."""
        instant = self._instant(now)
        return [self._decide_item(request, instant) for request in requests]

    def _decide_item(self, request: Any, now: float) -> dict[str, Any]:
        try:
            return self.decide(request, now)
        except BadRequest as ex:
            return error_item(400, str(ex))
        except BundleError as ex:
            return error_item(500, str(ex))

    def allowed(
        self,
        subject_type: str,
        subject_id: str,
        action: str,
        resource_type: str,
        resource_id: str,
        subject: Attributes | None = None,
        resource: Attributes | None = None,
        action_properties: Attributes | None = None,
        context: Attributes | None = None,
        now: float | None = None,
    ) -> bool:
        """Whether the subject may do the action on the resource, both named by their ids: the fast core of `decide`.

        Attributes are dictionaries, `now` is in epoch seconds. Raises BadRequest where a name is empty or no string,
        BundleError where a damaged part of the bundle is needed.
        """
        s, r = subject or NO_ATTRIBUTES, resource or NO_ATTRIBUTES
        a, c = action_properties or NO_ATTRIBUTES, context or NO_ATTRIBUTES
        snapshot = self._snapshot
        try:
            holder = snapshot.holders[subject_type][subject_id]
            left = holder.roles.left[resource_type][action]
        except (KeyError, TypeError):
            return self._allowed_carefully(
                subject_type, subject_id, s, action, a, resource_type, resource_id, r, c, now
            )
        instant = NO_CLOCK if holder.plain else self._instant(now)
        if not (
            left.plain
            and resource_id.__class__ is str
            and 0 < len(resource_id) <= MAX_ID_CHARACTERS
            and (holder.plain or holder.since <= instant < holder.until)
            and s.__class__ is r.__class__ is a.__class__ is c.__class__ is dict
        ):
            return self._allowed_carefully(
                subject_type, subject_id, s, action, a, resource_type, resource_id, r, c, now
            )
        for test, rest, _, _ in left.deny_tests:
            if test(subject_type, subject_id, s, resource_id, r, a, c, NO_CLOCK):
                for test in rest:
                    if not test(subject_type, subject_id, s, resource_id, r, a, c, NO_CLOCK):
                        break
                else:
                    return False
        for test, rest, _, _ in left.allow_at_all:
            if test(subject_type, subject_id, s, resource_id, r, a, c, NO_CLOCK):
                for test in rest:
                    if not test(subject_type, subject_id, s, resource_id, r, a, c, NO_CLOCK):
                        break
                else:
                    return True
        if holder.plain:
            return False
        return is_granted(snapshot, holder, left.type, resource_id, action, instant)

    def _allowed_carefully(
        self,
        stype: str,
        sid: str,
        s: Attributes,
        action: str,
        a: Attributes,
        rtype: str,
        rid: str,
        r: Attributes,
        c: Attributes,
        now: float | None,
    ) -> bool:
        if not all(
            isinstance(name, str) and 0 < len(name) <= MAX_ID_CHARACTERS for name in (stype, sid, action, rtype, rid)
        ):
            raise BadRequest(f"types, ids and the action are strings of 1 to {MAX_ID_CHARACTERS} characters", "$")
        if not all(isinstance(attributes, dict) for attributes in (s, r, a, c)):
            raise BadRequest("attributes are dictionaries", "$")
        instant = self._instant(now)
        request = (stype, "id", sid, s, action, a, rtype, "id", rid, r, c, False)
        return decide(self._snapshot, request, instant).allowed


def error_item(status: int, message: str) -> dict[str, Any]:
    """A response that denies because its request can't be answered (W4)."""
    return {"decision": False, "context": {"error": {"status": status, "message": message}}}
