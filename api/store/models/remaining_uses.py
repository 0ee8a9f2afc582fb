"""Finds the facts that stay in an environment and refer to what a replacement removes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from itertools import islice
from typing import Final, TypeAlias

from msgspec import Struct

from ....bundles.wording import in_backticks
from ....compiler.lowering.lower import EVERYTHING
from ....compiler.model.elements import Element, ElementKind, Grant, ResourceType
from ..database.connection import Connection
from ..elements.element_bodies import decode_body, element_of, fact_text
from ..elements.kinds import Reference
from ..errors import MAX_LISTED_USERS, Conflict, User

Stays: TypeAlias = Callable[[ElementKind, int], bool]
"""Says whether the element of a list at a place stays."""

_USERS: dict[ElementKind, dict[ElementKind, str]] = {
    ElementKind.ROLES: {
        ElementKind.ASSIGNMENTS: "SELECT place, id, body FROM assignments WHERE environment = ? AND role = ?"
    },
    ElementKind.GROUPS: {
        ElementKind.ASSIGNMENTS: "SELECT place, id, body FROM assignments WHERE environment = ? AND group_id = ?",
        ElementKind.GRANTS: "SELECT place, id, body FROM grants WHERE environment = ? AND group_id = ?",
    },
    ElementKind.RESOURCE_TYPES: {
        ElementKind.GRANTS: "SELECT place, id, body FROM grants WHERE environment = ? AND resource_type = ?",
        ElementKind.RESOURCES: "SELECT place, id, body FROM resources WHERE environment = ? AND type = ?",
    },
}
"""The facts that refer to a removed element. Policies are replaced with it."""

DECLARATIONS: Final = frozenset(_USERS)
"""The lists of the elements that facts refer to."""


class Use(Struct, frozen=True):
    """An element of the target environment that refers to what the replacement would remove.

    `text` is an assignment or a grant as a sentence, or "" for a resource.
    """

    kind: ElementKind
    id: str
    refers_to: str
    text: str = ""

    @property
    def named(self) -> str:
        """The words for the element in a message."""
        return User(self.kind, (self.id,), self.text).named


def uses(
    db: Connection,
    environment: int,
    removed: Iterable[Reference],
    lost_actions: Mapping[str, Set[str]],
    stays: Stays = lambda _kind, _place: True,
) -> Iterator[Use]:
    """Yields the facts of an environment that stay and refer to what goes, MAX_LISTED_USERS of each element.

    `environment` is its number. `lost_actions` are those that a type declares no longer, by its id.
    """
    for kind, key in removed:
        for name, query in _USERS.get(kind, {}).items():
            rows = (row for row in db.execute(query, (environment, *key)) if stays(name, row[0]))
            for _, id, body in islice(rows, MAX_LISTED_USERS):
                yield Use(name, id, f"{kind}/{key[0]}", fact_text(name, decode_body(body)))
    for type, lost in lost_actions.items():
        yield from _granted_actions(db, environment, type, lost, stays)


def refuse_uses(found: Iterator[Use], subject: str, remedy: str) -> None:
    """Raises Conflict if anything still uses what `subject` removes."""
    users = list(islice(found, MAX_LISTED_USERS))
    if users:
        first = users[0]
        raise Conflict(
            f"{subject} {in_backticks(first.refers_to)}, which {first.named} still uses; {remedy}",
            tuple(User(one.kind, (one.id,), one.text) for one in users),
        )


def lost_actions(pairs: Iterable[tuple[Element | None, Element | None]]) -> dict[str, Set[str]]:
    """Returns the actions that each type no longer declares, by its id, from types before and after."""
    found: dict[str, Set[str]] = {}
    for before, after in pairs:
        if isinstance(before, ResourceType) and isinstance(after, ResourceType):
            lost = set(before.actions) - set(after.actions) - {EVERYTHING}
            if lost:
                found[after.id] = lost
    return found


def _granted_actions(db: Connection, environment: int, type: str, lost: Set[str], stays: Stays) -> Iterator[Use]:
    """Yields the grants that name an action which their type no longer declares."""
    query = "SELECT place, body FROM grants WHERE environment = ? AND resource_type = ?"
    for place, body in db.execute(query, (environment, type)):
        grant = element_of(ElementKind.GRANTS, body)
        assert isinstance(grant, Grant)
        action = next((action for action in grant.actions if action in lost), None)
        if action is not None and stays(ElementKind.GRANTS, place):
            refers_to = f"{ElementKind.RESOURCE_TYPES}/{type}/{action}"
            yield Use(ElementKind.GRANTS, str(grant.id), refers_to, fact_text(ElementKind.GRANTS, decode_body(body)))
