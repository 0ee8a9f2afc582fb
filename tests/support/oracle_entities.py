"""The entities that a request names, read against a model document the slow way (E1-E7)."""

from collections.abc import Iterator
from typing import Any, NamedTuple

Json = Any
Document = dict[str, Any]
Key = tuple[str, str | None]


class Entity(NamedTuple):
    """A subject or resource as conditions see it: its type as the request gives it, its id or None (E6)."""

    type: str
    id: str | None
    attributes: dict[str, Json]


class Question(NamedTuple):
    """One evaluation: `resource_type` is the declared one or None, `now` the clock in epoch seconds."""

    subject: Entity
    resource: Entity
    resource_type: Document | None
    action: str
    action_properties: dict[str, Json]
    context: dict[str, Json]
    now: float
    declared: tuple[tuple[str, str, Document], ...] = ()
    """The declarations of the context and of actions, as (section, key, long form) (C12, C13)."""
    groups: tuple[str, ...] = ()
    """All groups of the subject, in order (X1)."""


def question(document: Document, request: Document, now: float) -> Question:
    """The evaluation that `request` asks of `document` at `now` (E2, E4, E5, E9)."""
    subject, resource, action = request["subject"], request["resource"], request["action"]
    declared = declared_type(document, resource["type"])
    subjects = [s for s in document.get("subjects", []) if s["type"] == subject["type"]]
    resources = [r for r in document.get("resources", []) if declared and r["type"] == declared["id"]]
    asking = named(request, subject, subjects, ("external_id",))
    return Question(
        subject=asking,
        resource=named(request, resource, resources, ("external_id", "name")),
        resource_type=declared,
        action=action["name"],
        action_properties=action.get("properties") or {},
        context=request.get("context") or {},
        now=now,
        declared=tuple(declarations(document)),
        groups=tuple(sorted(groups_of(document, asking[:2]))),
    )


def declarations(document: Document) -> Iterator[tuple[str, str, Document]]:
    """Each declaration of the context and of actions, as (section, key, long form). C12 is about the former alone."""
    for name in ("context", "action"):
        for key, kind in (document.get("attributes", {}).get(name) or {}).items():
            stated = kind if isinstance(kind, dict) else {"kind": kind}
            yield f"{name}_attrs", key, stated if name == "context" else stated | {"required": False}


def asked_by(document: Document, asked: Question, subject: Entity) -> Question:
    """The same evaluation for another subject, with the groups of that one (X1, X4)."""
    return asked._replace(subject=subject, groups=tuple(sorted(groups_of(document, subject[:2]))))


def declared_type(document: Document, name: str) -> Document | None:
    """The resource type that a request calls `name` (E7)."""
    types = document.get("resource_types", [])
    return next((t for t in types if t.get("name", t["id"]) == name), None)


def named(request: Document, entity: Document, listed: list[Document], aliases: tuple[str, ...]) -> Entity:
    """An entity with the attributes sent; what is not sent is the registered one, if the request asks so (E5, E9)."""
    id = identify(entity, listed, aliases)
    registered = next((e.get("attributes") or {} for e in listed if e["id"] == id), {})
    asked = (request.get("options") or {}).get("attributes") == "registered"
    return Entity(entity["type"], id, {**(registered if asked else {}), **sent(entity)})


def identify(entity: Document, listed: list[Document], aliases: tuple[str, ...]) -> str | None:
    """The id sent or found by the alias sent; None where the alias resolves to nothing (E2, E3, E6)."""
    if entity.get("id"):
        return str(entity["id"])
    alias = next(alias for alias in aliases if entity.get(alias))
    return next((e["id"] for e in listed if e.get(alias) == entity[alias]), None)


def sent(entity: Document) -> dict[str, Json]:
    """`attributes` updated with `properties`, a null in it too (E4)."""
    return {**(entity.get("attributes") or {}), **(entity.get("properties") or {})}


def subject_key(asked: Question) -> Key:
    """The subject's (type, id) (E1)."""
    return asked.subject.type, asked.subject.id


def resource_key(asked: Question) -> Key | None:
    """The resource's (type, id) as the model writes it, by the type's id; None where undeclared (E1, E7)."""
    return (asked.resource_type["id"], asked.resource.id) if asked.resource_type else None


def key_of(reference: Document) -> Key:
    """The (type, id) of a reference inside the model (E1)."""
    return reference["type"], reference["id"]


def groups_of(document: Document, subject: Key) -> set[str]:
    """The groups that have the subject as a member, or such a group, and so on until nothing is new (P3)."""
    reached: set[str] = set()
    while True:
        more = {
            group["id"]
            for group in document.get("groups", [])
            for member in group.get("members", [])
            if (member["group"] in reached if "group" in member else key_of(member) == subject)
        }
        if more <= reached:
            return reached
        reached |= more


def registered_subjects(document: Document) -> Iterator[Key]:
    """Every subject that the model lists, assigns, grants to or makes a member (E3)."""
    yield from map(key_of, document.get("subjects", []))
    yield from (key_of(a["subject"]) for a in document.get("assignments", []) if "subject" in a)
    yield from (key_of(g["subject"]) for g in document.get("grants", []) if "subject" in g)
    for group in document.get("groups", []):
        yield from (key_of(member) for member in group.get("members", []) if "group" not in member)


def registered_resources(document: Document) -> Iterator[Key]:
    """Every resource that the model lists or grants on (E3)."""
    yield from map(key_of, document.get("resources", []))
    yield from (key_of(g["resource"]) for g in document.get("grants", []))


def out_of_reach(document: Document, asked: Question) -> bool:
    """An undeclared type, or an unregistered instance of a closed one: denied before anything else (E7)."""
    if asked.resource_type is None:
        return True
    return bool(asked.resource_type.get("closed", False)) and (
        resource_key(asked) not in set(registered_resources(document))
    )
