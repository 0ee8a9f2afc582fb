"""Cursors: where the next page of a list begins, as an opaque text."""

import base64
from typing import Final

import msgspec

from .errors import BadQuery

MAX_PAGE: Final = 1_000
"""Items of a page at most."""

_LONGEST_CURSOR: Final = 16_384
"""Characters; the longest key fits."""


def cursor_after(list_name: str, key: tuple[str, ...]) -> str:
    """The cursor that goes on behind a key."""
    return base64.urlsafe_b64encode(msgspec.json.encode([list_name, *key])).decode().rstrip("=")


def read_cursor(list_name: str, cursor: str, parts: int) -> tuple[str, ...]:
    """The key behind which a cursor goes on. Raises BadQuery for one that is not of this list."""
    try:
        if len(cursor) > _LONGEST_CURSOR:
            raise ValueError
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        name, *key = msgspec.json.decode(base64.b64decode(padded, altchars=b"-_", validate=True), type=list[str])
        if name != list_name or len(key) != parts:
            raise ValueError
    except ValueError:  # what base64, msgspec and the encoding raise are kinds of it
        raise BadQuery("the cursor is not of this list; begin without one") from None
    return tuple(key)
