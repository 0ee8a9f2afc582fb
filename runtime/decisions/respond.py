"""Answers an evaluation request with all that its options ask for: proof, validity, registered attributes, an actor."""

from collections.abc import Sequence
from typing import Any

from ...bundles.conditions.instants import shown_instant
from ...bundles.event_loop import refuse_on_event_loop
from ..rates.counted_once import CountedOnce
from ..rates.rate_table import RateTable
from ..requests.evaluation_request import EvaluationRequest, read_evaluation
from ..requests.members import Entity
from ..requests.options import NO_OPTIONS, Actors, EvaluationOptions, named_actors, read_evaluation_options
from ..requests.registry import Registry
from ..rules.reasons import Answer
from ..snapshot import Snapshot
from .decide import decide
from .explain import explain
from .on_behalf import as_actor, as_faults_of, prepare
from .registered import with_registered
from .unsent import NOTHING, Unsent, unsent, unsent_of_actor
from .validity import valid_until


def respond(
    snapshot: Snapshot,
    request: Any,
    now: float,
    counters: RateTable | None,
    counts: bool,
    registry: Registry | None,
    hides: bool = False,
) -> dict[str, Any]:
    """Returns the decision response (contract 2.5) at `now`, in epoch seconds.

    If it `hides`, its proofs leave out the registered values that the request did not send (E9).
    Raises what `Engine.decide` raises, and TakesLong on an event loop if the answer takes long.
    """
    read = read_evaluation(request)
    options = read_evaluation_options(request)
    if options is NO_OPTIONS:  # PERF: most requests have none
        answer = decide(snapshot, read, now, counters, counts)
        return {"decision": answer.allowed, "context": answer.context.copy()}
    is_strict = snapshot.is_strict or options.strict
    if options.strict and not snapshot.is_strict:  # else it is checked already
        snapshot.strict_requests.refuse("evaluation", request)
    if options.explain:
        refuse_on_event_loop()  # a proof takes long
    sent = read
    if options.registered:
        read = with_registered(snapshot, read, registry)
        if is_strict:
            snapshot.strict_requests.refuse_missing(read[0], read[3], read[6], read[9])
    asking = _Asking(snapshot, options, now, counters, counts)
    added = unsent(sent, read) if hides else NOTHING
    if options.actor is not None:
        return _on_behalf(asking, read, options.actor, registry, added)
    # Found first: it may take long, and nothing may be counted before that is known (C10).
    until = asking.until(read)
    answer = asking.answer(read)
    context = answer.context.copy() | asking.validity(until) | asking.proof("explanation", read, answer, added)
    return {"decision": answer.allowed, "context": context}


def _on_behalf(
    asking: "_Asking", subject: EvaluationRequest, actor: Actors, registry: Registry | None, added: Unsent
) -> dict[str, Any]:
    """Returns the answer for the subject, or if it is allowed, for the first actor that is denied (A1)."""
    actors = [(name, one, _acting(asking, subject, name, one, registry)) for name, one in named_actors(actor)]
    until_for = [asking.until(one) for _, _, one in actors]
    until = asking.until(subject)
    asking.refuse_before_counting([("", subject), *((name, one) for name, _, one in actors)])
    told = answer = asking.answer(subject)
    denied_for: dict[str, Any] = {}
    proofs: list[dict[str, Any]] = []
    for (name, sent, one), until_for_actor in zip(actors if answer.allowed else (), until_for, strict=False):
        with as_faults_of(name):
            acting = asking.answer(one)
            added_to_actor = added and {**added, **unsent_of_actor(sent, one)}
            proofs.append(asking.proof("actor_explanation", one, acting, added_to_actor))
        until = min(until, until_for_actor)
        if not acting.allowed:
            told, denied_for = acting, {"denied_for": name}
            break
    proof = asking.proof("explanation", subject, answer, added)
    more = denied_for | _joined(proofs, listed=not isinstance(actor, Entity))
    return {"decision": told.allowed, "context": told.context | asking.validity(until) | proof | more}


def _acting(
    asking: "_Asking", subject: EvaluationRequest, name: str, actor: Entity, registry: Registry | None
) -> EvaluationRequest:
    """Returns the same request of an actor, after all that may take long or fail before anything is counted (C10)."""
    request, snapshot = as_actor(subject, actor), asking.snapshot
    if asking.options.registered:
        request = with_registered(snapshot, request, registry)
        if snapshot.is_strict or asking.options.strict:
            snapshot.strict_requests.refuse_missing_of_actor(request[0], request[3], name)
    with as_faults_of(name):
        prepare(snapshot, request, asking.now)
    return request


def _joined(proofs: Sequence[dict[str, Any]], listed: bool) -> dict[str, Any]:
    """Returns the explanations of the actors that were asked: of a list as `actor_explanations`."""
    found = [proof["actor_explanation"] for proof in proofs if proof]
    if not found:
        return {}
    return {"actor_explanations": found} if listed else {"actor_explanation": found[0]}


class _Asking:
    """The part of a request that is the same for its subject and its actor."""

    def __init__(
        self, snapshot: Snapshot, options: EvaluationOptions, now: float, counters: RateTable | None, counts: bool
    ):
        self.snapshot, self.options, self.now = snapshot, options, now
        self._counters, self._counts = counters, counts

    def answer(self, request: EvaluationRequest) -> Answer:
        return decide(self.snapshot, request, self.now, self._counters, self._counts)

    def refuse_before_counting(self, asked: Sequence[tuple[str, EvaluationRequest]]) -> None:
        """Raises BadRequest if that is the answer for the subject or an actor, before anything is counted (C10).

        `asked` are the requests in order, by the names of actors. From then on, each subject counts once.
        """
        counters = self._counters
        if counters is None or not any(prepare(self.snapshot, one, self.now) for _, one in asked):
            return
        peeking = counters.peeking()
        for name, one in asked:
            with as_faults_of(name):
                if not decide(self.snapshot, one, self.now, peeking, self._counts).allowed:
                    break  # the others are not asked
        self._counters = CountedOnce(counters)

    def until(self, request: EvaluationRequest) -> float:
        """Returns the instant until which the answer is valid, if that is asked."""
        return valid_until(self.snapshot, request, self.now) if self.options.valid_until else self.now

    def validity(self, until: float) -> dict[str, Any]:
        return {"valid_until": shown_instant(until)} if self.options.valid_until else {}

    def proof(self, name: str, request: EvaluationRequest, answer: Answer, added: Unsent) -> dict[str, Any]:
        if not self.options.explain:
            return {}
        return {name: explain(self.snapshot, request, self.now, answer.rates, added)}
