"""Finds the renames among the differences of two models: an element goes, and another one comes in its place."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from ...bundles.wording import is_made_id
from ..model.elements import ElementKind
from .references import DECLARED, Renamable, names_in
from .renamed import Rename, renamed_body

Body: TypeAlias = Mapping[str, Any]
Difference: TypeAlias = tuple[ElementKind, Body | None, Body | None]
"""A list, and the bodies of one of its elements before and after."""

_MARK: Final = "\ud800"
"""Stands for the name. A lone surrogate is no text, so no model has it."""

_KINDS: Final = (Renamable.ROLE, Renamable.GROUP, Renamable.TYPE, Renamable.POLICY)

_Uses: TypeAlias = Mapping[str, Counter[str]]
"""Everything that is a name or refers to it, by name, with the mark in its place."""


def found_renames(differences: Iterable[Difference]) -> Iterator[Rename]:
    """Yields the renames that explain all that goes under an old name and comes under a new one.

    Of two names that nothing tells apart, neither is found.
    """
    told = [*differences]
    for what in _KINDS:
        gone, come = _names(told, what, 1), _names(told, what, 2)
        if gone and come:
            old, new = _by_uses(_uses(told, what, 1, gone)), _by_uses(_uses(told, what, 2, come))
            for uses in old.keys() & new.keys():
                if len(old[uses]) == len(new[uses]) == 1:
                    yield Rename(what, *old[uses], *new[uses])


def _names(told: Iterable[Difference], what: Renamable, side: int) -> set[str]:
    """Returns the ids that are declared on one side alone."""
    ids = [
        {body["id"] for kind, *bodies in told if kind == DECLARED[what] for body in bodies[at : at + 1] if body}
        for at in (0, 1)
    ]
    return ids[side - 1] - ids[2 - side]


def _uses(told: Iterable[Difference], what: Renamable, side: int, names: set[str]) -> _Uses:
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for difference in told:
        kind, body = difference[0], (difference[1], difference[2])[side - 1]
        for name in {name for _, name in names_in(what, kind, body or {})} & names:
            renamed = renamed_body(Rename(what, name, _MARK), kind, body or {})
            if is_made_id(str(renamed.get("id", ""))):
                del renamed["id"]
            found[name][json.dumps([kind, renamed], sort_keys=True)] += 1
    return found


def _by_uses(uses: _Uses) -> Mapping[frozenset[tuple[str, int]], list[str]]:
    found: dict[frozenset[tuple[str, int]], list[str]] = defaultdict(list)
    for name, counted in uses.items():
        found[frozenset(counted.items())].append(name)
    return found
