"""The attribute that is meant by a path of another language, such as `principal.branch` or `R.attr.owner`."""

import re
from typing import Final

from ..words import SECTIONS

_ENTITIES: Final = {
    **dict.fromkeys(("principal", "user", "p", "requester", "caller", "me", "actor", "sub", "jwt"), "subject"),
    **dict.fromkeys(("object", "r", "this", "entity"), "resource"),
    **dict.fromkeys(("environment", "env", "request", "ctx"), "context"),
}
"""The words of other languages for the parts of a request, in lower case."""

PEOPLE: Final = frozenset(("principal", "user", "subject", "me", "self", "caller", "requester", "myself"))
"""Words that mean the one who asks."""

_WRAPPERS: Final = frozenset(("input", "request", "data", "req"))
"""Words that may stand before the part of a request."""

_MEMBERS: Final = frozenset(("attr", "attributes", "attrs", "properties", "props"))
"""Words that may stand between the part of a request and the attribute."""

_PATH = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_METHOD: Final = {
    **dict.fromkeys(("contains", "includes", "has"), 'has "a"'),
    **dict.fromkeys(("containsany", "hasany", "intersects"), 'has any of "a", "b"'),
    **dict.fromkeys(("startswith", "beginswith"), "matches '^a'"),
    "endswith": "matches 'a$'",
    "matches": "matches '^a'",
    "like": "matches '^a'",
    "isempty": "is []",
    "exists": "is present",
}
"""The form here of a method of another language, by its name in lower case, with examples of constants."""


def meant_attribute(word: str) -> str:
    """Returns the attribute of the language that a path means, or "" if it is none.

    >>> meant_attribute("principal.branch"), meant_attribute("request.resource.attr.owner"), meant_attribute("R.id")
    ('subject.branch', 'resource.owner', 'resource.id')
    >>> meant_attribute("input.user.name"), meant_attribute("api.example.com"), meant_attribute("v1.2")
    ('subject.name', '', '')
    """
    if not _PATH.fullmatch(word):
        return ""
    first, *rest = word.split(".")
    if first.casefold() in _WRAPPERS and len(rest) > 1 and _section(rest[0]):
        first, *rest = rest
    section = _section(first)
    if section and len(rest) > 1 and rest[0].casefold() in _MEMBERS:
        rest = rest[1:]
    return ".".join((section, *rest)) if section else ""


def meant_method(attribute: str) -> str:
    """Returns the comparison that is meant by an attribute with the method of another language, or "".

    >>> meant_method("resource.tags.contains"), meant_method("resource.contains")
    ('resource.tags has "a"', '')
    """
    before, _, method = attribute.rpartition(".")
    said = _METHOD.get(method.casefold().replace("_", ""))
    return f"{before} {said}" if said and "." in before else ""


def _section(word: str) -> str:
    return word if f"{word}." in SECTIONS else _ENTITIES.get(word.casefold(), "")
