"""Answers a resource search with its filter, from the cache if possible (F1 to F3, F7)."""

from dataclasses import replace
from itertools import islice
from typing import Any

from ...bundles.conditions.instants import shown_instant
from ...bundles.conditions.trees.canonical import STEPS
from ..filters.derive import NOTHING, Filter, answer, derive
from ..requests.members import BadRequest
from ..requests.searches import ResourceSearch
from ..rules.specialise import TypeRules
from ..snapshot import FOREVER, Holder, Snapshot
from .direct import cached_has_grants, granted_ids, has_grants
from .filter_validity import valid_until
from .searchers import Searcher, derived_for, outcome_for, searcher_of, undeclared

DECIDED = "; conditions on the context are decided with the context of the request"

MAX_DIRECT_IDS = 10_000
"""The most ids that `include_direct` lists (F3)."""


def filter_answer(snapshot: Snapshot, search: ResourceSearch, now: float, steps: int = STEPS) -> dict[str, Any]:
    """Returns the filter response (contract 2.6). Raises BadRequest if `include_direct` would list too many ids.

    The filter of an undeclared type or action is false (E7, P1). It is not cached, because callers can invent types and
    actions without end. If the gates are decided, the context has `valid_until` (F7). `steps` is the budget of F6.
    """
    why = undeclared(snapshot, search.resource_type, search.action.name)
    if why is not None:
        response = answer(replace(NOTHING, reason=why), has_direct=False)
        return response if search.filter_context is None else _valid(response, None)
    rules = snapshot.rules.types[search.resource_type]
    searcher = searcher_of(snapshot, search.subject, now)
    found, included = _filter(snapshot, search, rules, searcher, now, steps)
    has_direct = included or has_grants(snapshot, searcher.holder, rules.number, search.action.name, now)
    response = answer(found, has_direct, included)
    if search.filter_context is None:
        return response
    until = valid_until(
        snapshot, search, rules, searcher, now, lambda later, at: _filter(snapshot, search, rules, later, at, steps)[0]
    )
    return _valid(response, shown_instant(until))


def cached_filter_answer(snapshot: Snapshot, search: ResourceSearch, now: float) -> dict[str, Any] | None:
    """Returns the filter response if all its parts are cached or take microseconds, or else None.

    The caller must not change the filter: the cache has the same one.
    """
    rules = snapshot.rules.types.get(search.resource_type)
    if rules is None or search.action.name not in rules.type.actions:
        return filter_answer(snapshot, search, now)
    searcher = searcher_of(snapshot, search.subject, now)
    has_direct = cached_has_grants(searcher.holder, rules.number, search.action.name, now)
    specialised = snapshot.rules.cached(searcher.holder.roles, search.resource_type, search.action.name)
    if has_direct is None or specialised is None or search.options.include_direct:
        return None
    context = search.filter_context
    derived = snapshot.rules.filters.cached(specialised, decided=context is not None)
    if derived is None:
        return None
    found = derived.filters.get(outcome_for(derived, searcher, search.action, context, now))
    if found is None:
        return None
    if context is None:
        return answer(found, has_direct, copies=False)
    if derived.partial.windows or searcher.holder.until != FOREVER:  # how long it is valid takes longer to find
        return None
    return _valid(answer(found, has_direct, copies=False), None)


def _filter(
    snapshot: Snapshot, search: ResourceSearch, rules: TypeRules, searcher: Searcher, now: float, steps: int
) -> tuple[Filter, bool]:
    """Returns the filter for a searcher at an instant, and whether direct grants are part of it."""
    filters = snapshot.rules.filters
    derived, outcome = derived_for(snapshot, searcher, rules, search.action, search.filter_context, now)
    if search.options.include_direct:
        granted = _listed(snapshot, searcher.holder, rules.number, search.action.name, now)
        if granted:
            return derive(filters.conditions(derived, outcome), granted, steps), True
    return filters.filter(derived, outcome, steps), False


def _valid(response: dict[str, Any], until: str | None) -> dict[str, Any]:
    """Adds how long a filter with decided gates is valid."""
    response["context"]["reason"] += DECIDED
    response["context"]["valid_until"] = until
    return response


def _listed(snapshot: Snapshot, holder: Holder, type: int, action: str, now: float) -> list[str]:
    found = granted_ids(snapshot, holder, type, action, now)
    ids = list(islice(found, MAX_DIRECT_IDS + 1))
    if len(ids) > MAX_DIRECT_IDS:
        raise BadRequest(
            f"the subject has more than {MAX_DIRECT_IDS:,} direct grants; ask for `results`", "$.options.include_direct"
        )
    return ids
