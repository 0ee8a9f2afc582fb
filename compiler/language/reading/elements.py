"""Reads the statements about types, roles, groups, subjects, resources, assignments and grants."""

from collections.abc import Mapping
from typing import Any

from ..placed import Placed, Reader, array, object_of, values
from .constants import members_of
from .statement_clauses import ReadStatement, StatementClause, clause, element, headed

Holder = tuple[str, Placed]


def type_statement(children: list[Any]) -> ReadStatement:
    """Reads `type document "Document"` and its clauses. A type without actions has an empty list of them."""
    head, name, label, clauses = headed(children)
    read = element("resource_types", head, {"id": name, "name": label}, clauses)
    if "actions" not in read.value.parts:
        none = Placed([], name.start, name.end, [])
        return element("resource_types", head, {"id": name, "name": label, "actions": none}, clauses)
    return read


def actions(children: list[Placed]) -> StatementClause:
    """Reads `actions read, update`."""
    names = values(children)
    return clause(children[0], names[-1], actions=array(names))


def closed(children: list[Placed]) -> StatementClause:
    """Reads `closed`."""
    return clause(children[0], children[0], closed=Placed(True, children[0].start, children[0].end))


def pairs(children: list[Any]) -> StatementClause:
    """Reads `attributes status "draft", size 3`: the attributes of an entity, with their values."""
    keyword, found = children[0], values(children)
    end = found[-1][1] if found else keyword
    return clause(keyword, end, attributes=object_of(members_of(found), keyword.end, end.end))


def pair(children: list[Placed]) -> tuple[Placed, Placed]:
    """Reads the name of an attribute, and its value."""
    return children[0], children[1]


def role_statement(children: list[Any]) -> ReadStatement:
    """Reads `role editor "Editor"`."""
    head, name, label, _ = headed(children)
    return element("roles", head, {"id": name, "name": label})


def group_statement(children: list[Any]) -> ReadStatement:
    """Reads `group engineering` and its members."""
    head, name, label, clauses = headed(children)
    return element("groups", head, {"id": name, "name": label}, clauses)


def members(children: list[Any]) -> StatementClause:
    """Reads `members user alice, group backend`."""
    found = values(children)
    return clause(children[0], found[-1], members=array(found))


def member_group(children: list[Placed]) -> Placed:
    """Reads a group in a group."""
    keyword, name = children
    return object_of({"group": (keyword, name)}, keyword.start, name.end)


def reference(children: list[Placed]) -> Placed:
    """Reads the type and the id of a subject or a resource."""
    kind, name = children
    return object_of({"type": (kind, kind), "id": (name, name)}, kind.start, name.end)


def subject_statement(children: list[Any]) -> ReadStatement:
    """Reads `subject user alice` and its clauses."""
    head, kind, name, *clauses = children
    return element("subjects", head, {"type": kind, "id": name}, clauses)


def resource_statement(children: list[Any]) -> ReadStatement:
    """Reads `resource document d1 "Plan"` and its clauses."""
    head, kind, *rest = children
    _, name, label, clauses = headed([head, *rest])
    return element("resources", head, {"type": kind, "id": name, "name": label}, clauses)


def external_id(children: list[Placed]) -> StatementClause:
    """Reads `external id "idp|1"`."""
    return clause(children[0], children[-1], external_id=children[-1])


def holder_group(children: list[Placed]) -> Holder:
    """Reads the group that gets a role or a grant."""
    return "group", children[1]


def holder_subject(children: list[Placed]) -> Holder:
    """Reads the subject that gets a role or a grant."""
    return "subject", reference(children)


def assign_statement(children: list[Any]) -> ReadStatement:
    """Reads `assign editor to user alice until 2027-01-01T00:00:00Z`."""
    role, (kind, holder), *terms = values(children)
    return element("assignments", children[0], {"role": role, kind: holder}, terms)


def grant_statement(children: list[Any]) -> ReadStatement:
    """Reads `grant read, delete on document d1 to user alice`."""
    terms = [child for child in children if isinstance(child, StatementClause)]
    *granted, resource_type, resource, (kind, holder) = values(children)[: -len(terms) or None]
    members = {
        "actions": array(granted),
        "resource": reference([resource_type, resource]),
        kind: holder,
    }
    return element("grants", children[0], members, terms)


def starts(children: list[Placed]) -> StatementClause:
    """Reads `from` and the instant at which an assignment or a grant starts."""
    return clause(children[0], children[1], starts_at=children[1])


def expires(children: list[Placed]) -> StatementClause:
    """Reads `until` and the instant at which an assignment or a grant expires."""
    return clause(children[0], children[1], expires_at=children[1])


def given_id(children: list[Placed]) -> StatementClause:
    """Reads `as` and the id of an assignment or a grant."""
    return clause(children[0], children[1], id=children[1])


READERS: Mapping[str, Reader] = {
    "type": type_statement,
    "actions": actions,
    "closed": closed,
    "role": role_statement,
    "group": group_statement,
    "members": members,
    "member_group": member_group,
    "member_subject": reference,
    "subject": subject_statement,
    "resource": resource_statement,
    "external_id": external_id,
    "attribute_values": pairs,
    "attribute": pair,
    "assign": assign_statement,
    "holder_group": holder_group,
    "holder_subject": holder_subject,
    "grant": grant_statement,
    "starts": starts,
    "expires": expires,
    "given_id": given_id,
}
"""The readers of types, roles, groups, entities, assignments and grants, by the name of the grammar's rule."""
