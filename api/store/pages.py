"""Cursors: the place where the next page of a list starts, as an opaque text."""

import base64
from typing import Final

import msgspec

from .errors import BadQuery

MAX_PAGE: Final = 1_000
"""The most items of a page."""

_LONGEST_CURSOR: Final = 16_384
"""In characters. The longest key fits."""


def refuse_limit(limit: int) -> None:
    """Raises BadQuery for a number of items that no page has."""
    if not 1 <= limit <= MAX_PAGE:
        raise BadQuery(f"`limit` is a number from 1 to {MAX_PAGE}")


def cursor_after(list_name: str, key: tuple[str, ...]) -> str:
    """Returns the cursor of the page after a key."""
    return base64.urlsafe_b64encode(msgspec.json.encode([list_name, *key])).decode().rstrip("=")


def read_cursor(list_name: str, cursor: str, parts: int) -> tuple[str, ...]:
    """Returns the key before the page of a cursor. Raises BadQuery if the cursor is not of this list."""
    try:
        if len(cursor) > _LONGEST_CURSOR:
            raise ValueError
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        name, *key = msgspec.json.decode(base64.b64decode(padded, altchars=b"-_", validate=True), type=list[str])
        if name != list_name or len(key) != parts:
            raise ValueError
    except ValueError:  # the errors of base64, msgspec and the encoding are subclasses of it
        raise BadQuery("the cursor is not of this list; begin without one") from None
    return tuple(key)
