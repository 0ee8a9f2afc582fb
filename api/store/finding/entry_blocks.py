"""Blocks of entries: the texts of elements that follow one another by key, as one text that SQL looks through.

An entry is JSON: the id, and then each folded text that differs from it. A block has the entries of one list and one
type from the key `first` up to that of the next block. PERF: SQLite looks through a block of 50 entries in the time of
one row, so that a part of a text is found among 1,000,000 elements, or found nowhere, by reading 20,000 rows.
"""

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

import msgspec

from ....compiler.model.elements import ElementKind
from ..elements.element_bodies import Body
from ..errors import ElementKey
from .element_texts import texts_of
from .folding import fold

Entry: TypeAlias = list[str]
EntryKey: TypeAlias = tuple[str, str]
"""A type and an id. The type is empty for an element whose key is its id."""

MOST_BYTES: Final = 1_700
"""The most bytes of a block with several entries: PostgreSQL would store longer values apart."""

FILLED_BYTES: Final = 1_400
"""The bytes to which new blocks are filled, so that they can grow."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(list[Entry]).decode


def entry_key(key: ElementKey) -> EntryKey:
    """Returns the key of an entry, by that of its element."""
    return (key[0], key[1]) if len(key) == 2 else ("", key[0])


def entry_of(kind: ElementKind, body: Body) -> Entry:
    """Returns the entry of an element."""
    return [body["id"], *dict.fromkeys(text for text in texts_of(kind, body) if text and text != body["id"])]


def has(entry: Entry, folded: str) -> bool:
    """Returns whether a text of an entry contains a folded text."""
    id, *texts = entry
    return any(folded in text for text in texts) or (folded in id and folded in fold(id))


def written_part(folded: str) -> str:
    r"""Returns a folded text as it is written inside a block.

    >>> written_part('a"b')
    'a\\"b'
    """
    return _encode(folded)[1:-1].decode()


def entries_in(block: str) -> list[Entry]:
    """Returns the entries of a block."""
    return _decode(block)


def blocks_of(entries: Iterable[Entry], most: int = FILLED_BYTES) -> Iterator[tuple[str, str]]:
    """Yields the id of the first entry and the text of each block, for the entries of one type, by id."""
    first, texts, size = "", list[bytes](), 0
    for entry in entries:
        text = _encode(entry)
        if texts and size + len(text) >= most:
            yield first, _joined(texts)
            texts, size = [], 0
        if not texts:
            first = entry[0]
        texts.append(text)
        size += len(text) + 1
    if texts:
        yield first, _joined(texts)


def _joined(texts: list[bytes]) -> str:
    return f"[{b','.join(texts).decode()}]"
