"""The past of an environment's elements: the revisions that changed one, and the changes that a revision made."""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from ....compiler.model.elements import ElementKind
from ..database.connection import Connection
from ..environments import Environment
from ..errors import BadQuery, ElementKey
from ..pages import cursor_after, read_cursor, refuse_limit
from .change_log import REVISION_COLUMNS, ChangeEntry, Revision, entries_chunk, entries_in, read_revision

MOST_CHUNKS: Final = 2_000
"""The chunks of the change log that one search for an element reads. The next page goes on behind them."""

MOST_BYTES: Final = 16 * 2**20
"""The unpacked bytes of chunks after which a search for an element reads no more."""

_LIST: Final = "revisions"
_MOST_DIGITS: Final = 18
_READ: Final = 200


@dataclass(frozen=True, slots=True)
class RevisionFilter:
    """A filter on revisions. None is no condition.

    `kind` is a list of the model document, or `gateway`. `key` is that of an element of it. `by` is the name of the one
    who made the revision. `since` is inclusive, `until` exclusive, both as `show_instant` writes them: without the `Z`,
    which stands behind a fraction or not, their order is that of their texts.
    """

    kind: str | None = None
    key: ElementKey | None = None
    by: str | None = None
    since: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True)
class FoundRevision:
    """A revision, and the change of the element that was searched for, or its first changes."""

    revision: Revision
    entries: tuple[ChangeEntry, ...] = ()


def find_revisions(
    db: Connection, environment: Environment, where: RevisionFilter, limit: int, cursor: str | None, entries: int = 0
) -> tuple[tuple[FoundRevision, ...], str | None]:
    """Returns revisions that pass a filter, newest first, and the cursor of the next page, or None at the end.

    Each has its first `entries`. With a key, each has the change of that element, and a page may be short, or empty: it
    ends after `MOST_CHUNKS`. Raises BadQuery.
    """
    refuse_limit(limit)
    below = environment.revision + 1 if cursor is None else _revision_in(cursor)
    found: list[FoundRevision] = []
    budget, last = _Budget(), below
    for revision in _candidates(db, environment, where, below):
        if len(found) == limit or budget.is_spent:
            return tuple(found), cursor_after(_LIST, (str(last),))
        last = revision.revision
        if where.key is None:
            first = entries_chunk(db, environment.number, last, 0) if entries else None
            found.append(FoundRevision(revision, tuple(first or ())[:entries]))
            continue
        assert where.kind is not None
        entry = entry_of(db, environment, last, ElementKind(where.kind), where.key, budget)
        if entry is not None:
            found.append(FoundRevision(revision, (entry,)))
    return tuple(found), None


class _Budget:
    """The chunks and bytes that a search may still read."""

    def __init__(self) -> None:
        self.chunks, self.bytes = MOST_CHUNKS, MOST_BYTES

    @property
    def is_spent(self) -> bool:
        return self.chunks <= 0 or self.bytes <= 0


def entry_of(
    db: Connection,
    environment: Environment,
    revision: int,
    kind: ElementKind,
    key: ElementKey,
    budget: _Budget | None = None,
) -> ChangeEntry | None:
    """Returns the change of an element in a revision, or None if it has none.

    PERF: a chunk without the text of the id is not decoded.
    """
    id = msgspec.json.encode(key[-1])
    query = "SELECT entries FROM change_entries WHERE environment = ? AND revision = ? ORDER BY chunk"
    for (packed,) in db.execute(query, (environment.number, revision)).fetchall():
        text = zlib.decompress(packed)
        if budget is not None:
            budget.chunks, budget.bytes = budget.chunks - 1, budget.bytes - len(text)
        for entry in entries_in(text) if id in text else ():
            if entry.kind == kind and entry.key == key:
                return entry
    return None


def last_change(
    db: Connection, environment: Environment, kind: ElementKind, key: ElementKey, after: int
) -> Revision | None:
    """Returns the newest revision behind `after` that changed an element, or None if the search is too long."""
    budget = _Budget()
    for revision in _candidates(db, environment, RevisionFilter(kind), environment.revision + 1):
        if revision.revision <= after or budget.is_spent:
            return None
        if entry_of(db, environment, revision.revision, kind, key, budget) is not None:
            return revision
    return None


def _candidates(db: Connection, environment: Environment, where: RevisionFilter, below: int) -> Iterator[Revision]:
    """Yields the revisions below one that pass a filter but for its key, newest first."""
    conditions = {
        "summary LIKE ?": None if where.kind is None else f'%"{where.kind}":{{%',
        "actor = ?": where.by,
        "rtrim(time, 'Z') >= rtrim(?, 'Z')": where.since,
        "rtrim(time, 'Z') < rtrim(?, 'Z')": where.until,
    }
    given = {text: value for text, value in conditions.items() if value is not None}
    query = f"""SELECT {REVISION_COLUMNS} FROM changes
        WHERE {" AND ".join(("environment = ?", "revision < ?", *given))} ORDER BY revision DESC LIMIT ?"""
    while rows := _rows(db, query, (environment.number, below, *given.values(), _READ)):
        yield from rows
        below = rows[-1].revision


def _rows(db: Connection, query: str, values: tuple[str | int, ...]) -> Sequence[Revision]:
    return [read_revision(row) for row in db.execute(query, values).fetchall()]


def _revision_in(cursor: str) -> int:
    """Returns the revision that a cursor of revisions names. Raises BadQuery."""
    (text,) = read_cursor(_LIST, cursor, 1)
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise BadQuery("the cursor is not of this list; begin without one")
    return int(text)
