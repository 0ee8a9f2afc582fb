"""A model on its way to be accepted: what of its elements could be read, and the names that all of them declare."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...bundles.wording import did_you_mean
from ..documents.element_list import ElementList
from ..documents.error_recovery import Placeholder
from ..limits import Limits
from ..model.elements import ElementKind, Grant, Group, Model, ResourceType, Role


class Names:
    """The names that a list declares, its ids. Where some could not be read, no name is called unknown."""

    def __init__(self, names: Iterable[str], complete: bool, elements: Iterable[ResourceType | Role | Group] = ()):
        self.known = frozenset(names)
        self._complete = complete
        self._elements = elements

    def lacks(self, name: str) -> bool:
        """Whether `name` is certainly not declared."""
        return self._complete and name not in self.known

    def id_of(self, name: str) -> str | None:
        """The id of the first element that is called `name`, a word for people."""
        return self._ids_by_name.get(name)

    @cached_property
    def _ids_by_name(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for element in self._elements:
            if element.name is not None:
                found.setdefault(element.name, element.id)
        return found


class Suggestions:
    """Help that names a near name. After as many searches as diagnostics are listed nobody would see more of it."""

    def __init__(self, searches: int):
        self._searches = searches

    def __call__(self, name: str, known: Collection[str]) -> str:
        self._searches -= 1
        return did_you_mean(name, known) if self._searches >= 0 else ""


@dataclass(frozen=True, slots=True)
class Draft:
    """What checks and lints read.

    The model's elements may hold stand-ins for what could not be read; what a check finds at one is not reported.
    `whole_grants` are those without any. `types` has the types whose actions are all known, of several with one id
    the first; `all_types_read` says whether these are all that are declared.
    """

    model: Model
    whole_grants: Sequence[Grant]
    types: Mapping[str, ResourceType]
    all_types_read: bool
    type_ids: Names
    role_ids: Names
    group_ids: Names
    zones: Names
    suggest: Suggestions
    limits: Limits


def draft_of(lists: Mapping[str, ElementList], zones: Collection[str], limits: Limits) -> Draft:
    """The draft of merged lists, which give their elements away: those of a large model are not kept twice."""
    elements: dict[str, Any] = {str(name): tuple(element_list.take_elements()) for name, element_list in lists.items()}
    model = Model(**elements)
    known = [declared for declared in model.resource_types if not any(map(is_placeholder, declared.actions))]
    types: dict[str, ResourceType] = {}
    for declared in known:
        types.setdefault(declared.id, declared)

    def names(list_name: str) -> Names:
        element_list = lists[list_name]
        ids = (element.id for element in elements[list_name])
        return Names(element_list.unread_ids.union(ids), element_list.all_ids_known, elements[list_name])

    return Draft(
        model=model,
        whole_grants=_without(model.grants, lists[ElementKind.GRANTS].recovered),
        types=types,
        all_types_read=lists[ElementKind.RESOURCE_TYPES].complete and len(known) == len(model.resource_types),
        type_ids=names(ElementKind.RESOURCE_TYPES),
        role_ids=names(ElementKind.ROLES),
        group_ids=names(ElementKind.GROUPS),
        zones=Names(zones, complete=True),
        suggest=Suggestions(limits.diagnostics),
        limits=limits,
    )


def _without(grants: tuple[Grant, ...], recovered: Collection[int]) -> Sequence[Grant]:
    if not recovered:
        return grants  # a million of them are not copied
    return [grant for place, grant in enumerate(grants) if place not in recovered]


def is_placeholder(text: str) -> bool:
    """Whether `text` stands for one that could not be read."""
    return isinstance(text, Placeholder)
