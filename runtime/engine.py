"""The engine: answers requests from a bundle file, with a clock."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from ..bundles.delta import Delta
from ..bundles.event_loop import TakesLong
from ..bundles.file.reader import Bundle, open_bundle
from .asking import Asking
from .decisions.allowed import allowed_carefully
from .decisions.explain import conditional
from .decisions.many import answers_to
from .decisions.plain_batch import add_answers
from .decisions.planned import is_as_good_as_plain
from .decisions.respond import respond
from .limits import CacheLimits, CacheSizes
from .rates.rate_table import RateTable
from .requests.evaluation_request import request_of
from .requests.members import MAX_ID_CHARACTERS, NO_ATTRIBUTES, Attributes
from .requests.plain_bodies import PlainBatch
from .requests.registry import Registry
from .requests.searches import ActionSearch, ResourceSearch, SubjectSearch, read_resource_search
from .rules.array_elements import KeptKeys
from .rules.attributes import NO_CLOCK
from .rules.reasons import Answer
from .searches.actions import FoundActions, find_actions
from .searches.cached_filters import cached_filter
from .searches.filtering import filter_answer
from .searches.left_open import open_in_results
from .searches.registered import Listing, Search, completed
from .searches.resources import ResourceJudge, judge_resources
from .searches.searchers import is_granted, undeclared
from .searches.sources import Source, sources_for, sources_for_role
from .searches.subjects import SubjectJudge, judge_subjects
from .shapes import EvaluationRequest, ResourceSearchRequest
from .snapshot import Snapshot
from .state.apply_deltas import apply_deltas
from .state.overlay import overlay_of
from .strictness.known_members import RequestKind
from .strictness.strict_requests import asks_strict
from .why_not.why_not import wants_why_not, why_not


class Engine(Asking):
    """Answers requests from one bundle. It is thread-safe and fork-safe: forked processes share the mapped file.

    A request has the Python types that JSON decodes to: None, bool, int, float, str, list and dict. A subclass counts
    as the type that it extends. If the decision depends on a value of another type, such as a Decimal, every method
    raises BadRequest (C7). A value that no condition needs may pass unseen. `as_json` converts values of other types.
    """

    _held: "Engine | None" = None
    _for_checked: "Engine | None" = None
    _hides_registered = False

    def __init__(
        self,
        bundle: Bundle,
        clock: Callable[[], float] = time.time,
        limits: CacheLimits | None = None,
        counters: RateTable | None = None,
        registry: Registry | None = None,
        strict: bool = False,
    ):
        """`clock` returns epoch seconds. `limits` bounds the caches. `counters` count for rate limits (C10). Without a
        `registry`, no request can ask for registered attributes (E9). `strict` asks for strict requests (E8).
        """
        self._clock, self._counters, self._registry = clock, counters, registry
        self._limits, self._strict = limits or CacheLimits(), strict
        self._snapshot = Snapshot(bundle, self._limits, strict=strict)

    @classmethod
    def open(
        cls,
        path: str | Path,
        clock: Callable[[], float] = time.time,
        counters: RateTable | None = None,
        *,
        strict: bool = False,
    ) -> "Engine":
        """Returns an engine over the bundle at `path`, and trusts its origin. The file is mapped, not read.

        `counters`, such as `RateCounters()`, count evaluations for rate limits. Several engines may share them. Without
        counters, no policy with a rate limit ever allows (C10).

        With `strict`, a request that has something undeclared raises BadRequest, also if its model does not ask for
        that: a type, an action, an attribute, a value or a member (E8).

        Raises BundleError if it is damaged, is not a bundle, or is newer than this Writ, and OSError if it can't be
        read.
        """
        return cls(open_bundle(path), clock, counters=counters, strict=strict)

    @classmethod
    def open_verified(
        cls,
        path: str | Path,
        keys: str | bytes | Iterable[str | bytes],
        environment: str | None,
        clock: Callable[[], float] = time.time,
        *,
        min_epoch: int = 0,
        min_revision: int = 0,
        counters: RateTable | None = None,
        strict: bool = False,
    ) -> "Engine":
        """Returns an engine over the bundle at `path`, if one of the `keys` signed it. The whole file is read once.

        `keys` are the texts of PEMs with Ed25519 public keys, not paths. `environment` is the UUID or the id of the
        environment that the bundle must belong to, or None for a bundle that was compiled from files. `clock` returns
        epoch seconds: a signature that has expired is refused now, but a bundle in force stays in force. A bundle with
        a lower epoch than `min_epoch`, or with this epoch and a revision below `min_revision`, is refused. `counters`
        and `strict` are those of `open`.

        Raises UntrustedBundle if the signature is not accepted, UnusableBundleKey (a ValueError) if there is no key or
        a key can't be used, and what `open` raises.
        """
        # Imported here, so that programs that verify nothing do not load cryptography.
        from ..bundles.signing.signature_check import open_verified_bundle

        bundle, _ = open_verified_bundle(path, keys, environment, clock(), min_epoch, min_revision)
        return cls(bundle, clock, counters=counters, strict=strict)

    def apply_deltas(self, deltas: Iterable[Delta]) -> None:
        """Puts the deltas that follow the revision in force into force, all at once.

        Only one thread may call it at a time. A request keeps the snapshot that it started with. Raises BundleError if
        the deltas do not follow the revision, which then stays in force.
        """
        snapshot, ordered = self._snapshot, list(deltas)
        if ordered:
            self._snapshot = snapshot.updated(*apply_deltas(overlay_of(snapshot.state), ordered))

    def replace(self, bundle: Bundle, deltas: Iterable[Delta] = ()) -> None:
        """Puts another bundle of the environment into force, with the deltas that follow it; see `apply_deltas`."""
        ordered = list(deltas)
        state = apply_deltas(overlay_of(bundle), ordered)[0] if ordered else bundle
        self._snapshot = Snapshot(state, self._limits, strict=self._strict)

    def take_over(self, other: "Engine") -> None:
        """Puts into force what another engine has in force, with what it has cached. It never fails.

        So a change can be tried on another, such as a `pinned` one, before it counts here. Clock, counters and
        strictness stay.
        """
        self._snapshot = other._snapshot.opened(self._strict)

    def pinned(self) -> "Engine":
        """Returns an engine that stays at the revision in force, whatever is put into force later."""
        other = object.__new__(type(self))  # PERF: `copy.copy` takes ten times as long, and makes slower objects
        other._clock, other._counters, other._registry = self._clock, self._counters, self._registry
        other._limits, other._snapshot, other._strict = self._limits, self._snapshot, self._strict
        if self._hides_registered:
            other._hides_registered = True
        return other

    def counting(self, counters: RateTable) -> "Engine":
        """Returns a `pinned` engine that counts for rate limits with other counters (C10)."""
        (engine := self.pinned())._counters = counters
        return engine

    def uncounted(self) -> "Engine":
        """Returns a `pinned` engine that reads the counters of rate limits, and never counts (C10)."""
        return self.pinned() if self._counters is None else self.counting(self._counters.peeking())

    def without_registered_values(self) -> "Engine":
        """Returns a `pinned` engine for callers who may not read the registry (E9).

        It decides the same. Its explanations leave out the registered values that a request did not send.
        """
        (engine := self.pinned())._hides_registered = True
        return engine

    def held(self) -> "Engine":
        """Returns the same pinned engine as long as a revision is in force, in a quarter of the time of `pinned`."""
        if self._held is None or self._held._snapshot is not self._snapshot:
            self._held = self.pinned()
        return self._held

    def decide(
        self, request: EvaluationRequest | dict[str, Any], now: float | None = None, *, counts: bool = True
    ) -> dict[str, Any]:
        """Returns the decision response (contract 2.5) to an AuthZEN evaluation request. `now` is in epoch seconds.

        If `options.explain` is true, the response has the proof (D10), and for a denial the smallest changes that would
        allow (D11). If `options.valid_until` is true, it has the first instant at which the clock gives another answer
        at the same revision, or null. Raises BadRequest for a malformed request, and BundleError if the decision needs
        a damaged part of the bundle. If the evaluation counts for a rate limit and `counts` is False, it raises
        TakesLong instead (C10). Raises SearchUnavailable if the request asks for registered attributes, and there is no
        registry (E9).
        """
        # PERF: the plainest request is read and looked up here: `read_evaluation` and `planned`, written out. It names
        # a known subject without grants on the resource, by ids, with `properties` at most, and a plan is there. A
        # name that is found in a dictionary of checked names needs no separate check, and the number of members shows
        # that there are no others. `_decide_carefully` answers every other request.
        # `test_every_way_is_the_plain_loop` proves that all ways agree.
        snapshot = self._snapshot
        try:
            subject, action, resource = request["subject"], request["action"], request["resource"]
            holder = snapshot.holders[stype := subject["type"]][sid := subject["id"]]
            plan = snapshot.plans[rtype := resource["type"]][action["name"]][holder.roles]
            rid = resource["id"]
            s = subject["properties"] if len(subject) == 3 else NO_ATTRIBUTES if len(subject) == 2 else None
            r = resource["properties"] if len(resource) == 3 else NO_ATTRIBUTES if len(resource) == 2 else None
            c = request["context"] if len(request) == 4 else NO_ATTRIBUTES if len(request) == 3 else None
            a = NO_ATTRIBUTES if len(action) == 1 else action["properties"]
        except (KeyError, TypeError, AttributeError, IndexError):
            return self._decide_carefully(request, now, counts)
        if not (
            s.__class__ is r.__class__ is c.__class__ is a.__class__ is dict
            and rid.__class__ is str
            and 0 < len(rid) <= MAX_ID_CHARACTERS
            and (holder.plain or is_as_good_as_plain(snapshot, holder, rtype, rid, self._instant(now)))
        ):
            return self._decide_carefully(request, now, counts)
        place = plan[0](plan, stype, sid, s, rid, r, a, c, holder)
        return {"decision": place >= plan[1], "context": plan[-place].copy()}

    def decide_item(self, request: Any, now: float | None = None, *, counts: bool = True) -> dict[str, Any]:
        """Returns the response of `decide` to an item of a batch: its proof never has the smallest changes (D11)."""
        if isinstance(request, dict) and request.get("options") is not None:
            return self._decide_carefully(request, now, counts, is_item=True)
        return self.decide(request, now, counts=counts)

    def add_answers(self, batch: PlainBatch, now: float, answers: list[Answer]) -> Iterator[None]:
        """Adds the shared answer to each item of a plain batch, with pauses; see `plain_batch`."""
        return add_answers(self._snapshot, batch, now, self._counters, answers)

    def _decide_carefully(
        self, request: Any, now: float | None, counts: bool = True, *, is_item: bool = False
    ) -> dict[str, Any]:
        snapshot = self._snapshot
        if snapshot.is_strict:
            if not snapshot.strict_requests.passes(request):
                snapshot.strict_requests.refuse("evaluation", request)
            if "options" not in request:
                return self._checked(snapshot).decide(request, now, counts=counts)
        instant = self._instant(now)
        hides = self._hides_registered
        answer = respond(snapshot, request, instant, self._counters, counts, self._registry, hides)
        if not is_item and wants_why_not(request, answer):
            found = why_not(snapshot, request, instant, self._registry, hides=hides)
            answer["context"]["explanation"]["why_not"] = found
        return answer

    def _checked(self, snapshot: Snapshot) -> "Engine":
        """Returns the engine at a snapshot, for a checked request. PERF: it is kept for a revision."""
        engine = self._for_checked
        if engine is None or engine._snapshot is not snapshot.checked:
            (engine := self.pinned())._snapshot = snapshot.checked
            self._for_checked = engine
        return engine

    def refuse_faults(self, kind: RequestKind, request: Any) -> None:
        """Raises BadRequest for a strict request that is malformed or has faults (E8). `decide` and `filter` do so too.

        A request is strict if it asks for that, or if the model or the opening of the engine does.
        """
        if self.is_strict_for(request):
            self._snapshot.strict_requests.refuse(kind, request)

    def is_strict_for(self, request: Any) -> bool:
        """Returns whether a request is strict (E8). Raises BadRequest if its `options` can't be read."""
        return self._snapshot.is_strict or asks_strict(request)

    def filter(self, request: ResourceSearchRequest | dict[str, Any], now: float | None = None) -> dict[str, Any]:
        """Returns the filter response (contract 2.6) to a resource search. `now` is in epoch seconds.

        Raises BadRequest for a malformed request, and BundleError if the filter needs a damaged part of the bundle.
        """
        self.refuse_faults("resource", request)
        search = read_resource_search(request)
        found = self.cached_filter(search, now)
        return self.filter_for(search, now) if found is None else found

    def filter_for(self, search: ResourceSearch, now: float | None = None) -> dict[str, Any]:
        """Returns the same response as `filter`, to a search that was read before."""
        return filter_answer(*self._asked(search), self._instant(now))

    def cached_filter(self, search: ResourceSearch, now: float | None = None) -> dict[str, Any] | None:
        """Returns the response of `filter_for` in microseconds if it is cached, or else None."""
        if search.options.registered or search.options.actor is not None:  # both take longer
            return None
        try:
            found = cached_filter(self._snapshot, search, self._instant(now))
        except TakesLong:
            return None
        return None if found is None else found.response()

    def judge_resources(self, search: ResourceSearch, now: float | None = None) -> ResourceJudge | None:
        """Returns the judge of a resource search's candidates, or None if there are no results (S2, S5)."""
        return judge_resources(*self._asked(search), self._instant(now))

    def judge_subjects(self, search: SubjectSearch, now: float | None = None) -> SubjectJudge | None:
        """Returns the judge of a subject search's candidates, or None if there are no results (S2, S5)."""
        return judge_subjects(*self._asked(search), self._instant(now))

    def find_actions(self, search: ActionSearch, now: float | None = None) -> FoundActions:
        """Returns the actions that the subject may do on the resource, by name, each with its access path (S2, S6)."""
        return find_actions(*self._asked(search), self._instant(now))

    def left_open(self, search: Listing, now: float | None = None, *, found: bool = True) -> tuple[str, ...]:
        """Returns the attributes that a search did not send and its results depend on (S6); see `open_in_results`."""
        return open_in_results(*self._asked(search), self._instant(now), found)

    def sources(self, search: ResourceSearch, now: float | None = None) -> Iterator[Source]:
        """Yields the policies and grants that a right comes from; see `sources_for`."""
        return sources_for(*self._asked(search), self._instant(now))

    def sources_for_role(self, role: str, resource_type: str, action: str) -> Iterator[Source]:
        """Yields the policies that give or deny a right to a role; see `sources_for_role`."""
        return sources_for_role(self._snapshot, role, resource_type, action)

    def _asked(self, search: Search) -> tuple[Snapshot, Search]:
        return (snapshot := self._snapshot), completed(snapshot, search, self._registry)

    def why_not(self, request: Any, now: float | None = None) -> dict[str, Any]:
        """Returns the smallest sets of changes that would allow an evaluation; see `why_not.why_not`."""
        return why_not(self._snapshot, request, self._instant(now), self._registry, hides=self._hides_registered)

    def undeclared(self, resource_type: str, action: str | None = None) -> str | None:
        """Returns why a search of this type and action has no results, or None if both are declared (E7, P1)."""
        return undeclared(self._snapshot, resource_type, action)

    def conditional(self, resource_type: str, action: str) -> frozenset[str]:
        """Returns the ids of the ALLOW policies on a declared type (by name) and an action that have conditions."""
        return conditional(self._snapshot, resource_type, action)

    def cache_sizes(self) -> CacheSizes:
        """Returns the entries of the caches now."""
        return self._snapshot.cache_sizes()

    def decide_many(self, requests: Iterable[Any], now: float | None = None) -> list[dict[str, Any]]:
        """Returns a response for each request, in order. A malformed request gets an error item (W4)."""
        instant = self._instant(now)
        # Requests that are made one by one may change their arrays meanwhile.
        with KeptKeys().in_use() if isinstance(requests, list | tuple) else nullcontext():
            return answers_to(requests, lambda request: self.decide_item(request, instant))

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
        """Returns whether the subject may do the action on the resource, both given by their ids. It is faster than
        `decide`.

        Attributes are dictionaries, `now` is in epoch seconds. Raises BadRequest if a name is empty or not a string,
        and BundleError if the decision needs a damaged part of the bundle.
        """
        s, r = subject or NO_ATTRIBUTES, resource or NO_ATTRIBUTES
        a, c = action_properties or NO_ATTRIBUTES, context or NO_ATTRIBUTES
        snapshot = self._snapshot
        try:
            holder = snapshot.holders[subject_type][subject_id]
            plan = snapshot.plans[resource_type][action][holder.roles]
        except (KeyError, TypeError):
            names = (subject_type, subject_id, action, resource_type, resource_id)
            return self._allowed_carefully(snapshot, names, (s, r, a, c), now)
        instant = NO_CLOCK if holder.plain else self._instant(now)
        if not (
            resource_id.__class__ is str
            and 0 < len(resource_id) <= MAX_ID_CHARACTERS
            and (holder.plain or holder.since <= instant < holder.until)
            and s.__class__ is r.__class__ is a.__class__ is c.__class__ is dict
        ):
            names = (subject_type, subject_id, action, resource_type, resource_id)
            return self._allowed_carefully(snapshot, names, (s, r, a, c), now)
        place = plan[0](plan, subject_type, subject_id, s, resource_id, r, a, c, holder)
        if place >= plan[1]:
            return True
        if holder.plain or "denied_by" in plan[place].context:
            return False
        type = snapshot.rules.types[resource_type].number
        return is_granted(snapshot, holder, type, resource_id, action, instant)

    def _allowed_carefully(
        self,
        snapshot: Snapshot,
        names: tuple[str, ...],
        attributes: tuple[Attributes, Attributes, Attributes, Attributes],
        now: float | None,
    ) -> bool:
        if snapshot.is_strict:
            if not snapshot.strict_requests.passes(request := request_of(names, attributes)):
                snapshot.strict_requests.refuse("evaluation", request)
            snapshot = snapshot.checked
        return allowed_carefully(snapshot, names, attributes, self._instant(now), self._counters)
