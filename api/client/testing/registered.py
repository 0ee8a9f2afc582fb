"""The registered entities of a model: those that it lists, and those that an element names (E3)."""

from collections.abc import Iterator

from ..compiler.model.elements import Model, Resource, ResourceRef, Subject, SubjectRef


def registered_subjects(model: Model, type: str) -> dict[str, Subject]:
    """Returns the registered subjects of a type, by id. One that is only named has no attributes."""
    found = {ref.id: Subject(ref.type, ref.id) for ref in _named_subjects(model) if ref.type == type}
    return found | {one.id: one for one in model.subjects if one.type == type}


def registered_resources(model: Model, type: str) -> dict[str, Resource]:
    """Returns the registered resources of a type, by id. One that is only named has no attributes."""
    named: Iterator[ResourceRef] = (one.resource for one in model.grants)
    found = {ref.id: Resource(ref.type, ref.id) for ref in named if ref.type == type}
    return found | {one.id: one for one in model.resources if one.type == type}


def _named_subjects(model: Model) -> Iterator[SubjectRef]:
    yield from (one.subject for one in model.assignments if one.subject is not None)
    yield from (one.subject for one in model.grants if one.subject is not None)
    for group in model.groups:
        for member in group.members:
            if member.type is not None and member.id is not None:
                yield SubjectRef(member.type, member.id)
