"""The front door: an engine over a bundle file, with a clock."""

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from bundles.errors import BundleError
from bundles.manifest import Manifest
from bundles.reader import Bundle, open_bundle
from runtime.decide import decide, holder_of, is_registered, judge, what_is_left
from runtime.explain import explain
from runtime.limits import MemoLimits
from runtime.requests import MAX_ID_CHARACTERS, NO_ATTRIBUTES, Attributes, BadRequest, read_evaluation
from runtime.snapshot import Holder, Snapshot
from runtime.specialise import Specialised


class Engine:
    """Answers from one bundle. Thread-safe, and fork-safe: processes forked from one that holds it share the mapping.

    Values in a request are read as JSON decodes them (None, bool, int, float, str, list, dict); an attribute of any
    other Python type can't be read, so every condition on it is false (C7).
    """

    def __init__(self, bundle: Bundle, clock: Callable[[], float] = time.time, limits: MemoLimits | None = None):
        """`clock` gives epoch seconds."""
        self._clock = clock
        self._snapshot = Snapshot(bundle, limits or MemoLimits())

    @classmethod
    def open(cls, path: str | Path, clock: Callable[[], float] = time.time) -> "Engine":
        """Map the bundle at `path`, trusting its origin.

        Raises BundleError where it is damaged, foreign or newer than this Writ, OSError where it can't be read.
        """
        return cls(open_bundle(path), clock)

    @property
    def manifest(self) -> Manifest:
        """What the bundle in force is of."""
        return self._snapshot.bundle.manifest

    def decide(self, request: dict[str, Any], now: float | None = None) -> dict[str, Any]:
        """The decision response (contract 2.5) to an AuthZEN evaluation request; `now` in epoch seconds.

        With `options.explain` true the response carries the proof (D10). Raises BadRequest for a malformed request,
        BundleError where a damaged part of the bundle is needed.

        PERF: the plainest request (a known subject, ids, at most `properties`) is read and looked up in one go, at a
        third of the cost of `read_evaluation`. Finding a name in a dictionary of names that passed the model's checks
        is its validation. Anything else is answered by `_decide_carefully`, which a law in the tests holds equal.
        """
        snapshot = self._snapshot
        try:
            subject, action, resource = request["subject"], request["action"], request["resource"]
            stype, sid, name, rid = subject["type"], subject["id"], action["name"], resource["id"]
            holder = snapshot.steady[stype][sid]
            left = holder.roles.left[resource["type"]][name]
            s, r = subject.get("properties", NO_ATTRIBUTES), resource.get("properties", NO_ATTRIBUTES)
            a, c = action.get("properties", NO_ATTRIBUTES), request.get("context", NO_ATTRIBUTES)
        except (KeyError, TypeError, AttributeError, IndexError):
            return self._decide_carefully(request, now)
        if (
            s.__class__ is r.__class__ is c.__class__ is a.__class__ is dict
            and rid.__class__ is str
            and 0 < len(rid) <= MAX_ID_CHARACTERS
            and len(subject) == (2 if s is NO_ATTRIBUTES else 3)
            and len(resource) == (2 if r is NO_ATTRIBUTES else 3)
            and "options" not in request
        ):
            if now is None:
                now = self._clock()
            answer = judge(snapshot, holder, left, stype, sid, s, name, a, rid, r, c, now)
            return {"decision": answer["reason_code"] == "ALLOWED", "context": answer.copy()}
        return self._decide_carefully(request, now)

    def _decide_carefully(self, request: Any, now: float | None) -> dict[str, Any]:
        read = read_evaluation(request)
        snapshot = self._snapshot
        if now is None:
            now = self._clock()
        answer = decide(snapshot, read, now)
        context = answer.copy()
        if read[-1]:
            context["explanation"] = explain(snapshot, read, now)
        return {"decision": answer["reason_code"] == "ALLOWED", "context": context}

    def decide_many(self, requests: Iterable[Any], now: float | None = None) -> list[dict[str, Any]]:
        """A response for each request, in order; a malformed one is answered by its own error item (W4)."""
        instant = self._clock() if now is None else now
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
        snapshot = self._snapshot
        try:
            holder = snapshot.steady[subject_type][subject_id]
            left = holder.roles.left[resource_type][action]
        except KeyError:
            holder, found = self._look_up(subject_type, subject_id, action, resource_type, now)
            if found is None:
                return False
            left = found
        if not resource_id:
            raise BadRequest("types, ids and the action are non-empty strings", "$")
        s, r = subject or NO_ATTRIBUTES, resource or NO_ATTRIBUTES
        a, c = action_properties or NO_ATTRIBUTES, context or NO_ATTRIBUTES
        if now is None:
            now = self._clock() if left.timed or holder.grants else 0.0
        if left.closed and not is_registered(snapshot, left, resource_id):
            return False
        for tests, _, _ in left.deny_tests:
            for test in tests:
                if not test(subject_type, subject_id, s, resource_id, r, a, c, now):
                    break
            else:
                return False
        for tests, _ in left.allow_tests:
            for test in tests:
                if not test(subject_type, subject_id, s, resource_id, r, a, c, now):
                    break
            else:
                return True
        if holder.grants:
            for grant in snapshot.grants(holder, left.type, resource_id, now):
                if action in snapshot.bundle.action_sets[grant.actions]:
                    return True
        return False

    def _look_up(
        self, stype: str, sid: str, action: str, rtype: str, now: float | None
    ) -> tuple[Holder, Specialised | None]:
        if not (stype and sid and action and rtype):
            raise BadRequest("types, ids and the action are non-empty strings", "$")
        holder = holder_of(self._snapshot, stype, sid, self._clock() if now is None else now)
        return holder, what_is_left(self._snapshot, holder, rtype, action)


def error_item(status: int, message: str) -> dict[str, Any]:
    """A response that denies because its request can't be answered (W4)."""
    return {"decision": False, "context": {"error": {"status": status, "message": message}}}
