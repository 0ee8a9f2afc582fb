"""Texts with U+0000, which PostgreSQL refuses: written in another way that keeps their order.

U+0000 is written as U+0001 U+0001, and U+0001 as U+0001 U+0002. Two texts compare as what is written for them, and a
part of a text is written as a part of it. So ids, their order and their pages are those of SQLite.
"""

from typing import Final

from psycopg.abc import Buffer
from psycopg.types.string import StrDumperUnknown, TextBinaryLoader

_ESCAPE: Final = "\1"


def written(text: str) -> str:
    r"""Returns a text as the database has it.

    >>> written("a\0b\1c"), written("plain")
    ('a\x01\x01b\x01\x02c', 'plain')
    """
    if _ESCAPE not in text and "\0" not in text:
        return text
    return text.replace(_ESCAPE, "\1\2").replace("\0", "\1\1")


def read(text: str) -> str:
    r"""Returns the text that is written so.

    >>> read('a\x01\x01b\x01\x02c'), read("plain")
    ('a\x00b\x01c', 'plain')
    """
    if _ESCAPE not in text:
        return text
    first, *rest = text.split(_ESCAPE)
    found, parts = [first], iter(rest)
    for part in parts:
        if part:  # it begins with what tells U+0001
            found.append(_ESCAPE + part[1:])
        else:  # two in a row tell U+0000, and the next part follows them
            found.append("\0" + next(parts))
    return "".join(found)


class TextDumper(StrDumperUnknown):
    """Writes a text for the server."""

    def dump(self, obj: str) -> Buffer | None:
        """Returns the bytes of the text."""
        return super().dump(written(obj))


class TextLoader(TextBinaryLoader):
    """Reads a text of the server."""

    def load(self, data: Buffer) -> bytes | str:
        """Returns the text of the bytes."""
        found = super().load(data)
        return read(found) if isinstance(found, str) else found
