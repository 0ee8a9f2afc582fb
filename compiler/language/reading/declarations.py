"""Reads extensions, the mode of requests, declarations of attributes, and silenced lints."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, get_args

from ....bundles.declarations.kinds import AttributeKind
from ....bundles.wording import quoted
from ..placed import Members, Placed, Reader, array, object_of, said, values
from ..syntax_fault import SyntaxFault
from .constants import members_of
from .statement_clauses import ReadStatement, StatementClause, clause, element, member

_KINDS = frozenset(get_args(AttributeKind))
_NO_NAMES = frozenset(("required", "one", "of"))
"""Words that go on with a declaration. As names of attributes, they are in quotes."""


def extensions(children: list[Any]) -> ReadStatement:
    """Reads `extensions references, now`. The value is the array of the names, as in a document."""
    keyword, names = children[0], values(children)
    return ReadStatement("extensions", array(names, keyword.start, (names or [keyword])[-1].end))


def requests(children: list[Any]) -> ReadStatement:
    """Reads `requests strict`. The value is the mode, as in a document."""
    keyword, mode = children
    return ReadStatement("requests", Placed(str(mode.value), keyword.start, mode.end))


def attribute_kinds(children: list[Any]) -> StatementClause:
    """Reads `attributes status string, size number`."""
    keyword, found = children[0], _kinds(children[1:])
    end = found[-1][1] if found else keyword
    return clause(keyword, end, attributes=object_of(members_of(found), keyword.end, end.end))


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
    """Reads `risk string required one of ["low", "high"]`: the name of an attribute, and its declaration.

    What follows the kind may stand in any order. Raises SyntaxFault for what stands twice, and for a word of the
    language as a name: `tags array, of string` would else declare an attribute `of`.
    """
    name, kind, *rest = children
    if name.text in _NO_NAMES:
        raise _no_name(name)
    if name.text in _KINDS and kind.value not in _KINDS:
        help_text = f"write the name before the kind: {quoted(f'{kind.value} {name.text}')}"
        raise SyntaxFault(f"{quoted(kind.value)} is no kind", kind.start, kind.end, help_text)
    if not rest:
        return name, kind
    members: Members = {"kind": member(kind)}
    while rest:
        word = rest.pop(0)
        if word.type == "REQUIRED":
            key, value = "required", said(True, word)
        else:
            key, (_, value) = "one_of", (rest.pop(0), rest.pop(0))
        if key in members:
            raise SyntaxFault(
                f"a second {quoted(word.value)} of one attribute", word.start, value.end, "keep one of them"
            )
        members[key] = member(value)
    return name, object_of(members, kind.start, value.end)


def _no_name(name: Placed) -> SyntaxFault:
    """Returns the fault of a word without quotes that goes on with a declaration, in the place of a name."""
    help_text = f"it follows the kind without a comma; put it in quotes if it is a name: {_in_quotes(name.text)}"
    if name.text == "of":
        help_text = f"an array has no kind of elements; put it in quotes if it is a name: {_in_quotes(name.text)}"
    return SyntaxFault(f"{quoted(name.text)} names no attribute here", name.start, name.end, help_text)


def _in_quotes(word: str) -> str:
    return quoted(f'"{word}"')


def silence(children: list[Any]) -> ReadStatement:
    """Reads `silence deny-priority on p7, p8 because "the order is fixed elsewhere"`."""
    code, *ids, reason = values(children)
    return element("lints", children[0], {"code": code, "on": array(ids) if ids else None, "reason": reason})


def _said(children: list[Any]) -> list[Any]:
    """Returns the first two keywords of a declaration, and the values after them."""
    return [children[0], children[1], *_kinds(children[2:])]


def _kinds(children: list[Any]) -> list[Any]:
    """Returns declarations without the commas. Raises SyntaxFault where one is missing after an array or an object.

    On one line, `tags array element string` would else declare an attribute `element`.
    """
    for one, other in pairwise(children):
        if isinstance(one, tuple) and isinstance(other, tuple) and _is_open(one[1]) and _on_one_line(one[1], other[0]):
            name = other[0]
            help_text = f"write a comma before another attribute; an {one[1].value} has no kind of elements"
            raise SyntaxFault(f"expected a comma, found {quoted(name.text)}", name.start, name.end, help_text)
    return values(children)


def _is_open(kind: Placed) -> bool:
    """Returns whether a reader may take the next words for what is in the value: the kind stands alone."""
    return kind.value in ("array", "object")


def _on_one_line(one: Placed, other: Placed) -> bool:
    """Returns whether a space is all between two words: a new line has its indentation too."""
    return other.start - one.end == 1


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
    "attribute_kinds": attribute_kinds,
    "kind": kind,
    "silence": silence,
}
"""The readers of declarations and silences, by the name of the grammar's rule."""
