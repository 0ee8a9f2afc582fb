"""The model at an earlier revision: the current model with the changes since then undone."""

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager

import msgspec

from ...compiler.model.elements import ElementKind
from .database.connection import Connection
from .elements.element_bodies import element_of
from .elements.kinds import KINDS, Kind
from .elements.tables import TABLES
from .environment_ids import Bounds
from .history.change_log import entries_chunk, no_revision
from .history.route_orders import order_at
from .models.reading import ModelStream
from .store import Store

_UNDO = "kind TEXT NOT NULL, key BLOB NOT NULL, body BLOB, used INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (kind, key)"
_ADD = "INSERT INTO undo (kind, key, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"

ROUTES = KINDS[ElementKind.ROUTES]


class HistoricalModel(ModelStream):
    """The model document of an earlier revision, in pieces (see `ModelStream`).

    Elements have today's order. Those that were removed since come last in their list, by key. Only routes, whose order
    has a meaning, have that of the revision. The undone changes lie
    in a temporary table on disk, so that memory stays constant.
    """

    def __init__(
        self,
        db: Connection,
        env: str,
        revision: int,
        translated: Callable[[], AbstractContextManager[None]],
        bounds: Bounds = None,
        form: str = "json",
    ):
        """Takes over the connection `db`, unless it raises. Raises NotFound for an unknown revision."""
        db.add_table_on_disk("undo", _UNDO)
        super().__init__(db, env, translated, bounds, form)
        if revision > self.revision:
            raise no_revision(revision, self.environment.id)
        self.revision = revision
        self.etag = self.environment.etag_of(revision)

    def _read(self) -> Generator[bytes, None, None]:
        yield from self._undo_changes()
        yield from super()._read()

    def _undo_changes(self) -> Iterator[bytes]:
        """Store the old body of each element that changed since. Pauses after each chunk of the log."""
        for revision in range(self.revision + 1, self.environment.revision + 1):
            chunk = 0
            while (entries := entries_chunk(self._db, self.environment.number, revision, chunk)) is not None:
                rows = (
                    (one.kind, _text(one.key), None if one.before is None else msgspec.json.encode(one.before))
                    for one in entries
                )
                # The first change since then has the body of that revision.
                self._db.execute_many(_ADD, rows)
                chunk += 1
                yield b""

    def _bodies(self, kind: Kind) -> Iterator[bytes | None]:
        """Yields the bodies of a list at that revision, or None for an element that was added later."""
        found = self._undone(kind)
        return self._ordered_routes(found) if kind is ROUTES else found

    def _undone(self, kind: Kind) -> Iterator[bytes | None]:
        """Yields the same in today's order."""
        find = "SELECT body FROM undo WHERE kind = ? AND key = ?"
        mark = "UPDATE undo SET used = 1 WHERE kind = ? AND key = ?"
        for body in TABLES[kind.name].bodies(self._db, self.environment.number):
            key = (kind.name, _text(kind.key_of(element_of(kind.name, body))))
            changed = self._db.execute(find, key).fetchone()
            if changed is not None:
                self._db.execute(mark, key)
            yield body if changed is None else changed[0]
        gone = "SELECT body FROM undo WHERE kind = ? AND used = 0 AND body IS NOT NULL ORDER BY key"
        yield from (body for (body,) in self._db.execute(gone, (kind.name,)))

    def _ordered_routes(self, bodies: Iterator[bytes | None]) -> Iterator[bytes]:
        """Yields the routes in the order of that revision."""
        found = {ROUTES.key_of(element_of(ROUTES.name, body)): body for body in bodies if body is not None}
        for id in order_at(self._db, self.environment.number, self.revision):
            body = found.get((id,))
            if body is not None:
                yield body


def historical_model(
    store: Store, env: str, revision: int, bounds: Bounds = None, form: str = "json"
) -> HistoricalModel:
    """Returns the model at a revision, in a form of `FORMS`. Revision 0 is empty.

    Raises NotFound, OutOfBounds, StoreUnavailable.
    """
    db = store.new_connection()
    try:
        with store.translated():
            return HistoricalModel(db, env, revision, store.translated, bounds, form)
    except BaseException:
        db.close()
        raise


def _text(key: tuple[str, ...]) -> bytes:
    return msgspec.json.encode(key)
