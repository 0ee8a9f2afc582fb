"""Writes types, roles, groups, subjects, resources, assignments, grants and routes as lines of text."""

from collections.abc import Iterator

from ....bundles.routing.route import stated_kind
from ...model.elements import (
    Assignment,
    Grant,
    Group,
    Member,
    Resource,
    ResourceRef,
    ResourceType,
    Role,
    Route,
    Subject,
    SubjectRef,
)
from ..words import written_name, written_template, written_text
from .constants import attributes, commas, names
from .declarations import kinds
from .layout import CLAUSE_INDENT, Line


def type_lines(element: ResourceType) -> Iterator[Line]:
    """Yields the lines of a resource type."""
    yield head("type", element.id, element.name)
    if element.actions:
        yield clause("actions", *names(element.actions))
    if element.closed:
        yield clause("closed")
    if element.attributes is not None:
        yield clause("attributes", *kinds(element.attributes))


def role_lines(element: Role) -> Iterator[Line]:
    """Yields the line of a role."""
    yield head("role", element.id, element.name)


def group_lines(element: Group) -> Iterator[Line]:
    """Yields the lines of a group."""
    yield head("group", element.id, element.name)
    if element.members:
        yield clause("members", *commas(map(_member, element.members)))


def subject_lines(element: Subject) -> Iterator[Line]:
    """Yields the lines of a subject."""
    yield Line(["subject", *_reference(element)], 0)
    yield from _entity_lines(element)


def resource_lines(element: Resource) -> Iterator[Line]:
    """Yields the lines of a resource."""
    yield Line(["resource", *_reference(element), *_label(element.name)], 0)
    yield from _entity_lines(element)


def assignment_lines(element: Assignment) -> Iterator[Line]:
    """Yields the line of an assignment."""
    yield Line(["assign", written_name(element.role), "to", *_holder(element), *_terms(element)], 0)


def grant_lines(element: Grant) -> Iterator[Line]:
    """Yields the line of a direct grant."""
    on = ["on", *_reference(element.resource), "to", *_holder(element)]
    yield Line(["grant", *actions(element.actions), *on, *_terms(element)], 0)


def route_lines(element: Route) -> Iterator[Line]:
    """Yields the lines of a route."""
    yield head("route", element.id, None)
    methods = ["any", "method"] if element.methods == ("*",) else names(element.methods)
    yield clause(*methods, written_template(element.path), *(["anonymous"] if element.anonymous else []))
    if element.hosts is not None:
        yield clause("on", *commas([written_template(host)] for host in element.hosts))
    meaning = ["means", written_name(element.action), written_name(element.resource_type)]
    if element.resource_id is not None:
        meaning.append(written_template(element.resource_id))
    if element.external_id is not None:
        meaning += ["external", "id", written_template(element.external_id)]
    yield clause(*meaning)
    if element.attributes is not None:
        sources = ([written_name(key), "from", *_source(source)] for key, source in element.attributes.items())
        yield clause("attributes", *commas(sources))


def head(keyword: str, id: str, name: str | None) -> Line:
    """Returns the first line of a statement."""
    return Line([keyword, written_name(id), *_label(name)], 0)


def clause(*tokens: str) -> Line:
    """Returns the line of a clause."""
    return Line([*tokens], CLAUSE_INDENT)


def actions(found: tuple[str, ...]) -> list[str]:
    """Returns the tokens of a list of actions, with `anything` for `*`."""
    return commas(["anything" if name == "*" else written_name(name)] for name in found)


def _label(name: str | None) -> list[str]:
    return [] if name is None else [written_text(name)]


def _reference(key: Subject | Resource | SubjectRef | ResourceRef | Member) -> list[str]:
    return [written_name(key.type or ""), written_name(key.id or "")]


def _holder(element: Assignment | Grant) -> list[str]:
    """Returns the tokens of the subject or the group that gets a role or a grant."""
    if element.subject is not None:
        return _reference(element.subject)
    return ["group", written_name(element.group or "")]


def _entity_lines(element: Subject | Resource) -> Iterator[Line]:
    if element.external_id is not None:
        yield clause("external", "id", written_name(element.external_id))
    if element.attributes is not None:
        yield clause("attributes", *attributes(element.attributes))


def _member(member: Member) -> list[str]:
    return ["group", written_name(member.group)] if member.group else _reference(member)


def _terms(element: Assignment | Grant) -> Iterator[str]:
    """Yields the tokens of start, expiry and id."""
    for word, value in (("from", element.starts_at), ("until", element.expires_at)):
        if value is not None:
            yield from (word, value)
    if element.id is not None:
        yield from ("as", written_name(element.id))


def _source(source: str) -> list[str]:
    stated = stated_kind(source)
    place = source if stated is None else source.removesuffix(f" as {stated}")
    kind, mark, name = place.partition(":")
    return [
        *([kind, written_name(name)] if mark else [place]),
        *([] if stated is None else ["as", written_name(stated)]),
    ]
