"""Decides the request of a record again, at the instant of the record, and compares the answers."""

from enum import StrEnum
from typing import Any, Final, NamedTuple

import msgspec

from ....bundles.conditions.instants import parse_instant
from ....bundles.conditions.values import Unreadable
from ....bundles.event_loop import TakesLong
from ....bundles.wording import is_made_id
from ....runtime import BadRequest, Engine, SearchUnavailable
from ....runtime.requests.searches import read_resource_search
from ....runtime.rules.reasons import AccessPath
from ...telemetry.decision_log.entry import MICROSECONDS, NANOSECONDS, EntryKind
from ...telemetry.decision_log.masks import EnvironmentMasks
from ...telemetry.decision_log.record import ReadRecord
from ..effects import Effect, decision_effect

BAD_REQUEST: Final = "BAD_REQUEST"
"""Stands for the reason code of a request that can't be read."""

FILTER: Final = "FILTER"
OTHER_FILTER: Final = "OTHER_FILTER"
"""Stand for the reason codes of a search, before and after."""

_DECIDING: Final = ("attributes", "actor")
"""The options on which a decision depends."""

_MALFORMED: Final = 400
_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder()


class NotCompared(StrEnum):
    """The reasons not to compare a record."""

    MASKED = "masked"
    HIDDEN = "hidden"
    RATE_LIMITED = "rate_limited"
    OTHER_ENVIRONMENT = "other_environment"
    NOT_COMPARED = "not_compared"


class ComparedAnswer(NamedTuple):
    """The compared members of an answer: the reason code, the decision, and the policy or grant that decides."""

    reason: str
    decision: bool | None
    policy: str | None
    is_granted: bool = False
    """True if a direct grant decides."""

    @property
    def decider(self) -> str | None:
        """The policy or grant in words, or None. An id that Writ made for a grant says nothing to people."""
        return "a direct grant" if self.is_granted and is_made_id(self.policy or "") else self.policy


class ChangedAnswer(NamedTuple):
    """An answer that changes."""

    before: ComparedAnswer
    after: ComparedAnswer

    @property
    def effect(self) -> Effect:
        """The effect on the caller: the decision flips, or only the filter or the reason changes."""
        if self.before.reason == FILTER:
            return Effect.FILTER
        return decision_effect(self.before.decision, self.after.decision)


class MaskedLog(NamedTuple):
    """The masks of a log whose requests a masked model decides again, and the `hidden` pairs of that model."""

    masks: EnvironmentMasks
    hidden: frozenset[tuple[str, str]]


class Replayed(NamedTuple):
    """The engine that decides again, and what it decides.

    `environment` is the one whose records count, or None if all do. `masked` is None if the engine is that of an
    ordinary model, which decides no masked record.
    """

    engine: Engine
    environment: str | None = None
    masked: MaskedLog | None = None


def compared(replayed: Replayed, record: ReadRecord) -> NotCompared | ChangedAnswer | None:
    """Returns how the answer to a record changes, why it is not compared, or None if it stays.

    Raises BundleError, and ValueError if the record has no readable time or answer.
    """
    engine = replayed.engine
    if replayed.environment is not None and record.environment != replayed.environment:
        return NotCompared.OTHER_ENVIRONMENT
    if record.cut or record.answer is None or record.request is None:
        return NotCompared.MASKED
    kept = _kept(record) if replayed.masked is None else _in_masked_log(replayed.masked, record)
    if kept is not None:
        return kept
    now = parse_instant(record.time) // NANOSECONDS / MICROSECONDS
    if record.kind is EntryKind.SEARCH:
        return _search(engine, record.request, record.answer, now)
    return _evaluation(engine, request_in(record), record.answer, now)


def _kept(record: ReadRecord) -> NotCompared | None:
    return NotCompared.MASKED if record.masked else None


def _in_masked_log(log: MaskedLog, record: ReadRecord) -> NotCompared | None:
    """Returns why a record of a masked log is not compared, or None. Masks a request that was logged without masks."""
    if record.kind is EntryKind.SEARCH or not isinstance(record.request, dict):
        return NotCompared.NOT_COMPARED
    if record.masks != log.masks.digest:
        if record.masks or record.masked:  # of other masks, or of another key
            return NotCompared.MASKED
        log.masks.apply(record.request)
    _empty_hashed(record.request)
    pair = record.request["resource"]["type"], record.request["action"]["name"]
    return NotCompared.HIDDEN if pair in log.hidden else None


def _empty_hashed(request: dict[str, Any]) -> None:
    """Replaces objects that were hashed as a whole by empty ones. No condition that is decided reads from them."""
    if isinstance(request.get("context"), str):
        request["context"] = {}
    for owner in (request["subject"], request["resource"], request["action"]):
        for bag in ("properties", "attributes"):
            if isinstance(owner.get(bag), str):
                owner[bag] = {}


def compared_engines(before: Engine, after: Engine, record: ReadRecord) -> NotCompared | ChangedAnswer | None:
    """Returns how the answer to the request of a record differs between two engines, or why that is not known.

    The instant is that of the record. What it answered does not matter. Raises BundleError, and ValueError if the
    record has no readable time or answer.
    """
    if record.masked or record.cut or record.answer is None:
        return NotCompared.MASKED
    now = parse_instant(record.time) // NANOSECONDS / MICROSECONDS
    if record.kind is not EntryKind.SEARCH:
        return _between(before, after, request_in(record), now)
    return _filters(before, after, record.request, now) if "filter" in record.answer else NotCompared.NOT_COMPARED


def request_in(record: ReadRecord) -> Any:
    """Returns the request of a record, with the texts that a gateway could not read as such (C11)."""
    if not record.unreadable:
        return record.request
    resource = record.request["resource"]
    texts = {key: Unreadable(resource["properties"][key]) for key in record.unreadable}
    return record.request | {"resource": resource | {"properties": resource["properties"] | texts}}


def _between(before: Engine, after: Engine, request: Any, now: float) -> NotCompared | ChangedAnswer | None:
    if not isinstance(request, dict):
        return NotCompared.NOT_COMPARED
    asked = _asked(request)
    was, told = _decided(before, asked, now), _decided(after, asked, now)
    if isinstance(was, NotCompared):
        return was
    if isinstance(told, NotCompared):
        return told
    return None if was == told else ChangedAnswer(was, told)


def _filters(before: Engine, after: Engine, request: Any, now: float) -> NotCompared | ChangedAnswer | None:
    try:
        search = read_resource_search(request)
        was, told = (_ENCODER.encode(engine.filter_for(search, now)["filter"]) for engine in (before, after))
    except (BadRequest, SearchUnavailable):
        return NotCompared.NOT_COMPARED
    return (
        None
        if was == told
        else ChangedAnswer(ComparedAnswer(FILTER, None, None), ComparedAnswer(OTHER_FILTER, None, None))
    )


def _evaluation(engine: Engine, request: Any, answer: dict[str, Any], now: float) -> NotCompared | ChangedAnswer | None:
    context = answer["context"]
    error = context.get("error")
    if error is not None:
        return _failed(engine, request, error, now)
    if "retry_after_seconds" in context:
        return NotCompared.RATE_LIMITED
    before = _told(answer)
    after = _decided(engine, _asked(request), now)
    return after if isinstance(after, NotCompared) else None if after == before else ChangedAnswer(before, after)


def _asked(request: dict[str, Any]) -> dict[str, Any]:
    """Returns a request without the options that do not change the compared members of an answer."""
    options = request.get("options")
    kept = {name: options[name] for name in _DECIDING if name in options} if isinstance(options, dict) else {}
    asked = {name: part for name, part in request.items() if name != "options"}
    return asked | {"options": kept} if kept else asked


def _failed(engine: Engine, request: Any, error: dict[str, Any], now: float) -> NotCompared | ChangedAnswer | None:
    """Compares an item that was not decided, because its request was malformed. Else the failure tells nothing."""
    explains = isinstance(request, dict) and request.get("options") is not None
    if error.get("status") != _MALFORMED or explains:
        return NotCompared.NOT_COMPARED
    if not isinstance(request, dict):
        return None
    after = _decided(engine, request, now)
    if isinstance(after, NotCompared):
        return after
    return None if after.reason == BAD_REQUEST else ChangedAnswer(ComparedAnswer(BAD_REQUEST, None, None), after)


def _decided(engine: Engine, request: dict[str, Any], now: float) -> ComparedAnswer | NotCompared:
    """Returns the answer of the bundle. Rate limits depend on what was decided before, which a log may lack (C10)."""
    try:
        return _told(engine.decide(request, now, counts=False))
    except TakesLong:  # this thread has no event loop: the evaluation counts for a rate limit
        return NotCompared.RATE_LIMITED
    except SearchUnavailable:  # registered attributes are those of that time, which no bundle has (E9)
        return NotCompared.NOT_COMPARED
    except BadRequest:
        return ComparedAnswer(BAD_REQUEST, None, None)


def _told(answer: dict[str, Any]) -> ComparedAnswer:
    context = answer["context"]
    return ComparedAnswer(
        context["reason_code"],
        answer["decision"],
        context.get("policy_id") or context.get("denied_by"),
        context.get("access_path") == AccessPath.DIRECT,
    )


def _search(engine: Engine, request: Any, answer: dict[str, Any], now: float) -> NotCompared | ChangedAnswer | None:
    """Compares filters. Results need the registry of that time, which no bundle has."""
    if "filter" not in answer:
        return NotCompared.NOT_COMPARED
    before = ComparedAnswer(FILTER, None, None)
    try:
        found = engine.filter_for(read_resource_search(request), now)["filter"]
    except SearchUnavailable:
        return NotCompared.NOT_COMPARED
    except BadRequest:
        return ChangedAnswer(before, ComparedAnswer(BAD_REQUEST, None, None))
    same = _DECODER.decode(_ENCODER.encode(found)) == answer["filter"]
    return None if same else ChangedAnswer(before, ComparedAnswer(OTHER_FILTER, None, None))
