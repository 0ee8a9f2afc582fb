"""Finds the actions that a subject may do on a resource: it decides each action of the type (S2, S3)."""

from ..requests.members import NO_ATTRIBUTES
from ..requests.searches import Action, ActionSearch
from ..rules.reasons import GrantingPath
from ..snapshot import Snapshot
from .searchers import conditions_for, is_granted, on_behalf, resource_of, searcher_of


def find_actions(snapshot: Snapshot, search: ActionSearch, now: float) -> list[tuple[str, GrantingPath]]:
    """Returns the actions that the subject may do, by name, each with its access path. `now` is in epoch seconds.

    If the request has a context, gates are decided with it (S2). An unregistered instance of a closed type has no
    actions (S5). If the search has an actor, it must be allowed too; the paths are those of the subject (A1).
    """
    actor = on_behalf(search)
    found = _actions_of_one(snapshot, search, now)
    if actor is None or not found:
        return found
    allowed = {name for name, _ in _actions_of_one(snapshot, actor, now)}
    return [(name, path) for name, path in found if name in allowed]


def _actions_of_one(snapshot: Snapshot, search: ActionSearch, now: float) -> list[tuple[str, GrantingPath]]:
    resource = search.resource
    rules = snapshot.rules.types.get(resource.type)
    if rules is None:
        return []
    id, in_reach = resource_of(snapshot, rules, resource)
    if not in_reach:
        return []
    searcher = searcher_of(snapshot, search.subject, now)
    found = []
    for name in sorted(rules.type.actions):
        conditions = conditions_for(snapshot, searcher, rules, Action(name, NO_ATTRIBUTES), search.context, now)
        path = conditions.path(
            id, resource.attributes, is_granted(snapshot, searcher.holder, rules.number, id, name, now)
        )
        if path is not None:
            found.append((name, path))
    return found
