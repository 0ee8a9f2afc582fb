"""A few elements of every list that have a part of a text, the likeliest first."""

from itertools import islice
from typing import Final, NamedTuple

from ....compiler.model.elements import ElementKind
from ..database.connection import Connection
from ..elements.edits import StoredElement
from ..elements.kinds import KINDS
from ..environments import Environment
from .element_texts import texts_of
from .finding import found_page, read_part
from .named_subjects import NAMED

KINDS_FOUND: Final = (
    ElementKind.SUBJECTS,
    ElementKind.GROUPS,
    ElementKind.ROLES,
    ElementKind.RESOURCES,
    ElementKind.POLICIES,
    ElementKind.RESOURCE_TYPES,
    ElementKind.ROUTES,
    ElementKind.ASSIGNMENTS,
    ElementKind.GRANTS,
)
"""The lists in the order in which people look for something in all of them."""

MOST_RANKED: Final = 100
"""The elements of a list among which the likeliest come first."""


class FoundInList(NamedTuple):
    """The likeliest elements of one list. With `more`, others have the text too."""

    kind: ElementKind
    items: tuple[StoredElement, ...]
    more: bool


def overview(db: Connection, environment: Environment, part: str, limit: int) -> tuple[FoundInList, ...]:
    """Returns up to `limit` elements of each list that has some with a `part` of a text. Raises BadQuery.

    Of the first MOST_RANKED, one comes first whose id or other text is the part, and then those that begin with it.
    """
    folded = read_part(part)
    if not folded:
        return ()
    found = (_in_list(db, environment, kind, part, folded, limit) for kind in KINDS_FOUND)
    return tuple(one for one in found if one.items)


def _in_list(
    db: Connection, environment: Environment, kind: ElementKind, part: str, folded: str, limit: int
) -> FoundInList:
    named = {NAMED: "true"} if kind == ElementKind.SUBJECTS else {}  # they are registered too (E3)
    page = found_page(db, environment, KINDS[kind], part, named, max(limit, MOST_RANKED), None)

    def rank(found: StoredElement) -> int:
        texts = texts_of(kind, found.body)
        return 0 if folded in texts else 1 if any(text.startswith(folded) for text in texts) else 2

    ranked = sorted(page.items, key=rank)
    return FoundInList(kind, tuple(islice(ranked, limit)), len(ranked) > limit or page.next_cursor is not None)
