"""What may a subject do with a resource: the actions of its type, each as an evaluation (S2, S3)."""

from ..requests.members import NO_ATTRIBUTES
from ..requests.searches import Action, ActionSearch
from ..rules.reasons import GrantingPath
from ..snapshot import Snapshot
from .searchers import conditions_for, is_granted, resource_of, searcher_of


def find_actions(snapshot: Snapshot, search: ActionSearch, now: float) -> list[tuple[str, GrantingPath]]:
    """The actions that the subject may take, by name, each with its access path.

    Gates are decided where the request has a context (S2); a closed type's unregistered instance has none (S5).
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
        left = conditions_for(snapshot, searcher, rules, Action(name, NO_ATTRIBUTES), search.context, now)
        path = left.path(id, resource.attributes, is_granted(snapshot, searcher.holder, rules.number, id, name, now))
        if path is not None:
            found.append((name, path))
    return found
