"""The lists that searches find, the slow way, for S6: they may depend on what a request did not send."""

from collections.abc import Callable, Iterator
from typing import Any

from tests.support.oracle_entities import Entity, asked_by, question, registered_resources, registered_subjects
from tests.support.oracle_searches import admits_decided, found_by_search

Row = dict[str, Any]
Listing = list[Any]
Lister = Callable[[Row, Row, float], Listing]


def attributes_of(document: Row, kind: str, key: tuple[str, str]) -> Row:
    found = (e for e in document.get(kind, []) if (e["type"], e["id"]) == key)
    return next(found, {}).get("attributes", {})


def rows_of(document: Row, request: Row) -> Iterator[Entity]:
    """The registered resources of the searched type, as candidates."""
    declared = question(document, request, 0.0).resource_type
    for type, id in sorted(set(registered_resources(document))):
        if declared is not None and type == declared["id"]:
            yield Entity(request["resource"]["type"], id, attributes_of(document, "resources", (type, id)))


def subjects_found(document: Row, request: Row, now: float) -> Listing:
    """The access path of each subject, or None (S2)."""
    asked, decided = question(document, request, now), request.get("context") is not None
    keys = [key for key in sorted(set(registered_subjects(document))) if key[0] == request["subject"]["type"]]
    each = (asked_by(document, asked, Entity(*key, attributes_of(document, "subjects", key))) for key in keys)
    return [found_by_search(document, one, decided) for one in each]


def actions_found(document: Row, request: Row, now: float) -> Listing:
    """The access path of each action, or None (S2)."""
    asked, decided = question(document, request, now), request.get("context") is not None
    names = sorted((asked.resource_type or {"actions": []})["actions"])
    return [found_by_search(document, asked._replace(action=name, action_properties={}), decided) for name in names]


def resources_found(document: Row, request: Row, now: float) -> Listing:
    """The access path of each resource, or None, and what may be done on those that are found (S2, S3)."""
    asked, decided = question(document, request, now), request.get("context") is not None
    found = []
    for row in rows_of(document, request):
        one = asked._replace(resource=row)
        path = found_by_search(document, one, decided)
        names = [name for name in one.resource_type["actions"] if name != asked.action]
        others = [one._replace(action=name, action_properties={}) for name in names]
        found.append(path and [path, *(bool(found_by_search(document, other, decided)) for other in others)])
    return found


def filtered(document: Row, request: Row, now: float) -> Listing:
    """The rows of which a filter with decided gates is true (F7)."""
    asked = question(document, {**request, "context": request.get("context") or {}}, now)
    rows = [*rows_of(document, request), asked.resource]
    return [admits_decided(document, asked._replace(resource=row)) for row in rows]


def listed(list_of: Lister, document: Row, request: Row, now: float) -> Listing:
    """Returns the listing for the subject and, in its place, for the actor (A1)."""
    actor = request["options"].get("actor")
    found = list_of(document, request, now)
    if actor is None:
        return found
    acting = list_of(document, {**request, "subject": actor}, now)
    return [one and (other and [one, other]) for one, other in zip(found, acting, strict=True)]
