"""Adds registered attributes to the entities that a search names, if it asks for them (E9)."""

from typing import TypeVar

from ..decisions.registered import resource_attributes, subject_attributes
from ..requests.members import Entity
from ..requests.options import named_actors
from ..requests.registry import Registry
from ..requests.searches import ActionSearch, ResourceSearch, SubjectSearch
from ..snapshot import Snapshot

Search = TypeVar("Search", ResourceSearch, SubjectSearch, ActionSearch)
Listing = TypeVar("Listing", ResourceSearch, SubjectSearch)


def completed(snapshot: Snapshot, search: Search, registry: Registry | None) -> Search:
    """Returns a search whose given entities have their registered attributes too, if it asks for them.

    Raises SearchUnavailable if it does and there is no registry, and TakesLong on an event loop.
    """
    if not search.options.registered:
        return search
    if isinstance(search, ResourceSearch | ActionSearch):
        search = search._replace(subject=_subject(snapshot, search.subject, registry))
    if isinstance(search, SubjectSearch | ActionSearch):
        search = search._replace(resource=_resource(snapshot, search.resource, registry))
    actor = search.options.actor
    if actor is not None:
        known = tuple(_subject(snapshot, one, registry) for _, one in named_actors(actor))
        known_actor = known[0] if isinstance(actor, Entity) else known
        search = search._replace(options=search.options._replace(actor=known_actor))
    return search


def _subject(snapshot: Snapshot, subject: Entity, registry: Registry | None) -> Entity:
    return subject._replace(attributes=subject_attributes(snapshot, subject[:3], subject.attributes, registry))


def _resource(snapshot: Snapshot, resource: Entity, registry: Registry | None) -> Entity:
    return resource._replace(attributes=resource_attributes(snapshot, resource[:3], resource.attributes, registry))
