"""Answers a resource search with its filter (F1 to F3, F7)."""

from dataclasses import replace
from itertools import islice
from typing import Any, Final, NamedTuple

from ...bundles.conditions.instants import from_seconds, show_instant, shown_instant
from ...bundles.conditions.operators import Operator
from ...bundles.conditions.trees.canonical import STEPS
from ...bundles.conditions.trees.direct_grants import DirectGrants, direct_grants_in
from ...bundles.conditions.trees.tree import leaves
from ...bundles.conditions.values import is_text
from ..decisions.on_behalf import as_faults_of
from ..filters.derive import NOTHING, Filter, answer, derive, joint
from ..requests.members import BadRequest
from ..requests.searches import NODE, ResourceSearch
from ..rules.specialise import TypeRules
from ..snapshot import FOREVER, Holder, Snapshot
from .context_note import say_left_open
from .direct import granted_ids, has_grants
from .filter_validity import valid_until
from .left_open import open_in_filter
from .searchers import Searcher, derived_for, on_behalf, searcher_of, undeclared

DECIDED = "; conditions on the context are decided with the context of the request"

BESIDE_FOR_ACTOR: Final = "; direct grants of the actor are not part of it"
WITHIN_FOR_ACTOR: Final = "; direct grants of the actor are part of it"

MAX_DIRECT_IDS = 10_000
"""The most ids that `include_direct` lists (F3)."""


def filter_answer(snapshot: Snapshot, search: ResourceSearch, now: float, steps: int = STEPS) -> dict[str, Any]:
    """Returns the filter response (contract 2.6). Raises BadRequest if `include_direct` would list too many ids.

    The filter of an undeclared type or action is false (E7, P1). It is not cached, because callers can invent types and
    actions without end. If the gates are decided, the context has `valid_until` (F7). If the search has actors, the
    filter is true where those of all are, and `access_paths` are the subject's (A1). `steps` is the budget of F6.
    """
    why = undeclared(snapshot, search.resource_type, search.action.name)
    if why is not None:
        response = answer(replace(NOTHING, reason=why), has_direct=False)
        return response if search.filter_context is None else with_validity(response, None)
    rules = snapshot.rules.types[search.resource_type]
    found = _filter_for(snapshot, search, rules, now, steps)
    acting = []
    for actor, asked in on_behalf(search):
        with as_faults_of(actor):
            acting.append(_filter_for(snapshot, asked, rules, now, steps))
    whole = found.filter
    for one in acting:
        whole = joint(whole, one.filter, steps)
    has_direct = found.has_direct or (bool(acting) and _has_node(whole))
    response = answer(whole, has_direct, found.included or (has_direct and not found.has_direct))
    of_actors = {WITHIN_FOR_ACTOR if one.included else BESIDE_FOR_ACTOR for one in acting if one.has_direct}
    response["context"]["reason"] += "".join(sorted(of_actors))
    found = found._replace(until=min([found.until, *(one.until for one in acting)]))
    say_left_open(response["context"], open_in_filter(snapshot, search, now))
    return response if search.filter_context is None else with_validity(response, _shown(found.until, now))


def _has_node(found: Filter) -> bool:
    """Returns whether a node of direct grants stands in a filter (F8)."""
    return any(direct_grants_in(leaf) is not None for leaf in leaves(found.tree))


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


def with_validity(response: dict[str, Any], until: str | None) -> dict[str, Any]:
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
