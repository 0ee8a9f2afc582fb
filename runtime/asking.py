"""The questions that an application asks in the same words everywhere: in process, of a followed engine, over HTTP."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from ..bundles.json_members import DUPLICATE_MEMBER, repeated_member
from .decision import Decision
from .decisions.decide import decide
from .decisions.planned import is_as_good_as_plain, planned
from .in_force import InForce
from .rates.rate_table import RateTable
from .requests.evaluation_request import request_of
from .requests.members import MAX_ID_CHARACTERS, NO_ATTRIBUTES, Attributes, BadRequest, RequestFault
from .requests.plain_bodies import PlainBodies, PlainEvaluation, PlainSearch, parts_of
from .requests.searches import ActionSearch, read_action_search, read_resource_search, read_subject_search
from .requests.unavailable import SearchUnavailable
from .rules.reasons import Answer
from .searches.actions import FoundActions
from .searches.cached_filters import filter_json
from .searches.context_note import context_note, search_context
from .shapes import (
    ActionSearchRequest,
    ActionsResponse,
    ResourceItem,
    ResourceSearchRequest,
    SubjectItem,
    SubjectSearchRequest,
)
from .strictness.known_members import RequestKind

PLAIN: Final = PlainBodies()
"""A caller in the same process has no limits."""

_NO_REGISTRY = "a bundle does not list the registered {}: ask the service, or use `filter` on your own database"


class Asking(InForce):
    """The base of an engine: questions that are made of its decisions and its searches."""

    _counters: RateTable | None

    def decide(self, request: Any, now: float | None = None, *, counts: bool = True) -> dict[str, Any]:
        """See `Engine.decide`."""
        raise NotImplementedError

    def answer(self, asked: PlainEvaluation, now: float | None = None) -> Answer | None:
        """Returns the shared answer to a plain evaluation, or None if requests are strict (E8).

        It is what `decide` answers to the same request. Raises what `decide` raises.
        """
        subject, action, resource = asked.subject, asked.action, asked.resource
        s, r = subject.properties or NO_ATTRIBUTES, resource.properties or NO_ATTRIBUTES
        a, c = action.properties or NO_ATTRIBUTES, asked.context or NO_ATTRIBUTES
        stype, sid, name, rtype, rid = subject.type, subject.id, action.name, resource.type, resource.id
        snapshot = self._snapshot
        try:  # PERF: as `planned`, without its call
            holder = snapshot.holders[stype][sid]
            plan = snapshot.plans[rtype][name][holder.roles]
        except KeyError:
            plan = None
        if plan is not None and (holder.plain or is_as_good_as_plain(snapshot, holder, rtype, rid, self._instant(now))):
            answer: Answer = plan[plan[0](plan, stype, sid, s, rid, r, a, c, holder)]
            return answer
        if snapshot.is_strict:
            return None
        return decide(snapshot, parts_of(subject, s, action, a, resource, r, c), self._instant(now), self._counters)

    def filter_json(self, body: bytes, read: Callable[[bytes], PlainSearch | None], now: float) -> bytes | None:
        """Returns the JSON of the response that `Engine.filter` gives to the same search at `now`, in epoch seconds.

        `read` is that of some `PlainBodies`. The JSON was encoded once for all who get it. None stands for a body that
        is not plain, for a filter that is not cached, for what is undeclared, and for each search if requests are
        strict (E8). Raises what `Engine.filter` raises, and TakesLong.
        """
        return filter_json(self._snapshot, body, read, now)

    def find_actions(self, search: ActionSearch, now: float | None = None) -> FoundActions:
        """See `Engine.find_actions`."""
        raise NotImplementedError

    def refuse_faults(self, kind: RequestKind, request: Any) -> None:
        """See `Engine.refuse_faults`."""
        raise NotImplementedError

    def undeclared(self, resource_type: str, action: str | None = None) -> str | None:
        """See `Engine.undeclared`."""
        raise NotImplementedError

    def ask(
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
    ) -> Decision:
        """Returns the decision with its reason. The parameters are those of `allowed`.

        Equal answers are one object, which can't be changed.

        Raises BadRequest for a malformed name or attribute, and BundleError if the decision needs a damaged part of the
        bundle.
        """
        # PERF: a request of the plainest kind is checked here without a call, as in `Engine.allowed`.
        s, r = subject or NO_ATTRIBUTES, resource or NO_ATTRIBUTES
        a, c = action_properties or NO_ATTRIBUTES, context or NO_ATTRIBUTES
        if (
            resource_id.__class__ is str
            and 0 < len(resource_id) <= MAX_ID_CHARACTERS
            and s.__class__ is r.__class__ is a.__class__ is c.__class__ is dict
        ):
            stype, sid, rtype, clock = subject_type, subject_id, resource_type, self._clock
            found = planned(self._snapshot, stype, sid, s, action, a, rtype, resource_id, r, c, now, clock)
            if found is not None:
                return found.decision
        names = (subject_type, subject_id, action, resource_type, resource_id)
        return Decision.of(self.decide(request_of(names, (s, r, a, c)), now))

    def decide_json(self, request: bytes, now: float | None = None) -> bytes:
        """Returns the decision response to an evaluation request, both as JSON in UTF-8; see `decide`.

        Raises what `decide` raises, and BadRequest for what is no JSON, or has a member twice (E10). It is faster than
        decoding, `decide` and encoding.
        """
        plain = PLAIN.evaluation(request)
        answer = None if plain is None else self.answer(plain, now)
        if answer is not None:
            return answer.encoded
        try:
            decoded = msgspec.json.decode(request)
            repeated = repeated_member(request, decoded)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise BadRequest("the request is not JSON in UTF-8", "$") from None
        if repeated is not None:
            fault = RequestFault(DUPLICATE_MEMBER, repeated.path, repeated.sentence)
            raise BadRequest(fault.message, fault.path, (fault,))
        return msgspec.json.encode(self.decide(decoded, now))

    def actions(self, request: ActionSearchRequest | dict[str, Any], now: float | None = None) -> ActionsResponse:
        """Returns all actions that the subject may do on the resource, by name (S2). A `page` is ignored.

        Raises BadRequest for a malformed request, BundleError if the search needs a damaged part of the bundle, and
        SearchUnavailable if it needs registered attributes (E9).
        """
        self.refuse_faults("action", request)
        search = read_action_search(request)
        found, left_open = self.find_actions(search, now)
        note = f"actions that the subject may take on the resource; {context_note(search.context)}"
        return {
            "results": [
                {"name": name, "access_path": path} if search.options.given else {"name": name} for name, path in found
            ],
            "context": search_context(self.undeclared(search.resource.type) or note, left_open),
        }

    def resources(self, request: ResourceSearchRequest | dict[str, Any]) -> Iterator[ResourceItem]:
        """Returns the registered resources on which the subject may do the action (S2).

        Raises SearchUnavailable, since a bundle does not list them, and BadRequest for a malformed request.
        """
        self.refuse_faults("resource", request)
        read_resource_search(request)
        raise SearchUnavailable(_NO_REGISTRY.format("resources"))

    def subjects(self, request: SubjectSearchRequest | dict[str, Any]) -> Iterator[SubjectItem]:
        """Returns the registered subjects that may do the action on the resource (S2).

        Raises SearchUnavailable, since a bundle does not list them, and BadRequest for a malformed request.
        """
        self.refuse_faults("subject", request)
        read_subject_search(request)
        raise SearchUnavailable(_NO_REGISTRY.format("subjects"))
