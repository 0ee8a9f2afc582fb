"""Reads a whole model back: as the document that was put, in pieces, and as the compiler's model."""

from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, cast

import msgspec

from ....compiler.documents.interning import Interner
from ....compiler.forms.all_forms import FORMS
from ....compiler.model.elements import ElementKind, Grant, Model
from ..actor import Actor
from ..audit.entries import AuditEntry
from ..audit.events import Event
from ..database.connection import Connection
from ..elements.element_bodies import element_of
from ..elements.kinds import KINDS, Kind
from ..elements.tables import TABLES
from ..environment_ids import Bounds
from ..environments import Environment, environment_within

PIECE_ROWS = 100
"""The elements that one step of a stream reads (design, "The server": store work runs in chunks)."""


class KnownModel(NamedTuple):
    """A model that was just stored, and its entity tag."""

    etag: str
    model: Model


class StreamedModel(NamedTuple):
    """A model of an environment, and its grants, which can be iterated once while the store is read."""

    environment: Environment
    model: Model
    grants: Iterable[Grant]


class ModelStream:
    """A model document in UTF-8, in pieces, in any form: its lists in the order of the last put.

    It reads one state of the database, whatever is written meanwhile. Close it, or read it to its end. Different
    threads may read pieces, one at a time.
    """

    def __init__(
        self,
        db: Connection,
        env: str,
        translated: Callable[[], AbstractContextManager[None]],
        bounds: Bounds = None,
        form: str = "json",
    ):
        """Takes over the connection `db`, unless it raises. `form` is a name in `FORMS`.

        Raises what `environment_within` raises.
        """
        self._db, self._translated, self._form = db, translated, FORMS[form]()
        db.begin_reading()
        self.environment = environment_within(db, env, bounds)
        self.revision = self.environment.revision
        """The revision of the document."""
        self.etag = self.environment.etag
        self._pieces = self._read()

    def __iter__(self) -> Iterator[bytes]:
        """Returns itself."""
        return self

    def __next__(self) -> bytes:
        """Returns the next piece. Raises StoreUnavailable."""
        try:
            with self._translated():
                return next(self._pieces)
        except BaseException:  # StopIteration too
            self.close()
            raise

    def exported(self, time: str, actor: Actor) -> AuditEntry:
        """Returns the audit entry of an export, to be stored before the first piece is sent. `time` is RFC 3339."""
        return export_entry(self.environment, self.revision, time, actor)

    def close(self) -> None:
        """Close the database connection."""
        self._pieces.close()  # a running statement would keep the connection, and the log, open
        self._db.close()

    def _read(self) -> Generator[bytes, None, None]:
        put = put_lists(self._db, self.environment)
        yield self._form.begin()
        for name in (*put, *(name for name in KINDS if name not in put)):
            first = True
            for bodies in _grouped(self._bodies(KINDS[name])):
                yield self._form.elements(name, bodies, first) if bodies else b""
                first = first and not bodies
            if not first or name in put:
                yield self._form.end_list(name, first)
        yield self._form.end()

    def _bodies(self, kind: Kind) -> Iterator[bytes | None]:
        """Yields the bodies of a list, and None for an element to leave out."""
        return TABLES[kind.name].bodies(self._db, self.environment.number)


def export_entry(environment: Environment, revision: int, time: str, actor: Actor) -> AuditEntry:
    """Returns the audit entry of an export of a model in any form. `time` is RFC 3339."""
    return AuditEntry.of(time, actor, Event.MODEL_EXPORTED, {"revision": revision}, environment=environment)


def model_of(db: Connection, environment: Environment, without: Collection[ElementKind] = ()) -> Model:
    """Returns the model as the compiler has it after its checks. Equal parts are one object.

    The lists `without` which it is wanted stay empty.
    """
    lists: dict[str, Any] = {}
    interner = Interner()
    for name in KINDS:
        if name in without:
            continue
        share = interner.for_list(name)
        elements = (element_of(name, body) for body in TABLES[name].bodies(db, environment.number))
        lists[name] = tuple(map(share, elements) if share else elements)
    return Model(**lists)


def streamed_model(db: Connection, environment: Environment, known: KnownModel | None) -> StreamedModel:
    """Returns the model. If `known` is this model, it has its grants, and nothing is read."""
    if known is not None and known.etag == environment.etag:
        return StreamedModel(environment, known.model, known.model.grants)
    grants = (
        cast(Grant, element_of(ElementKind.GRANTS, body))
        for body in TABLES[ElementKind.GRANTS].bodies(db, environment.number)
    )
    return StreamedModel(environment, model_of(db, environment, (ElementKind.GRANTS,)), grants)


def put_lists(db: Connection, environment: Environment) -> list[ElementKind]:
    """Returns the names of the lists in the last document, in order, empty ones too."""
    (text,) = db.execute("SELECT lists FROM environments WHERE number = ?", (environment.number,)).fetchone()
    return msgspec.json.decode(text, type=list[ElementKind])


def _grouped(bodies: Iterator[bytes | None]) -> Iterator[list[bytes]]:
    """Groups the bodies of 100 rows each. A group may be empty: it still lets other work run."""
    group: list[bytes] = []
    for count, body in enumerate(bodies, 1):
        if body is not None:
            group.append(body)
        if count % PIECE_ROWS == 0:
            yield group
            group = []
    if group:
        yield group
