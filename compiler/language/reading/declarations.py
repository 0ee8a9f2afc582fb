"""Reads declared attributes and silenced lints."""

from collections.abc import Mapping
from typing import Any

from ..placed import Placed, Reader, array, object_of, said, values
from .constants import members_of
from .statement_clauses import ReadStatement, element, member


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


def context_kind(children: list[Placed]) -> tuple[Placed, Placed]:
    """Reads `risk number required`: the name of an attribute of the context, and its declaration."""
    name, kind, *required = children
    if not required:
        return name, kind
    members = {"kind": member(kind), "required": member(said(True, required[0]))}
    return name, object_of(members, kind.start, required[0].end)


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
    "declare_subject": declare_subject,
    "declare_context": declare_section,
    "declare_action": declare_section,
    "context_kind": context_kind,
    "silence": silence,
}
"""The readers of declared attributes and silences, by the name of the grammar's rule."""
