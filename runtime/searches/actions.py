"""Finds the actions that a subject may do on a resource: it decides each action of the type (S2, S3, S6)."""

from collections.abc import Iterator
from typing import NamedTuple

from ..decisions.on_behalf import as_faults_of
from ..requests.members import NO_ATTRIBUTES
from ..requests.searches import Action, ActionSearch
from ..rules.attributes import Asked
from ..rules.reasons import GrantingPath
from ..snapshot import Snapshot
from .left_open import Opened, joint, united
from .searchers import derived_for, is_granted, on_behalf, resource_of, searcher_of


class FoundActions(NamedTuple):
    """The actions that a subject may do, by name, each with its access path, and what the search leaves open (S6)."""

    actions: list[tuple[str, GrantingPath]]
    left_open: tuple[str, ...]


class _Found(NamedTuple):
    """The access path of an action, or None if it is not allowed, and what its search leaves open."""

    path: GrantingPath | None
    opened: Opened


def find_actions(snapshot: Snapshot, search: ActionSearch, now: float) -> FoundActions:
    """Returns the actions that the subject may do. `now` is in epoch seconds.

    If the request has a context, gates are decided with it (S2). An unregistered instance of a closed type has no
    actions (S5). If the search has an actor, it must be allowed too; the paths are those of the subject (A1).
    """
    found = dict(_actions_of_one(snapshot, search, now))
    for actor, asked in on_behalf(search):
        with as_faults_of(actor):
            acting = dict(_actions_of_one(snapshot, asked, now))
        found = {name: _both(one, acting[name], actor) for name, one in found.items()}
    actions = [(name, one.path) for name, one in found.items() if one.path is not None]
    return FoundActions(actions, united([one.opened for one in found.values()]))


def _both(own: _Found, acting: _Found, actor: str) -> _Found:
    return _Found(None if acting.path is None else own.path, joint(own.opened, acting.opened, actor))


def _actions_of_one(snapshot: Snapshot, search: ActionSearch, now: float) -> Iterator[tuple[str, _Found]]:
    resource = search.resource
    rules = snapshot.rules.types.get(resource.type)
    if rules is None:
        return
    id, in_reach = resource_of(snapshot, rules, resource)
    if not in_reach:
        return
    searcher = searcher_of(snapshot, search.subject, now)
    type, sid, s, holder, _ = searcher
    context, r = search.context or NO_ATTRIBUTES, resource.attributes
    asked: Asked = type, sid, s, id, r, NO_ATTRIBUTES, context, holder, now
    for name in sorted(rules.type.actions):
        derived, outcome = derived_for(snapshot, searcher, rules, Action(name, NO_ATTRIBUTES), search.context, now)
        granted = is_granted(snapshot, holder, rules.number, id, name, now)
        path = snapshot.rules.filters.conditions(derived, outcome).path(id, r, granted)
        yield name, _Found(path, derived.partial.reads.left_open(asked, None, granted))
