"""The change log: the actor, time and exact changes of each revision, and the delta that updates a bundle."""

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from ....compiler.model.elements import ElementKind
from ..actor import Actor
from ..audit.entries import AuditEntry, append
from ..audit.events import Event
from ..database.connection import Connection
from ..database.sharing.unread import readable_delta
from ..elements.element_bodies import Body
from ..elements.kinds import KINDS
from ..environments import Environment
from ..errors import BadQuery, ElementKey, NotFound
from ..finding.keeping import EntryKeeper
from ..pages import cursor_after, read_cursor, refuse_limit
from .origin import Origin, read_origin, refuse_direct_change

CHUNK_ENTRIES = 1_000
"""The entries that are stored and read in one chunk."""

ChangeCounts: TypeAlias = dict[str, dict[str, int]]
"""By list, the number of elements `added`, `changed` and `removed`, and of routes `moved` if there are any.

`gateway` stands for the gateway settings.

Lists without changes are left out.
"""

GATEWAY = "gateway"
"""The name of the gateway settings in counts of changes."""

_ENTRIES = "entries"
REVISION_COLUMNS = "revision, actor, time, summary, origin"
"""The columns that `read_revision` takes."""

_NOTHING = {"added": 0, "changed": 0, "removed": 0}


class BodyChange(Protocol):
    """The content of an entry, with encoded bodies."""

    kind: ElementKind
    key: ElementKey
    before: bytes | None
    after: bytes | None


class ChangeEntry(msgspec.Struct, frozen=True, array_like=True):
    """The change of one element in a revision: its bodies before and after, or None if it did not exist."""

    kind: ElementKind
    key: ElementKey
    before: Body | None
    after: Body | None


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision of an environment. `time` is RFC 3339. `promotion` tells which promotion or restoration made it."""

    revision: int
    by: str
    time: str
    changes: ChangeCounts
    promotion: Origin | None = None


entries_in = msgspec.json.Decoder(list[ChangeEntry]).decode
"""Returns the entries in the text of a chunk."""

_change_counts = msgspec.json.Decoder(ChangeCounts)
_NULL = msgspec.Raw(b"null")
_SHORT = 4_096


def change_of(before: object | None, after: object | None) -> Literal["added", "changed", "removed"]:
    """Returns the kind of a change."""
    if before is None:
        return "added"
    return "removed" if after is None else "changed"


class ChangeLogWriter:
    """Writes the entries of one revision as they come, and then the revision itself."""

    def __init__(self, db: Connection, environment: Environment):
        self._db, self._environment = db, environment
        self._pending: list[tuple[ElementKind, ElementKey, msgspec.Raw, msgspec.Raw]] = []
        self._chunks = 0
        self._counts: Counter[tuple[ElementKind, str]] = Counter()
        self._gateway: str | None = None
        self._keeper = EntryKeeper(db, environment.number)

    @property
    def change_counts(self) -> ChangeCounts:
        """The counts up to now."""
        found: ChangeCounts = {
            kind: dict(_NOTHING) for kind in KINDS if any(kind == counted for counted, _ in self._counts)
        }
        for (kind, change), count in self._counts.items():
            found[kind][change] = count
        if self._gateway is not None:
            found[GATEWAY] = _NOTHING | {self._gateway: 1}
        return found

    def count(self, change: BodyChange) -> None:
        """Count the change of one element, without an entry."""
        self._counts[change.kind, change_of(change.before, change.after)] += 1

    def count_moved(self, routes: int) -> None:
        """Count routes that come earlier or later among the others than before."""
        if routes:
            self._counts[ElementKind.ROUTES, "moved"] += routes

    def count_gateway(self, change: Literal["added", "changed", "removed"]) -> None:
        """Count a change of the gateway settings. They are no element and have no entry: the audit log shows them."""
        self._gateway = change

    def add(self, change: BodyChange) -> None:
        """Add an entry for the change of one element."""
        self.count(change)
        self._keeper.add(change)
        self._pending.append((change.kind, change.key, _raw(change.before), _raw(change.after)))
        if len(self._pending) == CHUNK_ENTRIES:
            self._store_chunk()

    def end(self, time: str, actor: Actor, delta: bytes | None, origin: Origin | None = None) -> int:
        """Write the revision, make it the environment's newest, and add an audit entry. Returns its number.

        `origin` is that of a promotion or a restoration. Raises Conflict for another change of a policy model that
        changes by promotion only.
        """
        if origin is None:
            refuse_direct_change(self._environment, self.change_counts)
        self._store_chunk()
        self._keeper.end()
        number, revision, counts = self._environment.number, self._environment.revision + 1, self.change_counts
        told = None if origin is None else msgspec.json.encode(origin).decode()
        read = readable_delta(self._db, delta)
        row = (number, revision, time, actor.name, msgspec.json.encode(counts).decode(), read, told)
        self._db.post("INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        self._db.post("UPDATE environments SET revision = ? WHERE number = ?", (revision, number))
        details = {"revision": revision, "changes": counts}
        entry = AuditEntry.of(time, actor, Event.MODEL_CHANGED, details, environment=self._environment)
        append(self._db, entry)
        return revision

    def _store_chunk(self) -> None:
        if self._pending:
            packed = _packed(msgspec.json.encode(self._pending))
            row = (self._environment.number, self._environment.revision + 1, self._chunks, packed)
            self._db.post("INSERT INTO change_entries VALUES (?, ?, ?, ?)", row)
            self._pending.clear()
            self._chunks += 1


def revisions_between(db: Connection, environment: Environment, after: int, last: int) -> Sequence[Revision]:
    """Returns the revisions behind `after` up to `last`, oldest first, as far as the store has them."""
    query = (
        f"SELECT {REVISION_COLUMNS} FROM changes WHERE environment = ? AND revision BETWEEN ? AND ? ORDER BY revision"
    )
    return [read_revision(row) for row in db.execute(query, (environment.number, after + 1, last))]


def revision_numbered(db: Connection, environment: Environment, revision: int) -> Revision:
    """Returns one revision. Raises NotFound."""
    query = f"SELECT {REVISION_COLUMNS} FROM changes WHERE environment = ? AND revision = ?"
    known = 0 < revision <= environment.revision
    row = db.execute(query, (environment.number, revision)).fetchone() if known else None
    if row is None:
        raise no_revision(revision, environment.id)
    return read_revision(row)


def no_revision(revision: int, env: str) -> NotFound:
    """Returns the error if the environment `env` has no such revision."""
    return NotFound(f"there is no revision {revision} in environment `{env}`")


def entries_chunk(db: Connection, environment: int, revision: int, chunk: int) -> list[ChangeEntry] | None:
    """Returns one chunk of a revision's entries, or None after the last."""
    query = "SELECT entries FROM change_entries WHERE environment = ? AND revision = ? AND chunk = ?"
    row = db.execute(query, (environment, revision, chunk)).fetchone()
    return None if row is None else entries_in(zlib.decompress(row[0]))


def entries_page(
    db: Connection, environment: int, revision: int, limit: int, cursor: str | None
) -> tuple[tuple[ChangeEntry, ...], str | None]:
    """Returns a revision's entries in their order, and the cursor of the next page, or None. Raises BadQuery.

    Only the chunks of the page are read.
    """
    refuse_limit(limit)
    chunk, start = (0, 0) if cursor is None else _entry_in(cursor, revision)
    found: list[ChangeEntry] = []
    while (entries := entries_chunk(db, environment, revision, chunk)) is not None:
        taken = entries[start : start + limit - len(found)]
        if found and not taken:
            return tuple(found), cursor_after(_ENTRIES, (str(revision), str(chunk), str(start)))
        found += taken
        start += len(taken)
        if start >= len(entries):
            chunk, start = chunk + 1, 0
    return tuple(found), None


def _entry_in(cursor: str, revision: int) -> tuple[int, int]:
    """Returns the chunk and the place in it that a cursor names."""
    of, *place = read_cursor(_ENTRIES, cursor, 3)
    if of != str(revision) or not all(one.isascii() and one.isdigit() and len(one) < 10 for one in place):
        raise BadQuery("the cursor is not of this list; begin without one")
    chunk, start = map(int, place)
    return chunk, start


def _packed(text: bytes) -> bytes:
    """PERF: to set up zlib for a long text takes 40 µs or more, a fair part of a write of one element."""
    packer = zlib.compressobj(level=1, wbits=10, memLevel=1) if len(text) <= _SHORT else zlib.compressobj(level=1)
    return packer.compress(text) + packer.flush()


def _raw(body: bytes | None) -> msgspec.Raw:
    return _NULL if body is None else msgspec.Raw(body)


def read_revision(row: tuple[Any, ...]) -> Revision:
    """Returns the revision of a row of the change log."""
    revision, actor, time, counts, origin = row
    return Revision(
        revision, actor, time, _change_counts.decode(counts), None if origin is None else read_origin(origin)
    )
