"""Reads routes: the requests that they match, and the resource and action that these are about."""

from collections.abc import Mapping, Sequence
from typing import Any

from ....bundles.wording import quoted
from ..placed import Members, Placed, Reader, array, object_of, said, values
from ..syntax_fault import SyntaxFault
from .constants import members_of
from .statement_clauses import ReadStatement, StatementClause, clause, element, member

_EVERY_METHOD = ("ANY", "ALL", "EVERY")
_NEEDED = (
    ("path", "which requests it matches", "GET /documents/{id}"),
    ("action", "which action it means", "means read document {id}"),
)
"""The clauses that a route needs: a member of each, what it says, and an example."""


def route_statement(children: list[Any]) -> ReadStatement:
    """Reads `route show-document` and its clauses. Raises SyntaxFault if one is missing."""
    head, name, *clauses = children
    read = element("routes", head, {"id": name}, clauses)
    for member_name, what, example in _NEEDED:
        if member_name not in read.value.parts:
            raise SyntaxFault(f"the route does not say {what}", name.start, name.end, f"add a line such as `{example}`")
    return read


def any_method(children: list[Placed]) -> StatementClause:
    """Reads `any method /documents/{id}`, perhaps with `anonymous`."""
    keyword, _, *rest = children
    return _matching(keyword, array([said("*", keyword)]), rest)


def methods(children: list[Placed]) -> StatementClause:
    """Reads `GET, HEAD /documents/{id}`, perhaps with `anonymous`.

    Raises SyntaxFault for a word that is meant as every method.
    """
    marked = children[-1].type == "anonymous"
    *names, path = values(children[: -1 if marked else None])
    for name in names:
        if name.value.upper() in _EVERY_METHOD:
            raise SyntaxFault(f"{quoted(name.value)} is no method", name.start, name.end, "write `any method`")
    return _matching(names[0], array(names), [path, *children[-1:]] if marked else [path])


def anonymous(children: list[Placed]) -> Placed:
    """Reads `anonymous` behind a path. Elsewhere it is a name, as it was before the language had this word."""
    (keyword,) = children
    return Placed(True, keyword.start, keyword.end, type="anonymous")


def _matching(first: Placed, names: Placed, rest: Sequence[Placed]) -> StatementClause:
    """Returns the clause of the methods, and of the path and perhaps the mark in `rest`."""
    path, *mark = rest
    members: Members = {"methods": member(names), "path": member(path)}
    if mark:
        members["anonymous"] = member(mark[0])
    return StatementClause(first, rest[-1].end, members)


def hosts(children: list[Placed]) -> StatementClause:
    """Reads `on docs.example.com, *.example.org`."""
    keyword, found = children[0], values(children)
    return clause(keyword, found[-1], hosts=array(found))


def means(children: list[Any]) -> StatementClause:
    """Reads `means read document`, with the resource's id or external id."""
    keyword, action, kind, *named = children
    members: Members = {"resource_type": member(kind), "action": member(action)}
    for name, value in named:
        members[name] = member(value)
    return StatementClause(keyword, (named[0][1] if named else kind).end, members)


def resource_id(children: list[Placed]) -> tuple[str, Placed]:
    """Reads the template of a resource's id."""
    return "resource_id", children[0]


def external_resource_id(children: list[Placed]) -> tuple[str, Placed]:
    """Reads the template of a resource's external id."""
    return "external_id", children[-1]


def sources(children: list[Any]) -> StatementClause:
    """Reads `attributes page from query page, tenant from header X-Tenant, folder from {folder}`."""
    keyword, found = children[0], values(children)
    end = found[-1][1] if found else keyword
    return clause(keyword, end, attributes=object_of(members_of(found), keyword.end, end.end))


def query_source(children: list[Placed]) -> tuple[Placed, Placed]:
    """Reads an attribute that comes from the query."""
    return _sourced(children, "query:")


def header_source(children: list[Placed]) -> tuple[Placed, Placed]:
    """Reads an attribute that comes from a header."""
    return _sourced(children, "header:")


def capture_source(children: list[Placed]) -> tuple[Placed, Placed]:
    """Reads an attribute that comes from a part of the path."""
    return _sourced(children, "")


def _sourced(children: list[Placed], place: str) -> tuple[Placed, Placed]:
    """Returns the name of an attribute, and its source as the document has it, with the type after `as`."""
    key, name, *stated = values(children)
    kind = f" as {stated[0].value}" if stated else ""
    return key, Placed(f"{place}{name.value}{kind}", name.start, (stated or [name])[0].end)


READERS: Mapping[str, Reader] = {
    "route": route_statement,
    "anonymous": anonymous,
    "any_method": any_method,
    "methods": methods,
    "hosts": hosts,
    "means": means,
    "resource_id": resource_id,
    "external_resource_id": external_resource_id,
    "sources": sources,
    "query_source": query_source,
    "header_source": header_source,
    "capture_source": capture_source,
}
"""The readers of routes, by the name of the grammar's rule."""
