"""The names of some elements, by their keys."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from ....compiler.model.elements import ElementKind
from ..database.connection import Connection
from ..elements.element_bodies import Body, decode_body
from ..elements.kinds import KINDS
from ..environments import Environment
from ..errors import ElementKey

NAMED_KINDS: Final = (
    ElementKind.SUBJECTS,
    ElementKind.GROUPS,
    ElementKind.ROLES,
    ElementKind.RESOURCES,
    ElementKind.RESOURCE_TYPES,
    ElementKind.POLICIES,
)
"""The lists whose elements may have a name beside their id."""


class ElementToName(NamedTuple):
    """The list and the key of an element."""

    kind: ElementKind
    key: ElementKey


def element_names(db: Connection, environment: Environment, wanted: Sequence[ElementToName]) -> list[str | None]:
    """Returns the name of each element. It is None without a name, or without the element.

    The name of a subject is its attribute `name`, if that is a text.
    """
    if not wanted:
        return []
    asked = ((f"SELECT body FROM {kind} WHERE {KINDS[kind].where}", (environment.number, *key)) for kind, key in wanted)
    found = db.ask(list(asked))
    return [_name(one.kind, decode_body(rows[0][0])) if rows else None for one, rows in zip(wanted, found, strict=True)]


def _name(kind: ElementKind, body: Body) -> str | None:
    name = (body.get("attributes") or {}).get("name") if kind == ElementKind.SUBJECTS else body.get("name")
    return name if isinstance(name, str) and name else None
