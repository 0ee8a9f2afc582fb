"""Checks that ids, external ids and names are unique (E1, E7), and that no type or action has a reserved name (P1)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from ...bundles.wording import quoted
from ..diagnostics.diagnostic import Finding
from ..lowering.lower import EVERYTHING
from ..model.elements import ElementKind
from .draft import Draft

_WITH_IDS = {
    ElementKind.RESOURCE_TYPES: "resource type",
    ElementKind.ROLES: "role",
    ElementKind.GROUPS: "group",
    ElementKind.POLICIES: "policy",
    ElementKind.ASSIGNMENTS: "assignment",
    ElementKind.GRANTS: "grant",
    ElementKind.ROUTES: "route",
}
_ENTITIES = {ElementKind.SUBJECTS: "subject", ElementKind.RESOURCES: "resource"}


def check_duplicates(draft: Draft) -> Iterator[Finding]:
    """Finds repeated ids. For entities of the same type, it also finds repeated external ids and names (E1)."""
    for name, noun in _WITH_IDS.items():
        elements = getattr(draft.model, name)
        if len({element.id for element in elements}) < len(elements):  # PERF: mostly there are no repeated ids
            yield from _repeated(name, "id", noun, (("", element.id) for element in elements))
    for name, noun in _ENTITIES.items():
        if len(entities := getattr(draft.model, name)) > 1:
            yield from _repeated(name, "id", noun, ((entity.type, entity.id) for entity in entities))
            yield from _repeated(name, "external_id", noun, ((entity.type, entity.external_id) for entity in entities))
    names = ((resource.type, resource.name) for resource in draft.model.resources)
    yield from _repeated("resources", "name", "resource", names)


def check_type_names(draft: Draft) -> Iterator[Finding]:
    """Finds resource types with the same name. A type without a name is named by its id (E7)."""
    first: dict[str, int] = {}
    for index, declared in enumerate(draft.model.resource_types):
        name = declared.name or declared.id
        other = first.setdefault(name, index)
        # If both types have only ids, `check_duplicates` finds the fault.
        if other != index and (declared.name or draft.model.resource_types[other].name):
            member = "name" if declared.name else "id"
            message = f"another resource type has the name {quoted(name)}"
            path = ("resource_types", index, member)
            yield Finding("duplicate-name", message, path, see=("resource_types", other))


def check_reserved_names(draft: Draft) -> Iterator[Finding]:
    """Finds resource types and actions named `*`, which stands for every type or every action (P1)."""
    for index, declared in enumerate(draft.model.resource_types):
        path = ("resource_types", index)
        message = f"{quoted(EVERYTHING)} stands for every type or action, so it can't be the name of one"
        if declared.id == EVERYTHING:
            yield Finding("reserved-name", message, (*path, "id"))
        for place, action in enumerate(declared.actions):
            if action == EVERYTHING:
                yield Finding("reserved-name", message, (*path, "actions", place))


def _repeated(list_name: str, member: str, noun: str, scoped: Iterable[tuple[str, str | None]]) -> Iterator[Finding]:
    """Yields a finding for each name that an earlier element in the same scope has. `scoped` is (scope, name) pairs."""
    seen: dict[str, dict[str, int]] = defaultdict(dict)
    for index, (scope, name) in enumerate(scoped):
        first = index if name is None else seen[scope].setdefault(name, index)
        if first != index:
            message = f"another {noun} has the {member} {quoted(name)}"
            yield Finding(_CODES[member], message, (list_name, index, member), see=(list_name, first))


_CODES = {"id": "duplicate-id", "external_id": "duplicate-external-id", "name": "duplicate-name"}
