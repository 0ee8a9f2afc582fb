"""The texts of an element in which a part is sought."""

from collections.abc import Mapping
from typing import Any, Final

from ....compiler.model.elements import ElementKind
from ..elements.element_bodies import Body
from .folding import fold

MOST_CHARACTERS: Final = 256
"""The characters of a text that are sought. The longest id fits."""

TEXTS: Final[Mapping[ElementKind, tuple[str, ...]]] = {
    ElementKind.RESOURCE_TYPES: ("name",),
    ElementKind.ROLES: ("name",),
    ElementKind.GROUPS: ("name",),
    ElementKind.SUBJECTS: ("external_id", "attributes.name"),
    ElementKind.RESOURCES: ("external_id", "name"),
    ElementKind.ASSIGNMENTS: ("role", "subject.id", "group"),
    ElementKind.GRANTS: ("subject.id", "group", "resource.id"),
    ElementKind.POLICIES: ("name",),
    ElementKind.ROUTES: ("path",),
}
"""The members of each list that are sought beside the id. A member that is no text counts as absent."""


def texts_of(kind: ElementKind, body: Body) -> list[str]:
    """Returns the folded texts of an element, the id first."""
    found = [body["id"], *(_member(body, path) for path in TEXTS[kind])]
    return [fold(text[:MOST_CHARACTERS]) for text in found if isinstance(text, str)]


def _member(body: Body, path: str) -> Any:
    first, _, rest = path.partition(".")
    member = body.get(first)
    if not rest:
        return member
    return member.get(rest) if isinstance(member, dict) else None
