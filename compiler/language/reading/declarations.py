"""Reads extensions, the mode of requests, declarations of attributes, and silenced lints."""

from collections.abc import Mapping
from typing import Any

from ..placed import Placed, Reader, array, object_of, said, values
from .constants import members_of
from .statement_clauses import ReadStatement, element, member


def extensions(children: list[Any]) -> ReadStatement:
    """Reads `extensions references, now`. The value is the array of the names, as in a document."""
    keyword, names = children[0], values(children)
    return ReadStatement("extensions", array(names, keyword.start, (names or [keyword])[-1].end))


def requests(children: list[Any]) -> ReadStatement:
    """Reads `requests strict`. The value is the mode, as in a document."""
    keyword, mode = children
    return ReadStatement("requests", Placed(str(mode.value), keyword.start, mode.end))


def declare_subject(children: list[Any]) -> ReadStatement:
    """Reads `declare subject user department string`. Without a type, subjects have no attributes."""
    keyword, section, *found = _said(children)
    if not found:
        return _section(keyword, section, object_of({}, section.start, section.end))
    kind, *pairs = found
    end = pairs[-1][1] if pairs else kind
    attributes = object_of(members_of(pairs), kind.start, end.end)
    return _section(keyword, section, object_of({kind.value: (kind, attributes)}, kind.start, end.end))


def declare_section(children: list[Any]) -> ReadStatement:
    """Reads `declare context mfa boolean`, or the same for actions. Without attributes, there are none."""
    keyword, section, *pairs = _said(children)
    end = pairs[-1][1] if pairs else section
    return _section(keyword, section, object_of(members_of(pairs), section.start, end.end))


def kind(children: list[Placed]) -> tuple[Placed, Placed]:
    """Reads `risk string required one of ["low", "high"]`: the name of an attribute, and its declaration."""
    name, kind, *rest = children
    if not rest:
        return name, kind
    members = {"kind": member(kind)}
    if rest[0].type == "REQUIRED":
        members["required"] = member(said(True, rest[0]))
    if isinstance(rest[-1].value, list):
        members["one_of"] = member(rest[-1])
    return name, object_of(members, kind.start, rest[-1].end)


def silence(children: list[Any]) -> ReadStatement:
    """Reads `silence deny-priority on p7, p8 because "the order is fixed elsewhere"`."""
    code, *ids, reason = values(children)
    return element("lints", children[0], {"code": code, "on": array(ids) if ids else None, "reason": reason})


def _said(children: list[Any]) -> list[Any]:
    """Returns the first two keywords of a declaration, and the values after them."""
    return [children[0], children[1], *values(children[2:])]


def _section(keyword: Placed, section: Placed, attributes: Placed) -> ReadStatement:
    """Returns the object of declared attributes with one section."""
    declared = object_of({section.value: member(attributes)}, keyword.start, attributes.end)
    return ReadStatement("attributes", declared)


READERS: Mapping[str, Reader] = {
    "extensions": extensions,
    "requests": requests,
    "declare_subject": declare_subject,
    "declare_context": declare_section,
    "declare_action": declare_section,
    "kind": kind,
    "silence": silence,
}
"""The readers of declarations and silences, by the name of the grammar's rule."""
