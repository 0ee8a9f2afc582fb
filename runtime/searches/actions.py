"""Finds the actions that a subject may do on a resource: it decides each action of the type (S2, S3)."""

from ..requests.members import NO_ATTRIBUTES
from ..requests.searches import Action, ActionSearch
from ..rules.reasons import GrantingPath
from ..snapshot import Snapshot
from .searchers import conditions_for, is_granted, resource_of, searcher_of


def find_actions(snapshot: Snapshot, search: ActionSearch, now: float) -> list[tuple[str, GrantingPath]]:
    """Returns the actions that the subject may do, by name, each with its access path. `now` is in epoch seconds.

    If the request has a context, gates are decided with it (S2). An unregistered instance of a closed type has no
    actions (S5).
    """
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
