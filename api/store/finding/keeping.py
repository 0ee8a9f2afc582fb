"""Keeps the blocks of entries in step with the elements, in the transaction of each write."""

from bisect import bisect_left
from collections.abc import Mapping
from itertools import groupby
from typing import Final, Protocol

from ....compiler.model.elements import ElementKind
from ..database.connection import Connection
from ..database.connections import StoreConnections
from ..elements.element_bodies import decode_body
from ..elements.kinds import KINDS, Kind
from ..elements.tables import TABLES
from ..errors import ElementKey
from .element_texts import TEXTS
from .entry_blocks import MOST_BYTES, Entry, EntryKey, blocks_of, entries_in, entry_key, entry_of

MANY: Final = 5_000
"""The changes of a list from which its blocks are made again: a write remembers no more of them."""

BLOCKED: Final = frozenset(TEXTS) - {ElementKind.ROUTES}
"""The lists that have blocks. Routes are few, and their order is not that of their keys."""

_BATCH: Final = 500
_PLACE: Final = "environment = ? AND kind = ? AND type = ?"
_HOLDING: Final = f"SELECT first, entries FROM entry_blocks WHERE {_PLACE} AND first <= ? ORDER BY first DESC LIMIT 1"
_NEXT: Final = f"SELECT first FROM entry_blocks WHERE {_PLACE} AND first > ? ORDER BY first LIMIT 1"
_HAS: Final = " OR ".join(
    f"EXISTS (SELECT 1 FROM {kind} AS e WHERE e.environment = number)" for kind in sorted(BLOCKED)
)
_WITHOUT: Final = f"""
SELECT number FROM environments
WHERE NOT EXISTS (SELECT 1 FROM entry_blocks AS b WHERE b.environment = number) AND ({_HAS})
ORDER BY number
"""
_ADD: Final = "INSERT INTO entry_blocks (environment, kind, type, first, entries) VALUES (?, ?, ?, ?, ?)"
_CHANGE: Final = f"UPDATE entry_blocks SET entries = ? WHERE {_PLACE} AND first = ?"
_REMOVE: Final = f"DELETE FROM entry_blocks WHERE {_PLACE} AND first = ?"


class BodyChange(Protocol):
    """The change of one element: its text before and after, or None if it did not exist."""

    kind: ElementKind
    key: ElementKey
    before: bytes | None
    after: bytes | None


class EntryKeeper:
    """Brings the blocks of an environment in step with one write, whose changes it is told as they come."""

    def __init__(self, db: Connection, environment: int) -> None:
        self._db, self._environment = db, environment
        self._changes: dict[ElementKind, dict[EntryKey, Entry | None]] = {}

    def add(self, change: BodyChange) -> None:
        """Remember a change. Each element changes once in a write."""
        changes = self._changes.setdefault(change.kind, {}) if change.kind in BLOCKED else {}
        if change.kind not in BLOCKED or len(changes) >= MANY:
            return
        before, after = (
            None if text is None else entry_of(change.kind, decode_body(text)) for text in (change.before, change.after)
        )
        if before != after:
            changes[entry_key(change.key)] = after

    def end(self) -> None:
        """Write the blocks, after the rows of the elements."""
        for kind, changes in self._changes.items():
            if len(changes) >= MANY:
                make_blocks(self._db, self._environment, KINDS[kind])
            elif changes:
                _merge(self._db, self._environment, kind, changes)


def make_blocks(db: Connection, environment: int, kind: Kind) -> None:
    """Make the blocks of a list again, from its elements."""
    db.execute("DELETE FROM entry_blocks WHERE environment = ? AND kind = ?", (environment, kind.name))
    query = f"SELECT body FROM {kind.name} WHERE environment = ? ORDER BY {', '.join(kind.key)}"
    bodies = (decode_body(text) for (text,) in db.stream(query, (environment,)))
    batch: list[tuple[int, str, str, str, str]] = []
    for type, some in groupby(bodies, lambda body: body["type"] if len(kind.key) == 2 else ""):
        for first, block in blocks_of(entry_of(kind.name, body) for body in some):
            batch.append((environment, kind.name, type, first, block))
            if len(batch) == _BATCH:
                db.execute_many(_ADD, batch)
                batch = []
    db.execute_many(_ADD, batch)


def ensure_blocks(connections: StoreConnections) -> None:
    """Make the blocks, and the names to sort by, of each environment with elements and no block, as of an older format.

    Raises StoreUnavailable.
    """
    with connections.reading() as db:
        if not db.execute(_WITHOUT).fetchall():
            return
    with connections.writing() as db:
        for (number,) in db.execute(_WITHOUT).fetchall():
            for kind in BLOCKED:
                make_blocks(db, number, KINDS[kind])
                TABLES[kind].fill_names(db, number)


def make_all_blocks(db: Connection) -> None:
    """Make the blocks of every environment again."""
    for (number,) in db.execute("SELECT number FROM environments ORDER BY number").fetchall():
        for kind in BLOCKED:
            make_blocks(db, number, KINDS[kind])


def _merge(db: Connection, environment: int, kind: ElementKind, changes: Mapping[EntryKey, Entry | None]) -> None:
    """Change the blocks that hold some keys."""
    for type, keys in groupby(sorted(changes), lambda key: key[0]):
        place, ids = (environment, kind, type), [id for _, id in keys]
        while ids:
            found, after = _block(db, place, ids)
            first, block = found or ("", "[]")
            here = ids[: len(ids) if after is None else bisect_left(ids, after)]
            entries = {entry[0]: entry for entry in entries_in(block)}
            for id in here:
                entry = changes[type, id]
                entries.pop(id, None) if entry is None else entries.__setitem__(id, entry)
            _write(db, place, first, found is not None, [entries[id] for id in sorted(entries)])
            ids = ids[len(here) :]


def _block(db: Connection, place: tuple[int, str, str], ids: list[str]) -> tuple[tuple[str, str] | None, str | None]:
    """Returns the block that holds the first id, or None, and the key of the next block if more ids need it."""
    questions = [(_HOLDING, (*place, ids[0])), (_NEXT, (*place, ids[0]))]
    found, *after = db.ask(questions[: len(ids)])
    return found[0] if found else None, after[0][0][0] if after and after[0] else None


def _write(db: Connection, place: tuple[int, str, str], first: str, exists: bool, entries: list[Entry]) -> None:
    """Write the entries of a block, over it or as several ones. The first of these keeps the key of the block."""
    blocks = list(blocks_of(entries, MOST_BYTES))
    if len(blocks) > 1:
        blocks = list(blocks_of(entries))
    for number, (key, block) in enumerate(blocks):
        if number or not exists:
            db.post(_ADD, (*place, key if number else first, block))
        else:
            db.post(_CHANGE, (block, *place, first))
    if exists and not blocks:
        db.post(_REMOVE, (*place, first))
