"""The state of one write: the rows that its transaction has changed, and each changed element as it was before."""

from collections.abc import Callable
from dataclasses import dataclass

from ....compiler.documents.read_element import ReadElement
from ....compiler.limits import DEFAULTS, Limits
from ....compiler.model.elements import Element, ElementKind, SilencedLint
from ..database.connection import Connection
from ..database.time_limit import TimeLimit
from ..environments import Environment
from ..errors import ElementKey
from ..gateway_settings import stored_gateway
from .element_bodies import element_of
from .kinds import Kind, Reference
from .tables import TABLES, NewRow, StoredRow


@dataclass(slots=True)
class ElementTexts:
    """The texts of an element before and after a write.

    None means that it did not exist, or does not exist any more.

    `edit` is the index of the edit that changed it last, `written` the element that this edit wrote. A given element is
    not decoded again.
    """

    kind: ElementKind
    key: ElementKey
    before: bytes | None
    after: bytes | None
    edit: int
    written: ReadElement | None = None
    decoded_before: Element | None = None

    def element_before(self) -> Element | None:
        """Returns the element as it was."""
        if self.decoded_before is None and self.before is not None:
            self.decoded_before = element_of(self.kind, self.before)
        return self.decoded_before

    def element_after(self) -> Element | None:
        """Returns the element as it is now."""
        if self.after is None:
            return None
        return element_of(self.kind, self.after) if self.written is None else self.written.element


class Workspace:
    """The rows of one environment inside a write transaction. `version` is the revision of this write."""

    def __init__(
        self, db: Connection, environment: Environment, limit: TimeLimit | None = None, limits: Limits = DEFAULTS
    ):
        """After the `limit` of its time, no further element is read. `limits` are those of the model."""
        self.db, self.environment, self.limits = db, environment, limits
        self._limit = limit
        self._steps: list[Callable[[Connection], None]] = []
        self.number = environment.number
        self.version = environment.revision + 1
        self.edit = 0
        self.changes: dict[Reference, ElementTexts] = {}
        self._next_places: dict[ElementKind, int] = {}
        self._silences: tuple[SilencedLint, ...] | None = None
        self.named: set[Reference] = set()
        """The removed subjects and resources that other elements may still name (E3)."""
        self.routes_before: list[str] | None = None
        """The ids of all routes before this write, in order, if it did more than add routes at the end."""

    def refuse_late(self) -> None:
        """Raises Rejected after the limit of time."""
        if self._limit is not None:
            self._limit.refuse_late()

    def do(self, step: Callable[[Connection], None]) -> None:
        """Take a step that changes rows, and keep it, so that it can be taken again."""
        step(self.db)
        self._steps.append(step)

    def repeat(self, db: Connection, limit: TimeLimit) -> None:
        """Take all steps again on another connection, which sees the rows that this one saw. Raises Rejected."""
        for step in self._steps:
            limit.refuse_late()
            step(db)

    def net_changes(self) -> list[ElementTexts]:
        """Returns the changes, without those of elements that are equal to before."""
        return [change for change in self.changes.values() if change.before != change.after]

    def find(self, kind: Kind, key: ElementKey) -> StoredRow | None:
        """Returns the current row of that key, or None."""
        return TABLES[kind.name].find(self.db, self.number, key)

    def put(self, kind: Kind, key: ElementKey, text: bytes, read: ReadElement, found: StoredRow | None) -> None:
        """Write an element, which fits its class, and its text: over the row `found`, or at the end of the list."""
        table, element, before = TABLES[kind.name], read.element, None
        assert element is not None
        if found is None:
            row = NewRow(self.next_place(kind.name), text, element)
            self.do(lambda db: table.add(db, self.number, self.version, (row,)))
        else:
            was = before = element_of(kind.name, found.body)
            self.do(lambda db: table.change(db, self.number, self.version, found, text, was, element))
        self._note(ElementTexts(kind.name, key, found and found.body, text, self.edit, read, before))

    def remove(self, kind: Kind, key: ElementKey, found: StoredRow) -> None:
        """Remove an element."""
        if kind.name == ElementKind.ROUTES:
            self.keep_route_order()
        self.do(lambda db: TABLES[kind.name].remove(db, (found.place,)))
        self._note(ElementTexts(kind.name, key, found.body, None, self.edit))

    def silences(self) -> tuple[SilencedLint, ...]:
        """Returns the lints that the model silences."""
        if self._silences is None:
            bodies = TABLES[ElementKind.LINTS].bodies(self.db, self.number)
            found = (element_of(ElementKind.LINTS, body) for body in bodies)
            self._silences = tuple(one for one in found if isinstance(one, SilencedLint))
        return self._silences

    def names_anonymous(self) -> bool:
        """Returns whether the gateway settings name an anonymous subject (E11)."""
        settings = stored_gateway(self.db, self.number)
        return settings is not None and settings.anonymous is not None

    def keep_route_order(self) -> None:
        """Remember the order of the routes, before this write removes or moves one."""
        if self.routes_before is None:
            stored = TABLES[ElementKind.ROUTES].ids(self.db, self.number)
            added = {
                key[0] for (kind, key), one in self.changes.items() if kind == ElementKind.ROUTES and one.before is None
            }
            self.routes_before = [id for id in stored if id not in added]

    def next_place(self, kind: ElementKind) -> int:
        """Returns the first free place at the end of a list, and takes it."""
        place = self._next_places.get(kind)
        if place is None:
            place = TABLES[kind].next_place(self.db, self.number)
        self._next_places[kind] = place + 1
        return place

    def _note(self, change: ElementTexts) -> None:
        first = self.changes.setdefault((change.kind, change.key), change)
        first.after, first.edit, first.written = change.after, change.edit, change.written
