"""A draft: a model before it is checked, as far as its documents could be read, and the names that it declares."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...bundles.extensions import ExtensionName
from ...bundles.wording import did_you_mean
from ..documents.element_list import ElementList
from ..documents.error_recovery import Placeholder
from ..limits import Limits
from ..model.elements import DeclaredAttributes, ElementKind, Grant, Group, Model, ResourceType, Role
from ..model.joined_attributes import joined_attributes
from ..model.single_members import extensions_of


class DeclaredIds:
    """The ids that a list declares. If some of them could not be read, no id is reported as unknown."""

    def __init__(self, names: Iterable[str], complete: bool, elements: Iterable[ResourceType | Role | Group] = ()):
        """`complete` says whether `names` are all ids. `elements` are the elements of the list."""
        self.known = frozenset(names)
        self._complete = complete
        self._elements = elements

    def lacks(self, name: str) -> bool:
        """Returns whether `name` is certainly not the id of an element."""
        return self._complete and name not in self.known

    def id_of(self, name: str) -> str | None:
        """Returns the id of the first element whose member `name` is `name`, or None if there is none."""
        return self._ids_by_name.get(name)

    @cached_property
    def _ids_by_name(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for element in self._elements:
            if element.name is not None:
                found.setdefault(element.name, element.id)
        return found


class Suggestions:
    """Help that suggests a similar name, for a bounded number of searches."""

    def __init__(self, searches: int):
        """`searches` is the number of searches. Of a compilation, it is that of the diagnostics which are listed."""
        self._searches = searches

    def __call__(self, name: str, known: Collection[str]) -> str:
        """Returns help that names the word in `known` nearest to `name`, or "" if none is near."""
        self._searches -= 1
        return did_you_mean(name, known) if self._searches >= 0 else ""


@dataclass(frozen=True, slots=True)
class Draft:
    """The input of checks and lints.

    The elements of `model` may contain placeholders for values that could not be read. A fault that a check finds at a
    placeholder is not reported. `whole_grants` are the grants without placeholders. `types` are the resource types, by
    id, whose actions could all be read. If several types have the same id, the first one counts. `all_types_read` says
    whether `types` has every declared type. `attributes` are the declared attributes of all documents, or None if there
    are none or if some could not be read. `extensions` are those that the documents name, or None if some could not be
    read. `now` is the instant in epoch seconds, or None if it is not known. `names_anonymous` says whether the gateway
    settings name an anonymous subject (E11), or is None where the settings are not known.
    """

    model: Model
    whole_grants: Sequence[Grant]
    types: Mapping[str, ResourceType]
    all_types_read: bool
    attributes: DeclaredAttributes | None
    extensions: frozenset[ExtensionName] | None
    type_ids: DeclaredIds
    role_ids: DeclaredIds
    group_ids: DeclaredIds
    zones: DeclaredIds
    suggest: Suggestions
    limits: Limits
    now: float | None
    names_anonymous: bool | None


def draft_of(
    lists: Mapping[str, ElementList],
    zones: Collection[str],
    limits: Limits,
    now: float | None = None,
    names_anonymous: bool | None = None,
) -> Draft:
    """Returns the draft of a model with these lists. It empties the lists, to keep a large model in memory only once.

    `zones` are the names of the known time zones. `now` is the instant in epoch seconds, if the lints shall know it.
    `names_anonymous` is as in `Draft`.
    """
    elements: dict[str, Any] = {str(name): tuple(element_list.take_elements()) for name, element_list in lists.items()}
    model = Model(**elements)
    known = [declared for declared in model.resource_types if not any(map(is_placeholder, declared.actions))]
    types: dict[str, ResourceType] = {}
    for declared in known:
        types.setdefault(declared.id, declared)

    def names(list_name: str) -> DeclaredIds:
        element_list = lists[list_name]
        ids = (element.id for element in elements[list_name])
        return DeclaredIds(element_list.unread_ids.union(ids), element_list.all_ids_known, elements[list_name])

    return Draft(
        model=model,
        whole_grants=_without(model.grants, lists[ElementKind.GRANTS].recovered),
        types=types,
        all_types_read=lists[ElementKind.RESOURCE_TYPES].complete and len(known) == len(model.resource_types),
        attributes=joined_attributes(model.attributes) if _is_whole(lists[ElementKind.ATTRIBUTES]) else None,
        extensions=extensions_of(model) if _is_whole(lists[ElementKind.EXTENSIONS]) else None,
        type_ids=names(ElementKind.RESOURCE_TYPES),
        role_ids=names(ElementKind.ROLES),
        group_ids=names(ElementKind.GROUPS),
        zones=DeclaredIds(zones, complete=True),
        suggest=Suggestions(limits.diagnostics),
        limits=limits,
        now=now,
        names_anonymous=names_anonymous,
    )


def _is_whole(element_list: ElementList) -> bool:
    return element_list.complete and not element_list.recovered


def _without(grants: tuple[Grant, ...], recovered: Collection[int]) -> Sequence[Grant]:
    if not recovered:
        return grants  # without a copy of a million grants
    return [grant for place, grant in enumerate(grants) if place not in recovered]


def is_placeholder(text: str) -> bool:
    """Returns whether `text` is a placeholder for a text that could not be read."""
    return isinstance(text, Placeholder)
