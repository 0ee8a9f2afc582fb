"""A model on its way to be accepted: the elements that could be read, and the names that all of them declare."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from compiler.diagnostics import did_you_mean
from compiler.gathered import Gathered
from compiler.limits import Limits
from compiler.model import Model, ResourceType


class Names:
    """The names that a list declares. Where some could not be read, no name is called unknown."""

    def __init__(self, names: Iterable[str], complete: bool):
        self.known = frozenset(names)
        self._complete = complete

    def misses(self, name: str) -> bool:
        """Whether `name` is certainly not declared."""
        return self._complete and name not in self.known


class NearNames:
    """Help that names a near name. After as many searches as diagnostics are listed nobody would see more of it."""

    def __init__(self, searches: int):
        self._searches = searches

    def __call__(self, name: str, known: Collection[str]) -> str:
        self._searches -= 1
        return did_you_mean(name, known) if self._searches >= 0 else ""


@dataclass(frozen=True, slots=True)
class Draft:
    """What checks and lints read.

    Of several types with one id, `types` has the first. `all_types_read` says whether it has every declared type.
    """

    model: Model
    types: Mapping[str, ResourceType]
    all_types_read: bool
    type_ids: Names
    role_ids: Names
    group_ids: Names
    zones: Names
    near: NearNames
    limits: Limits


def draft_of(lists: Mapping[str, Gathered], zones: Collection[str], limits: Limits) -> Draft:
    """The draft of merged lists, which give their elements away: those of a large model are not kept twice."""
    elements: dict[str, Any] = {name: tuple(gathered.give_away()) for name, gathered in lists.items()}
    model = Model(**elements)
    types: dict[str, ResourceType] = {}
    for declared in model.resource_types:
        types.setdefault(declared.id, declared)

    def names(ids: Iterable[str], gathered: Gathered) -> Names:
        return Names(gathered.unread_ids.union(ids), gathered.complete)

    return Draft(
        model=model,
        types=types,
        all_types_read=lists["resource_types"].complete and not lists["resource_types"].unread_ids,
        type_ids=names(types, lists["resource_types"]),
        role_ids=names((role.id for role in model.roles), lists["roles"]),
        group_ids=names((group.id for group in model.groups), lists["groups"]),
        zones=Names(zones, complete=True),
        near=NearNames(limits.diagnostics),
        limits=limits,
    )
