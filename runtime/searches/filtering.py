"""Answers a resource search with its filter, from the cache if possible (F1 to F3)."""

from dataclasses import replace
from itertools import islice
from typing import Any

from ...bundles.conditions.trees.canonical import STEPS
from ..filters.derive import NOTHING, answer, derive
from ..requests.members import BadRequest
from ..requests.searches import ResourceSearch
from ..snapshot import Holder, Snapshot
from .direct import cached_has_grants, granted_ids, has_grants
from .searchers import derived_for, outcome_for, searcher_of, undeclared

MAX_DIRECT_IDS = 10_000
"""The most ids that `include_direct` lists (F3)."""


def filter_answer(snapshot: Snapshot, search: ResourceSearch, now: float, steps: int = STEPS) -> dict[str, Any]:
    """Returns the filter response (contract 2.6). Raises BadRequest if `include_direct` would list too many ids.

    The filter of an undeclared type or action is false (E7, P1). It is not cached, because callers can invent types and
    actions without end. `steps` is the budget of F6.
    """
    why = undeclared(snapshot, search.resource_type, search.action.name)
    if why is not None:
        return answer(replace(NOTHING, reason=why), has_direct=False)
    rules = snapshot.rules.types[search.resource_type]
    searcher = searcher_of(snapshot, search.subject, now)
    derived, outcome = derived_for(snapshot, searcher, rules, search.action)
    if search.options.include_direct:
        granted = _listed(snapshot, searcher.holder, rules.number, search.action.name, now)
        if granted:
            found = derive(snapshot.rules.filters.conditions(derived, outcome), granted, steps)
            return answer(found, has_direct=True, included=True)
    has_direct = has_grants(snapshot, searcher.holder, rules.number, search.action.name, now)
    return answer(snapshot.rules.filters.filter(derived, outcome, steps), has_direct)


def cached_filter_answer(snapshot: Snapshot, search: ResourceSearch, now: float) -> dict[str, Any] | None:
    """Returns the filter response if all its parts are cached or take microseconds, or else None."""
    rules = snapshot.rules.types.get(search.resource_type)
    if rules is None or search.action.name not in rules.type.actions:
        return filter_answer(snapshot, search, now)
    searcher = searcher_of(snapshot, search.subject, now)
    has_direct = cached_has_grants(searcher.holder, rules.number, search.action.name, now)
    specialised = searcher.holder.roles.specialised.get(search.resource_type, {}).get(search.action.name)
    if has_direct is None or specialised is None or search.options.include_direct:
        return None
    derived = snapshot.rules.filters.cached(specialised)
    found = derived and derived.filters.get(outcome_for(derived, searcher, search.action))
    return answer(found, has_direct) if found else None


def _listed(snapshot: Snapshot, holder: Holder, type: int, action: str, now: float) -> list[str]:
    found = granted_ids(snapshot, holder, type, action, now)
    ids = list(islice(found, MAX_DIRECT_IDS + 1))
    if len(ids) > MAX_DIRECT_IDS:
        raise BadRequest(
            f"the subject has more than {MAX_DIRECT_IDS:,} direct grants; ask for `results`", "$.options.include_direct"
        )
    return ids
