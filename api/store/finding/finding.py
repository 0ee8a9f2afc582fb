"""Pages of a list whose elements have a part of a text, and how many these are."""

from collections.abc import Mapping
from itertools import islice
from typing import Final, NamedTuple

from ....bundles.conditions.values import is_text
from ..database.connection import Connection
from ..elements.edits import StoredElement
from ..elements.element_bodies import decode_body
from ..elements.kinds import Kind
from ..environments import Environment
from ..errors import BadQuery, ElementKey
from ..pages import cursor_after, read_cursor, refuse_limit
from .element_texts import TEXTS, texts_of
from .entry_blocks import entry_key
from .folding import fold
from .keeping import BLOCKED
from .listing import ElementPage, count_up_to, list_page, listed_rows
from .named_subjects import asks_named, count_named, with_named
from .orders import order_of
from .scanning import element_key, found_keys

LONGEST_PART: Final = 256
"""The most characters of a part of a text."""

MOST_TRIED: Final = 20_000
"""The most elements that one page tries if a filter besides the type is given. Such a page may have fewer items."""

MOST_COUNTED: Final = 10_000
"""The number up to which elements are counted."""

_TRIED_AT_ONCE: Final = 1_000


class Total(NamedTuple):
    """The number of the elements of a list that fit. With `more`, there are more than these."""

    found: int
    more: bool


def read_part(text: str) -> str:
    """Returns a part of a text as it is sought. Raises BadQuery."""
    if not is_text(text) or len(text) > LONGEST_PART:
        raise BadQuery(f"`q` is a part of an id or a name, of at most {LONGEST_PART} characters")
    return fold(text)


def found_page(
    db: Connection,
    environment: Environment,
    kind: Kind,
    part: str,
    filters: Mapping[str, str],
    limit: int,
    cursor: str | None,
    sort: str = "",
) -> ElementPage:
    """Returns a page of the elements of a list with a `part` of a text, which pass all `filters`.

    A page may have fewer than `limit` items although there is a next one. With a part, the list has its own order only.
    With the filter `named`, subjects without an entry are there too. Raises BadQuery.
    """
    is_named, others = asks_named(kind, filters, sort)
    page = _listed_page(db, environment, kind, part, others, limit, cursor, sort)
    if not is_named:
        return page
    return with_named(db, environment, kind, page, read_part(part), others, limit, cursor)


def _listed_page(
    db: Connection,
    environment: Environment,
    kind: Kind,
    part: str,
    filters: Mapping[str, str],
    limit: int,
    cursor: str | None,
    sort: str,
) -> ElementPage:
    refuse_limit(limit)
    folded = read_part(part)
    if kind.name not in TEXTS:
        raise BadQuery(f"the {kind.noun} has no names to seek")
    order = order_of(kind, sort)
    if not folded:
        return list_page(db, environment, kind, filters, limit, cursor, sort)
    if order != order_of(kind, ""):
        raise BadQuery("`q` and `sort` don't go together: what has a part of a text comes in the order of the list")
    if not _in_blocks(kind, filters):
        return _tried_page(db, environment, kind, folded, filters, limit, cursor)
    after = None if cursor is None else entry_key(read_cursor(kind.name, cursor, len(kind.key)))
    found = found_keys(db, environment.number, kind.name, folded, filters.get("type"), after)
    keys = [element_key(kind, key) for key in islice(found, limit + 1)]
    next_cursor = cursor_after(kind.name, keys[limit - 1]) if len(keys) > limit else None
    return ElementPage(_elements(db, environment, kind, keys[:limit]), next_cursor)


def total(
    db: Connection,
    environment: Environment,
    kind: Kind,
    part: str,
    filters: Mapping[str, str],
    most: int = MOST_COUNTED,
) -> Total:
    """Returns how many elements of a list fit a `part` of a text, perhaps empty, and all filters. Raises BadQuery."""
    is_named, others = asks_named(kind, filters, "")
    if is_named:
        listed = total(db, environment, kind, part, others, most)
        count = listed.found + count_named(db, environment, read_part(part), others, most + 1)
        return Total(min(count, most), listed.more or count > most)
    filters = others
    folded = read_part(part)
    if not folded:
        count = count_up_to(db, environment, kind, filters, most + 1)
    elif _in_blocks(kind, filters):
        found = found_keys(db, environment.number, kind.name, folded, filters.get("type"))
        count = sum(1 for _ in islice(found, most + 1))
    else:
        page = _tried_page(db, environment, kind, folded, filters, most, None)
        return Total(len(page.items), page.next_cursor is not None)
    return Total(min(count, most), count > most)


def _in_blocks(kind: Kind, filters: Mapping[str, str]) -> bool:
    """Returns whether the blocks of entries have all that decides. Raises BadQuery for a type that is no text."""
    if not is_text(filters.get("type", "")):
        raise BadQuery("the filter `type` is not valid text")
    return kind.name in BLOCKED and filters.keys() <= ({"type"} if "type" in kind.key else frozenset())


def _tried_page(
    db: Connection,
    environment: Environment,
    kind: Kind,
    folded: str,
    filters: Mapping[str, str],
    limit: int,
    cursor: str | None,
) -> ElementPage:
    """Returns a page by reading the elements that pass the filters, up to MOST_TRIED of them."""
    items: list[StoredElement] = []
    for _ in range(0, MOST_TRIED, _TRIED_AT_ONCE):
        rows = listed_rows(db, environment, kind, filters, _TRIED_AT_ONCE + 1, cursor, order_of(kind, ""))
        for number, (version, text, *order) in enumerate(rows[:_TRIED_AT_ONCE], 1):
            body = decode_body(text)
            if any(folded in one for one in texts_of(kind.name, body)):
                items.append(StoredElement(body, environment.etag_of(version)))
            cursor = cursor_after(kind.name, tuple(map(str, order)))
            if len(items) == limit:
                return ElementPage(tuple(items), cursor if number < len(rows) else None)
        if len(rows) <= _TRIED_AT_ONCE:
            return ElementPage(tuple(items), None)
    return ElementPage(tuple(items), cursor)


def _elements(
    db: Connection, environment: Environment, kind: Kind, keys: list[ElementKey]
) -> tuple[StoredElement, ...]:
    query = f"SELECT version, body FROM {kind.name} WHERE {kind.where}"
    found = db.ask([(query, (environment.number, *key)) for key in keys]) if keys else []
    rows = [row for rows in found for row in rows]
    return tuple(StoredElement(decode_body(body), environment.etag_of(version)) for version, body in rows)
