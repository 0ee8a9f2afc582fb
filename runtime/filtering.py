"""Answers a resource search by its filter: what is known folded in, what was worked out remembered (F1 to F3)."""

from itertools import islice
from typing import Any

from bundles.conditions.canonical import STEPS
from runtime.decide import holder_of, what_is_left
from runtime.direct import granted_ids, has_grants
from runtime.entities import BadRequest
from runtime.filters import NOTHING, Filter, answer, derive
from runtime.search_requests import ResourceSearch, Subject
from runtime.snapshot import Holder, Snapshot
from runtime.specialise import Specialised

MAX_DIRECT_IDS = 10_000
"""`include_direct` lists no more ids than these (F3)."""


def filter_answer(snapshot: Snapshot, search: ResourceSearch, now: float, steps: int = STEPS) -> dict[str, Any]:
    """The filter response (contract 2.6). Raises BadRequest where `include_direct` would list too many ids."""
    sid, holder = searching_subject(snapshot, search.subject, now)
    left = what_is_left(snapshot, holder, search.resource_type, search.action.name)
    if left is None:
        return answer(NOTHING, has_direct=False)
    granted = _listed(snapshot, holder, left, search, now) if search.options.include_direct else []
    has_direct = bool(granted) or has_grants(snapshot, holder, left.type, search.action.name, now)
    found = _filter(snapshot, sid, left, search, granted, steps)
    return answer(found, has_direct, included=bool(granted))


def searching_subject(snapshot: Snapshot, subject: Subject, now: float) -> tuple[str | None, Holder]:
    """The subject's id, None where its external id leads nowhere, and what it brings (E3)."""
    sid = subject.name if subject.named_by == "id" else snapshot.state.subject_id(subject.type, subject.name)
    return sid, snapshot.nobody if sid is None else holder_of(snapshot, subject.type, sid, now)


def _filter(
    snapshot: Snapshot,
    sid: str | None,
    left: Specialised,
    search: ResourceSearch,
    granted: list[str],
    steps: int,
) -> Filter:
    """The filter, remembered unless it lists direct grants, which depend on the subject and the clock."""
    memory = snapshot.rules.filters
    derived = memory.derived(left, snapshot.rules.types[search.resource_type], search.action.name)
    subject, action = search.subject, search.action
    outcome = derived.partial.outcome(subject.type, sid, subject.attributes, action.properties)
    if granted:
        return derive(derived.partial.conditions(outcome), granted, steps)
    found = derived.filters.get(outcome)
    if found is None:
        found = derive(derived.partial.conditions(outcome), steps=steps)
        memory.remember(derived, outcome, found)
    return found


def _listed(snapshot: Snapshot, holder: Holder, left: Specialised, search: ResourceSearch, now: float) -> list[str]:
    found = granted_ids(snapshot, holder, left.type, search.action.name, now)
    ids = list(islice(found, MAX_DIRECT_IDS + 1))
    if len(ids) > MAX_DIRECT_IDS:
        raise BadRequest(
            f"the subject has more than {MAX_DIRECT_IDS:,} direct grants; ask for `results`", "$.options.include_direct"
        )
    return ids
