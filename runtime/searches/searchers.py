"""A subject as filters and searches meet it, and what the rules leave for it."""

from typing import NamedTuple

from ..decisions.decide import is_registered, subject_of, what_is_left
from ..filters.filter_cache import Derived
from ..filters.partial import Conditions, Outcome
from ..requests.members import NO_ATTRIBUTES, Attributes
from ..requests.searches import Action, Entity
from ..rules.reasons import NOT_DECLARED
from ..rules.specialise import TypeRules
from ..snapshot import Holder, Snapshot

NO_TYPE, NO_ACTION = NOT_DECLARED.context["reason"], "the resource type does not declare the action"


class Searcher(NamedTuple):
    """A subject: its type, its id, None where its external id leads nowhere, its attributes, and what it brings."""

    type: str
    id: str | None
    attributes: Attributes
    holder: Holder


def searcher_of(snapshot: Snapshot, subject: Entity, now: float) -> Searcher:
    """The subject that a request names (E3)."""
    id, holder = subject_of(snapshot, subject.type, subject.named_by, subject.name, now)
    return Searcher(subject.type, id, subject.attributes, holder)


def resource_of(snapshot: Snapshot, rules: TypeRules, resource: Entity) -> tuple[str | None, bool]:
    """The id of the resource that a request names, None where another name leads nowhere, and whether it is in reach:
    an unregistered instance of a closed type is not (E3, E7).
    """
    type, by = rules.number, resource.named_by
    id = resource.name if by == "id" else snapshot.state.resource_id(type, by, resource.name)
    return id, not rules.type.closed or is_registered(snapshot, type, id)


def undeclared(snapshot: Snapshot, resource_type: str, action: str | None = None) -> str | None:
    """Why nothing of that type can be found, None where the type, and the action if there is one, are declared."""
    rules = snapshot.rules.types.get(resource_type)
    if rules is None:
        return NO_TYPE
    return NO_ACTION if action is not None and action not in rules.type.actions else None


def left_for(
    snapshot: Snapshot,
    searcher: Searcher,
    rules: TypeRules,
    action: Action,
    context: Attributes | None = None,
    now: float = 0.0,
) -> tuple[Derived, Outcome]:
    """What is left for a subject and an action that the type declares. Gates are decided with a context, open without
    (F2, S2).
    """
    left = what_is_left(snapshot, searcher.holder, rules.type.name, action.name)
    assert left is not None, "the type is declared"
    derived = snapshot.rules.filters.derived(left, rules, decided=context is not None)
    return derived, outcome_for(derived, searcher, action, context, now)


def outcome_for(
    derived: Derived, searcher: Searcher, action: Action, context: Attributes | None = None, now: float = 0.0
) -> Outcome:
    """Which of the rules that depend on the request are left."""
    sent = NO_ATTRIBUTES if context is None else context
    return derived.partial.outcome(searcher.type, searcher.id, searcher.attributes, action.properties, sent, now)


def conditions_for(
    snapshot: Snapshot,
    searcher: Searcher,
    rules: TypeRules,
    action: Action,
    context: Attributes | None,
    now: float,
) -> Conditions:
    """The rules that are left, as `left_for`."""
    return snapshot.rules.filters.conditions(*left_for(snapshot, searcher, rules, action, context, now))


def is_granted(snapshot: Snapshot, holder: Holder, type: int, id: str | None, action: str, now: float) -> bool:
    """Whether a direct grant in force covers an action on a resource (P4)."""
    grants = snapshot.grants(holder, type, id, now)
    return any(action in snapshot.state.action_sets[grant.actions] for grant in grants)
