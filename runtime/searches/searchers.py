"""The subject and the resource of a filter or a search, and the conditions that apply to them."""

from typing import NamedTuple, TypeVar

from ..decisions.decide import specialised_for, subject_of
from ..decisions.judge import is_registered
from ..filters.filter_cache import Derived
from ..filters.partial import Outcome, RemainingRules
from ..requests.members import NO_ATTRIBUTES, Attributes, Entity
from ..requests.options import named_actors
from ..requests.searches import Action, ActionSearch, ResourceSearch
from ..rules.reasons import NO_ACTION, NO_TYPE
from ..rules.specialise import TypeRules
from ..snapshot import Holder, Snapshot


class Searcher(NamedTuple):
    """A subject with its roles and grants. Its id is None if its external id resolves to nothing (E3).

    It is a `candidate` if a search found it. The request gave every other one.
    """

    type: str
    id: str | None
    attributes: Attributes
    holder: Holder
    candidate: bool = False


def searcher_of(snapshot: Snapshot, subject: Entity, now: float) -> Searcher:
    """Returns the subject that a request names (E3)."""
    id, holder = subject_of(snapshot, subject.type, subject.named_by, subject.name, now)
    return Searcher(subject.type, id, subject.attributes, holder)


Asked = TypeVar("Asked", ResourceSearch, ActionSearch)


def on_behalf(search: Asked) -> list[tuple[str, Asked]]:
    """Returns the same search for each of its actors, with the name of the actor in answers (A1)."""
    alone = search.options._replace(actor=None)
    return [(name, search._replace(subject=one, options=alone)) for name, one in named_actors(search.options.actor)]


def searcher_at(snapshot: Snapshot, searcher: Searcher, later: float) -> Searcher:
    """Returns the subject with the roles and grants that it has at a later instant. They are not cached."""
    if searcher.id is None:
        return searcher
    return searcher._replace(holder=snapshot.holder_at(searcher.type, searcher.id, later))


def resource_of(snapshot: Snapshot, rules: TypeRules, resource: Entity) -> tuple[str | None, bool]:
    """Returns the id of the resource that a request names, and whether it is in reach.

    The id is None if another identifier resolves to nothing (E3). An unregistered instance of a closed type is not in
    reach (E7).
    """
    type, by = rules.number, resource.named_by
    id = resource.name if by == "id" else snapshot.state.resource_id(type, by, resource.name)
    return id, not rules.type.closed or is_registered(snapshot, type, id)


def undeclared(snapshot: Snapshot, resource_type: str, action: str | None = None) -> str | None:
    """Returns why a search of this type and action has no results, or None if both are declared (E7, P1)."""
    rules = snapshot.rules.types.get(resource_type)
    if rules is None:
        return NO_TYPE
    return NO_ACTION if action is not None and action not in rules.type.actions else None


def derived_for(
    snapshot: Snapshot,
    searcher: Searcher,
    rules: TypeRules,
    action: Action,
    context: Attributes | None = None,
    now: float = 0.0,
) -> tuple[Derived, Outcome]:
    """Returns what is derived for a subject and a declared action, and the outcome of the request's own conditions.

    Gates are decided if there is a context, and otherwise left open (F2, S2).
    """
    derived = entry_for(snapshot, searcher, rules, action.name, decided=context is not None)
    return derived, outcome_for(derived, searcher, action, context, now)


def entry_for(snapshot: Snapshot, searcher: Searcher, rules: TypeRules, action: str, decided: bool) -> Derived:
    """Returns what is derived for the roles of a subject and a declared action."""
    specialised = specialised_for(snapshot, searcher.holder, rules.type.name, action)
    assert specialised is not None, "the type is declared"
    return snapshot.rules.filters.derived(specialised, rules, decided)


def outcome_for(
    derived: Derived, searcher: Searcher, action: Action, context: Attributes | None = None, now: float = 0.0
) -> Outcome:
    """Returns the outcome of the conditions that depend on the request alone.

    Raises BadRequest if the request has a value that is too large to refer to (X1).
    """
    type, id, s, holder, is_candidate = searcher
    sent = NO_ATTRIBUTES if context is None else context
    return derived.partial.outcome(type, id, s, holder, action.properties, sent, now, is_candidate)


def conditions_for(
    snapshot: Snapshot,
    searcher: Searcher,
    rules: TypeRules,
    action: Action,
    context: Attributes | None,
    now: float,
) -> RemainingRules:
    """Returns the conditions on the resource that remain; see `derived_for`."""
    return snapshot.rules.filters.conditions(*derived_for(snapshot, searcher, rules, action, context, now))


def is_granted(snapshot: Snapshot, holder: Holder, type: int, id: str | None, action: str, now: float) -> bool:
    """Returns whether a direct grant in force covers an action on a resource (P4)."""
    grants = snapshot.grants(holder, type, id, now)
    return any(action in snapshot.state.action_sets[grant.actions] for grant in grants)
