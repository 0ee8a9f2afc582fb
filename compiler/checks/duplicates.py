"""Nothing is declared twice: ids, external ids and names are unique where they name something (E1)."""

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
}
_ENTITIES = {ElementKind.SUBJECTS: "subject", ElementKind.RESOURCES: "resource"}


def check_duplicates(draft: Draft) -> Iterator[Finding]:
    """Ids are unique in a list, an entity's ids and external ids within its type, names of resources too."""
    for name, noun in _WITH_IDS.items():
        if len(elements := getattr(draft.model, name)) > 1:
            yield from _repeated(name, "id", noun, (("", element.id) for element in elements))
    for name, noun in _ENTITIES.items():
        if len(entities := getattr(draft.model, name)) > 1:
            yield from _repeated(name, "id", noun, ((entity.type, entity.id) for entity in entities))
            yield from _repeated(name, "external_id", noun, ((entity.type, entity.external_id) for entity in entities))
    names = ((resource.type, resource.name) for resource in draft.model.resources)
    yield from _repeated("resources", "name", "resource", names)


def check_type_names(draft: Draft) -> Iterator[Finding]:
    """Requests tell resource types apart by their names, which are their ids where none is given (E7)."""
    first: dict[str, int] = {}
    for index, declared in enumerate(draft.model.resource_types):
        name = declared.name or declared.id
        other = first.setdefault(name, index)
        # Equal ids without names are one fault, which `check_duplicates` finds.
        if other != index and (declared.name or draft.model.resource_types[other].name):
            member = "name" if declared.name else "id"
            message = f"another resource type has the name {quoted(name)}"
            path = ("resource_types", index, member)
            yield Finding("duplicate-name", message, path, see=("resource_types", other))


def check_reserved_names(draft: Draft) -> Iterator[Finding]:
    """`*` means every type and every action, so none can be called that (P1)."""
    for index, declared in enumerate(draft.model.resource_types):
        path = ("resource_types", index)
        message = f"{quoted(EVERYTHING)} stands for all of them and can't be the name of one"
        if declared.id == EVERYTHING:
            yield Finding("reserved-name", message, (*path, "id"))
        for place, action in enumerate(declared.actions):
            if action == EVERYTHING:
                yield Finding("reserved-name", message, (*path, "actions", place))


def _repeated(list_name: str, member: str, noun: str, scoped: Iterable[tuple[str, str | None]]) -> Iterator[Finding]:
    """Findings for names that an earlier element has in the same scope."""
    seen: dict[str, dict[str, int]] = defaultdict(dict)
    for index, (scope, name) in enumerate(scoped):
        first = index if name is None else seen[scope].setdefault(name, index)
        if first != index:
            message = f"another {noun} has the {member} {quoted(name)}"
            yield Finding(_CODES[member], message, (list_name, index, member), see=(list_name, first))


_CODES = {"id": "duplicate-id", "external_id": "duplicate-external-id", "name": "duplicate-name"}
