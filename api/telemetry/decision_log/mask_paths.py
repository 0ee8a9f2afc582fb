"""The path of a mask: which members of a request it is about."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final, TypeAlias

from ....bundles.wording import quoted

ANY: Final = "*"
"""A step to every member of an object, or to every element of an array."""

Step: TypeAlias = str
Path: TypeAlias = tuple[Step, ...]

MOST_STEPS: Final = 32

MOST_REMEMBERED: Final = 4_096
"""Paths, and their ends, that are taken apart once."""

_ENTITY: Final = frozenset({"type", "id", "external_id", "properties", "attributes"})
MEMBERS: Final[Mapping[str, frozenset[str] | None]] = {
    "subject": _ENTITY,
    "resource": _ENTITY | {"name"},
    "action": frozenset({"name", "properties"}),
    "context": None,
    "options": None,
    "page": None,
}
"""The members of the requests that are logged, and those of their entities. None: whatever may be there."""

_ENTITIES: Final = ("subject", "resource")
_BAGS: Final = ("properties", "attributes")
"""The members with the attributes of these entities."""

_STEP: Final = re.compile(r'\.(\*|[^.\[\]"*\s]+)|\[(?:"((?:[^"\\]|\\["\\])*)"|(\*))\]')


class BadPath(ValueError):
    """The text is no path. The message is one sentence."""


def read_path(text: str) -> Path:
    """Returns the steps of a path like `$.subject.properties.email`. Raises BadPath.

    >>> read_path('$.context["a.b"].list[*].x')
    ('context', 'a.b', 'list', '*', 'x')
    """
    steps, at = [], 1
    while text.startswith("$") and (found := _STEP.match(text, at)):
        plain, name, every = found.groups()
        steps.append(plain or every or re.sub(r'\\(["\\])', r"\1", name))
        at = found.end()
    if not 0 < len(steps) <= MOST_STEPS or at != len(text):
        raise BadPath(f"{quoted(text)} is no path; give one like `$.subject.properties.email`")
    return tuple(steps)


def also_at(path: Path) -> tuple[Path, ...]:
    """Returns all paths to what a path leads to: requests may send it in several places.

    Attributes are in `properties` or in `attributes` (E4), and an actor is a subject too (A1).

    >>> also_at(("subject", "properties", "email"))[1:3]
    (('subject', 'attributes', 'email'), ('options', 'actor', 'properties', 'email'))
    """
    first, *rest = path
    owners = (("subject",), ("options", "actor")) if first == "subject" else ((first,),)
    bags = _BAGS if first in _ENTITIES and rest and rest[0] in _BAGS else None
    ends = [rest] if bags is None else [rest, [next(bag for bag in _BAGS if bag != rest[0]), *rest[1:]]]
    return tuple((*owner, *end) for owner in owners for end in ends)


def unknown_member(path: Path) -> str | None:
    """Returns the beginning of a path that no request has, as Writ reads requests, or None.

    A path through such a member masks nothing, and is most likely misspelt.

    >>> unknown_member(("subject", "propertys", "email")), unknown_member(("subject", "properties", "email"))
    ('subject.propertys', None)
    """
    first, *rest = path
    if first == ANY:
        return None
    if first not in MEMBERS:
        return first
    known = MEMBERS[first]
    if known is None or not rest or rest[0] == ANY or rest[0] in known:
        return None
    return f"{first}.{rest[0]}"


def replaced(value: Any, path: Path, change: Callable[[Any], Any], drop: object) -> bool:
    """Changes what a path leads to in decoded JSON, in place. Returns whether it leads anywhere.

    What `change` maps to `drop` is removed. A step may take the rest of a name: conditions find `a.b` as one name, or
    as `b` in `a` (C1), so a mask finds both.
    """
    if isinstance(value, list):
        rest = path[1:] if path[0] == ANY else path
        return _in_array(value, rest, change, drop)
    if not isinstance(value, dict):
        return False
    found = False
    if path[0] == ANY:
        for name in list(value):
            found = _in_member(value, name, path[1:], change, drop) or found
    for name, rest in _ways(path):
        if name in value:
            found = _in_member(value, name, rest, change, drop) or found
    for pattern, rest in _dotted_ways(path):
        for name in [one for one in value if "." in one and pattern.fullmatch(one)]:
            found = _in_member(value, name, rest, change, drop) or found
    return found


@lru_cache(MOST_REMEMBERED)
def _dotted_ways(path: Path) -> tuple[tuple[re.Pattern[str], Path], ...]:
    """Returns the patterns of dotted names that a path with `*` may begin with, and what follows each of them."""
    ends = [used for used in range(2, len(path) + 1) if ANY in path[:used]]
    patterns = (r"\.".join(".+" if step == ANY else re.escape(step) for step in path[:used]) for used in ends)
    return tuple((re.compile(one, re.DOTALL), path[used:]) for one, used in zip(patterns, ends, strict=True))


@lru_cache(MOST_REMEMBERED)
def _ways(path: Path) -> tuple[tuple[str, Path], ...]:
    """Returns the names that a path may begin with, and what follows each of them."""
    least = 2 if path[0] == ANY else 1
    return tuple((".".join(path[:used]), path[used:]) for used in range(least, len(path) + 1))


def _in_member(owner: dict[str, Any], name: str, rest: Path, change: Callable[[Any], Any], drop: object) -> bool:
    if rest:
        return replaced(owner[name], rest, change, drop)
    changed = change(owner[name])
    if changed is drop:
        del owner[name]
    else:
        owner[name] = changed
    return True


def _in_array(elements: list[Any], rest: Path, change: Callable[[Any], Any], drop: object) -> bool:
    """An array on the way counts as each of its elements, with and without its own step."""
    if rest:
        found = [replaced(element, rest, change, drop) for element in elements]  # all of them, not up to the first
        return any(found)
    elements[:] = [changed for element in elements if (changed := change(element)) is not drop]
    return True
