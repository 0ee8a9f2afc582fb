"""The places in elements where the ids of other elements, and the names of actions, stand."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Final, TypeAlias

from ...bundles.wording import Path
from ..model.elements import ElementKind

EVERY: Final = "*"
"""The step of a pattern that stands for each item of an array. As a type or an action, it stands for all of them."""

Pattern: TypeAlias = tuple[str, ...]


class Renamable(StrEnum):
    """A kind of name that can be changed, by the word of the language. An action is one name on all types."""

    ROLE = "role"
    GROUP = "group"
    TYPE = "type"
    ACTION = "action"
    POLICY = "policy"
    ROUTE = "route"


DECLARED: Final[Mapping[Renamable, ElementKind]] = {
    Renamable.ROLE: ElementKind.ROLES,
    Renamable.GROUP: ElementKind.GROUPS,
    Renamable.TYPE: ElementKind.RESOURCE_TYPES,
    Renamable.POLICY: ElementKind.POLICIES,
    Renamable.ROUTE: ElementKind.ROUTES,
}
"""The list of the elements whose `id` is the name. Actions are no elements."""

_ID: Final = ("id",)

_PATTERNS: Final[Mapping[Renamable, Mapping[ElementKind, tuple[Pattern, ...]]]] = {
    Renamable.ROLE: {
        ElementKind.ROLES: (_ID,),
        ElementKind.ASSIGNMENTS: (("role",),),
        ElementKind.POLICIES: (("roles", EVERY), ("except_roles", EVERY)),
    },
    Renamable.GROUP: {
        ElementKind.GROUPS: (_ID, ("members", EVERY, "group")),
        ElementKind.ASSIGNMENTS: (("group",),),
        ElementKind.GRANTS: (("group",),),
    },
    Renamable.TYPE: {
        ElementKind.RESOURCE_TYPES: (_ID,),
        ElementKind.RESOURCES: (("type",),),
        ElementKind.GRANTS: (("resource", "type"),),
        ElementKind.POLICIES: (("resource_types", EVERY, "resource_type_id"),),
        ElementKind.ROUTES: (("resource_type",),),
    },
    Renamable.ACTION: {
        ElementKind.RESOURCE_TYPES: (("actions", EVERY),),
        ElementKind.GRANTS: (("actions", EVERY),),
        ElementKind.POLICIES: (("resource_types", EVERY, "actions", EVERY),),
        ElementKind.ROUTES: (("action",),),
    },
    Renamable.POLICY: {ElementKind.POLICIES: (_ID,)},
    Renamable.ROUTE: {ElementKind.ROUTES: (_ID,)},
}

SILENCED: Final[Pattern] = ("on", EVERY)
"""The places of ids of any kind in a silenced lint."""


def names_in(what: Renamable, kind: ElementKind, body: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """Yields the names of a kind that an element has, each with its path in the element's body.

    >>> [*names_in(Renamable.ROLE, ElementKind.POLICIES, {"id": "p", "roles": ["a", "b"]})]
    [(('roles', 0), 'a'), (('roles', 1), 'b')]
    """
    for pattern in _PATTERNS[what].get(kind, ()):
        yield from found_at(body, pattern)


def found_at(value: Any, pattern: Pattern, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Yields the texts at a pattern in a value, each with its path."""
    if not pattern:
        if isinstance(value, str):
            yield path, value
        return
    step, rest = pattern[0], pattern[1:]
    if step == EVERY and isinstance(value, list | tuple):
        for place, item in enumerate(value):
            yield from found_at(item, rest, (*path, place))
    elif isinstance(value, dict) and step in value:
        yield from found_at(value[step], rest, (*path, step))
