"""Answers a resource search with its filter, from the cache if possible (F1 to F3, F7)."""

from dataclasses import replace
from itertools import islice
from typing import Any, Final, NamedTuple

import msgspec

from ...bundles.conditions.instants import from_seconds, show_instant, shown_instant
from ...bundles.conditions.operators import Operator
from ...bundles.conditions.trees.canonical import STEPS
from ...bundles.conditions.trees.direct_grants import DirectGrants
from ...bundles.conditions.trees.tree import leaves
from ...bundles.conditions.values import is_text
from ..filters.derive import NOTHING, Filter, answer, derive, joint
from ..requests.members import BadRequest
from ..requests.searches import NODE, ResourceSearch
from ..rules.specialise import TypeRules
from ..snapshot import FOREVER, Holder, Snapshot
from .direct import cached_has_grants, granted_ids, has_grants
from .filter_validity import valid_until
from .searchers import Searcher, derived_for, on_behalf, outcome_for, searcher_of, undeclared

DECIDED = "; conditions on the context are decided with the context of the request"

BESIDE_FOR_ACTOR: Final = "; direct grants of the actor are not part of it"
WITHIN_FOR_ACTOR: Final = "; direct grants of the actor are part of it"

MAX_DIRECT_IDS = 10_000
"""The most ids that `include_direct` lists (F3)."""


def filter_answer(snapshot: Snapshot, search: ResourceSearch, now: float, steps: int = STEPS) -> dict[str, Any]:
    """Returns the filter response (contract 2.6). Raises BadRequest if `include_direct` would list too many ids.

    The filter of an undeclared type or action is false (E7, P1). It is not cached, because callers can invent types and
    actions without end. If the gates are decided, the context has `valid_until` (F7). If the search has an actor, the
    filter is true where those of both are, and `access_paths` are the subject's (A1). `steps` is the budget of F6.
    """
    why = undeclared(snapshot, search.resource_type, search.action.name)
    if why is not None:
        response = answer(replace(NOTHING, reason=why), has_direct=False)
        return response if search.filter_context is None else _valid(response, None)
    rules = snapshot.rules.types[search.resource_type]
    found, actor = _filter_for(snapshot, search, rules, now, steps), on_behalf(search)
    if actor is None:
        response = answer(found.filter, found.has_direct, found.included)
    else:
        acting = _filter_for(snapshot, actor, rules, now, steps)
        response = answer(joint(found.filter, acting.filter, steps), found.has_direct, found.included)
        if acting.has_direct:
            response["context"]["reason"] += WITHIN_FOR_ACTOR if acting.included else BESIDE_FOR_ACTOR
        found = found._replace(until=min(found.until, acting.until))
    return response if search.filter_context is None else _valid(response, _shown(found.until, now))


class _FilterFor(NamedTuple):
    """The filter for one subject, whether it has direct grants, whether they are part of it, and how long it is
    valid.
    """

    filter: Filter
    has_direct: bool
    included: bool
    until: float


def _filter_for(snapshot: Snapshot, search: ResourceSearch, rules: TypeRules, now: float, steps: int) -> _FilterFor:
    searcher = searcher_of(snapshot, search.subject, now)
    found, included = _filter(snapshot, search, rules, searcher, now, steps)
    has_direct = included or has_grants(snapshot, searcher.holder, rules.number, search.action.name, now)
    if search.filter_context is None:
        return _FilterFor(found, has_direct, included, FOREVER)

    def filter_at(later: Searcher, at: float) -> Filter:
        return _filter(snapshot, search, rules, later, at, steps)[0]

    until = valid_until(snapshot, search, rules, searcher, now, found.tree, filter_at)
    return _FilterFor(found, has_direct, included, until)


class CachedFilter(NamedTuple):
    """A filter for a subject, and whether the subject has direct grants. If gates are decided, it is valid for ever."""

    filter: Filter
    has_direct: bool
    is_decided: bool

    def response(self) -> dict[str, Any]:
        """Returns the filter response (contract 2.6), which the caller may change."""
        response = answer(self.filter, self.has_direct)
        return _valid(response, None) if self.is_decided else response

    def encoded(self) -> bytes:
        """Returns the response as JSON. PERF: the filter keeps it."""
        found = self.filter.encoded.get(self[1:])
        if found is None:
            found = self.filter.encoded[self.has_direct, self.is_decided] = msgspec.json.encode(self.response())
        return found


def cached_filter(snapshot: Snapshot, search: ResourceSearch, now: float) -> CachedFilter | None:
    """Returns the filter if all its parts are cached or take microseconds, or else None."""
    name, action, context = search.resource_type, search.action.name, search.filter_context
    why, is_decided = undeclared(snapshot, name, action), context is not None
    if why is not None:
        return CachedFilter(replace(NOTHING, reason=why, encoded={}), False, is_decided)
    searcher, include = searcher_of(snapshot, search.subject, now), search.options.include_direct
    holder = searcher.holder
    has_direct = cached_has_grants(snapshot, holder, snapshot.rules.types[name].number, action, now)
    derived = snapshot.rules.cached_derived(holder.roles, name, action, is_decided)
    if derived is None or has_direct is None or include == NODE or (include and holder.grants):
        return None
    found = derived.filters.get(outcome_for(derived, searcher, search.action, context, now))
    if found is None:
        return None
    if is_decided and (
        derived.partial.windows or derived.partial.of_subject or holder.until != FOREVER
    ):  # how long it is valid takes longer to find
        return None
    return CachedFilter(found, has_direct, is_decided)


def _filter(
    snapshot: Snapshot, search: ResourceSearch, rules: TypeRules, searcher: Searcher, now: float, steps: int
) -> tuple[Filter, bool]:
    """Returns the filter for a searcher at an instant, and whether direct grants are part of it."""
    filters = snapshot.rules.filters
    derived, outcome = derived_for(snapshot, searcher, rules, search.action, search.filter_context, now)
    include, action = search.options.include_direct, search.action.name
    grants = _grants(searcher, rules, action) if include == NODE else None
    if grants is not None:
        found = filters.filter_with_node(derived, outcome, grants, steps)
        return found, any(leaf.key == grants.comparison[0] for leaf in leaves(found.tree))
    granted = _listed(snapshot, searcher.holder, rules.number, action, now) if include is True else []
    if granted:
        return derive(filters.conditions(derived, outcome), (("id", Operator.IN, granted),), steps), True
    return filters.filter(derived, outcome, steps), False


def _grants(searcher: Searcher, rules: TypeRules, action: str) -> DirectGrants | None:
    """Returns the direct grants of a subject as a node has them, or None if it can't have any (F8).

    That is so without an id, and if its type or its id is no text.
    """
    type, id = searcher.type, searcher.id
    if id is None or not (is_text(type) and is_text(id)):
        return None
    return DirectGrants(rules.type.id, action, (type, id), tuple(searcher.holder.memberships.ids))


def _valid(response: dict[str, Any], until: str | None) -> dict[str, Any]:
    """Adds how long a filter with decided gates is valid."""
    response["context"]["reason"] += DECIDED
    response["context"]["valid_until"] = until
    return response


def _shown(until: float, now: float) -> str | None:
    """Returns how long a filter is valid. The clock's own instant is written as in the filter (X5)."""
    return show_instant(from_seconds(now)) if until == now else shown_instant(until)


def _listed(snapshot: Snapshot, holder: Holder, type: int, action: str, now: float) -> list[str]:
    found = granted_ids(snapshot, holder, type, action, now)
    ids = list(islice(found, MAX_DIRECT_IDS + 1))
    if len(ids) > MAX_DIRECT_IDS:
        raise BadRequest(
            f"the subject has more than {MAX_DIRECT_IDS:,} direct grants; ask for `results`, or for a `node`",
            "$.options.include_direct",
        )
    return ids
