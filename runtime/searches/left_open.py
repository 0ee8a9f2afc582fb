"""Finds the attributes that a search did not send, and on which its answer depends (S6)."""

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

from ..filters.attribute_reads import RESOURCES, SUBJECTS
from ..requests.members import NO_ATTRIBUTES, Attributes, Entity
from ..requests.options import Actors, named_actors
from ..requests.searches import Action, ResourceSearch, SubjectSearch
from ..rules.attributes import Asked
from ..rules.memberships import NOBODY
from ..rules.specialise import TypeRules
from ..snapshot import Snapshot
from .direct import has_grants
from .searchers import entry_for, is_granted, resource_of, searcher_of

Opened: TypeAlias = tuple[str, ...] | None
"""Names of attributes, such as `context.ip`, or None if nothing is found, whatever else is sent."""

_SUBJECT: Final = "subject."
_ACTION: Final = "action."


class _Asking(NamedTuple):
    """The parts of a search that stay the same for each subject and action. `resource` is None if it is searched."""

    snapshot: Snapshot
    rules: TypeRules
    resource: Entity | None
    context: Attributes
    decided: bool
    now: float


def open_in_results(
    snapshot: Snapshot, search: ResourceSearch | SubjectSearch, now: float, found: bool
) -> tuple[str, ...]:
    """Returns the attributes on which the results of a search depend and that it does not send, sorted (S6).

    `found` says that the answer has items. Those of a resource search depend on all actions, if they name them (S3).
    """
    if isinstance(search, ResourceSearch):
        return _for_resources(snapshot, search, search.results_context is not None, now, found)
    return _for_subjects(snapshot, search, now)


def open_in_filter(snapshot: Snapshot, search: ResourceSearch, now: float) -> tuple[str, ...]:
    """Returns the same for the filter of a resource search, whose tree names the attributes of the resource."""
    return _for_resources(snapshot, search, search.filter_context is not None, now, with_actions=False)


def _for_resources(
    snapshot: Snapshot, search: ResourceSearch, decided: bool, now: float, with_actions: bool
) -> tuple[str, ...]:
    rules = snapshot.rules.types.get(search.resource_type)
    if rules is None or search.action.name not in rules.type.actions:
        return ()
    asking = _Asking(snapshot, rules, None, search.context or NO_ATTRIBUTES, decided, now)
    actor = search.options.actor
    opened = [_for_all(asking, search.subject, actor, search.action)]
    if with_actions and search.options.given:
        # The properties that were sent are not those of another action (S3).
        for other in rules.type.action_set - {search.action.name}:
            names = _for_all(asking, search.subject, actor, Action(other, NO_ATTRIBUTES)) or ()
            opened.append(tuple(name for name in names if not name.startswith(_ACTION)))
    return united(opened)


def _for_subjects(snapshot: Snapshot, search: SubjectSearch, now: float) -> tuple[str, ...]:
    rules, action = snapshot.rules.types.get(search.resource.type), search.action
    if rules is None or action.name not in rules.type.actions:
        return ()
    id, in_reach = resource_of(snapshot, rules, search.resource)
    context, actor = search.context or NO_ATTRIBUTES, search.options.actor
    asking = _Asking(snapshot, rules, search.resource, context, search.context is not None, now)
    acting = [(name, _opened(asking, one, action)) for name, one in named_actors(actor)]
    if not in_reach or any(names is None for _, names in acting):
        return ()
    reads = snapshot.rules.filters.reads_for_any_roles(rules, action.name, asking.decided)
    r, a, c = search.resource.attributes, action.properties, asking.context
    asked = search.subject_type, None, NO_ATTRIBUTES, id, r, a, c, NOBODY, now
    opened = reads.left_open(asked, SUBJECTS, granted=id is not None)
    for name, names in acting:
        opened = joint(opened, names, name)
    return united([opened])


def _for_all(asking: _Asking, subject: Entity, actor: Actors | None, action: Action) -> Opened:
    own = _opened(asking, subject, action)
    for name, one in named_actors(actor):
        if own is not None:
            own = joint(own, _opened(asking, one, action), name)
    return own


def _opened(asking: _Asking, subject: Entity, action: Action) -> Opened:
    snapshot, rules, resource, context, decided, now = asking
    searcher = searcher_of(snapshot, subject, now)
    type, sid, s, holder, _ = searcher
    derived = entry_for(snapshot, searcher, rules, action.name, decided)
    if resource is None:
        granted = has_grants(snapshot, holder, rules.number, action.name, now)
        parts: Asked = type, sid, s, None, NO_ATTRIBUTES, action.properties, context, holder, now
        return derived.partial.reads.left_open(parts, RESOURCES, granted)
    id, in_reach = resource_of(snapshot, rules, resource)
    if not in_reach:
        return None
    granted = is_granted(snapshot, holder, rules.number, id, action.name, now)
    parts = type, sid, s, id, resource.attributes, action.properties, context, holder, now
    return derived.partial.reads.left_open(parts, None, granted)


def joint(own: Opened, acting: Opened, actor: str) -> Opened:
    """Returns what is left open for a subject and an actor with a name like `actor`, who must both be allowed (A1)."""
    if own is None or acting is None:
        return None
    of_actor = (f"{actor}.{name.removeprefix(_SUBJECT)}" if name.startswith(_SUBJECT) else name for name in acting)
    return (*own, *of_actor)


def united(opened: Iterable[Opened]) -> tuple[str, ...]:
    """Returns all names, sorted."""
    return tuple(sorted({name for names in opened if names is not None for name in names}))
