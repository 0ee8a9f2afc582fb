"""Looks through the blocks of entries for a folded text."""

from collections.abc import Iterator
from typing import Final

from ....compiler.model.elements import ElementKind
from ..database.connection import Connection
from ..elements.kinds import Kind
from ..errors import ElementKey
from .entry_blocks import EntryKey, entries_in, has, written_part

_HOLDING: Final = "SELECT max(first) FROM entry_blocks WHERE environment = ? AND kind = ? AND type = ? AND first <= ?"
_BLOCKS: Final = """SELECT type, first, entries FROM entry_blocks
    WHERE environment = ? AND kind = ? AND {} ORDER BY type, first LIMIT ?"""
_FEW, _MANY = 32, 1_024


def found_keys(
    db: Connection,
    environment: int,
    kind: ElementKind,
    folded: str,
    type: str | None = None,
    after: EntryKey | None = None,
) -> Iterator[EntryKey]:
    """Yields the keys of a list's elements with a folded text, which is not empty: those after a key, in order.

    With a `type`, only those of that type.
    """
    start = None if after is None else _block_of(db, environment, kind, after)
    for of_type, block in _blocks(db, environment, kind, written_part(folded), type, start):
        for entry in entries_in(block):
            key = of_type, entry[0]
            if (after is None or key > after) and has(entry, folded):
                yield key


def element_key(kind: Kind, key: EntryKey) -> ElementKey:
    """Returns the key of an element, by that of its entry."""
    return key if "type" in kind.key else key[1:]


def _blocks(
    db: Connection, environment: int, kind: ElementKind, written: str, type: str | None, start: EntryKey | None
) -> Iterator[tuple[str, str]]:
    """Yields the type and the text of each block with a text, from a block on, in order, some of them at a time."""
    (has_part, part), comparison, size = db.contains("entries", written), ">=", _FEW
    while True:
        conditions, values = [has_part], [part]
        if type is not None:
            conditions.append("type = ?")
            values.append(type)
        if start is not None:
            conditions.append(f"(type, first) {comparison} (?, ?)")
            values += start
        query = _BLOCKS.format(" AND ".join(conditions))
        rows = db.execute(query, (environment, kind, *values, size)).fetchall()
        yield from ((of_type, block) for of_type, _, block in rows)
        if len(rows) < size:
            return
        start, comparison, size = rows[-1][:2], ">", min(2 * size, _MANY)


def _block_of(db: Connection, environment: int, kind: ElementKind, key: EntryKey) -> EntryKey:
    """Returns the key of the block that holds the key of an entry."""
    ((first,),) = db.execute(_HOLDING, (environment, kind, *key)).fetchall()
    return key[0], first or ""
