"""Replaces a whole model: finds the difference between documents and the stored model, and writes only that."""

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain, count, islice, pairwise
from typing import Protocol

import msgspec

from ....compiler.model.elements import Assignment, Element, ElementKind, Grant, Route
from ....compiler.model.same_element import same_element
from ..actor import Actor
from ..database.connection import Connection
from ..elements.element_bodies import decode_body, element_of, fact_text, same_body
from ..elements.equal_facts import equal_facts
from ..elements.kinds import KINDS, Kind
from ..elements.tables import TABLES, NewRow, bounds
from ..elements.workspace import ElementTexts
from ..environments import Environment
from ..errors import BodyFault, ElementKey, User
from ..history.affected import MAX_CHANGES, changes_declarations
from ..history.change_log import ChangeCounts, ChangeLogWriter, change_of
from ..history.delta_states import delta_of
from ..history.origin import Origin, refuse_direct_change
from ..history.route_orders import moved, record_order
from .reading import put_lists
from .remaining_uses import DECLARATIONS, Use, lost_actions, uses

MAX_LISTED = 1_000
"""The most changed elements that are listed one by one."""

LARGE = 10_000
"""The number of elements to write from which the indexes get more memory."""

MOST_KEPT_TEXTS = 10_000
"""The most new texts of a list that are kept from the comparison to the commit. More are made again."""

_BATCH = 1_000
_NEW = -1


class Submitted(Protocol):
    """The model to put: its elements by list with their texts, the names of its lists, and the warnings about it."""

    @property
    def lists(self) -> Sequence[str]: ...

    @property
    def warnings(self) -> tuple[BodyFault, ...]: ...

    def elements(self, name: str, /) -> Sequence[Element]:
        """Returns the elements of a list."""

    def texts(self, name: str, /) -> Iterable[bytes]:
        """Returns their texts, in the same order."""


@dataclass(frozen=True, slots=True)
class ReplacementResult:
    """The changes of a replacement, or of a dry run: counts by list, and the first elements by list, key and change.

    `warnings` are those about the documents. `etag` is that of the resulting model. `kept` counts the elements that
    stay although the documents lack them, by list, and `kept_listed` has the first ones.
    """

    revision: int
    changes: ChangeCounts
    listed: tuple[tuple[str, ElementKey, str], ...]
    warnings: tuple[BodyFault, ...]
    etag: str
    kept: Mapping[ElementKind, int]
    kept_listed: tuple[User, ...]


@dataclass(slots=True)
class _Plan:
    """The changes of one list. `places` are the stored places of the submitted elements, `_NEW` for new ones.

    `kept` are stored places that stay although nothing is submitted for them. `moves` says that the order of stored
    elements changes, or that a new element comes before one of them. `texts` are the texts of the elements that differ,
    by their indexes, or None if there are many. Other writes wait for a commit, so it must not make all texts again.
    """

    kind: Kind
    places: "array[int]" = field(default_factory=lambda: array("q"))
    differs: bytearray = field(default_factory=bytearray)
    removed: list[int] = field(default_factory=list)
    kept: Set[int] = frozenset()
    moves: bool = False
    texts: dict[int, bytes] | None = None

    @property
    def is_empty(self) -> bool:
        """True if nothing changes."""
        return not (self.removed or self.moves or any(self.differs))

    @property
    def changed(self) -> list[int]:
        """The places of kept elements whose body changes."""
        return [place for place, differs in zip(self.places, self.differs, strict=True) if differs and place != _NEW]


class Replacement:
    """The difference between the stored model and a submitted one."""

    def __init__(
        self,
        db: Connection,
        environment: Environment,
        submitted: Submitted,
        kinds: Iterable[Kind] = KINDS.values(),
        keeps: Collection[ElementKind] = (),
        by_meaning: bool = False,
    ):
        """Finds the difference in the lists of `kinds`. The others stay as they are.

        In the lists `keeps`, stored elements stay if the submitted model lacks them. With `by_meaning`, an element that
        only writes a set in another order stays as it is.
        """
        self._db, self._environment, self._submitted = db, environment, submitted
        self._version = environment.revision + 1
        self._log = ChangeLogWriter(db, environment)
        self._listed: list[tuple[str, ElementKey, str]] = []
        self._few: list[ElementTexts] = []
        self._moves, self._keeps, self._by_meaning = False, keeps, by_meaning
        self._plans = [self._plan(kind) for kind in kinds]

    def is_current(self, db: Connection, environment: Environment) -> bool:
        """Returns whether this is the difference to the environment's current state in `db`."""
        return self._db is db and self._environment == environment

    def uses(self) -> Iterator[Use]:
        """Yields the facts that stay and refer to what goes."""
        plans = {plan.kind.name: plan for plan in self._plans}
        removed = ((one.kind, one.key) for plan in self._plans for one in self._removed_declarations(plan))
        types = plans[ElementKind.RESOURCE_TYPES]
        changed = self._differences(types, self._bodies_at(types.kind, types.changed))
        lost = lost_actions((change.element_before(), element) for _, element, change in changed)

        def stays(kind: ElementKind, place: int) -> bool:
            return kind not in plans or place in plans[kind].kept

        yield from uses(self._db, self._environment.number, removed, lost, stays)

    def preview(self, origin: Origin | None = None) -> ReplacementResult:
        """Returns the changes without writing them. Raises as `commit` does."""
        for plan in self._plans:
            differences = self._differences(plan, self._bodies_at(plan.kind, plan.changed))
            for change in chain(self._removals(plan), (change for _, _, change in differences)):
                self._log.count(change)
                self._list(change)
        self._count_moved(moved(self._route_ids(), self._submitted_ids()) if self._orders_routes else frozenset())
        if origin is None:
            refuse_direct_change(self._environment, self._log.change_counts)
        return self._result(self._environment.revision)

    def commit(self, actor: Actor, time: str, origin: Origin | None = None) -> ReplacementResult:
        """Write the difference as one revision, or no revision if there is none and it has no `origin`.

        Raises Conflict if the policy model of the environment changes by promotion only, and there is no origin.
        """
        environment, lists = self._environment, list(self._submitted.lists)
        is_same = all(plan.is_empty for plan in self._plans) and lists == put_lists(self._db, environment)
        if is_same and origin is None:
            return self._result(environment.revision)
        large = sum(sum(plan.differs) + len(plan.removed) for plan in self._plans) > LARGE
        self._db.expect_large_write(large)
        order = self._route_ids() if self._orders_routes else None
        for plan in self._plans:
            self._write(plan)
        self._count_moved(record_order(self._db, environment.number, self._version, order))
        text = msgspec.json.encode(lists).decode()
        self._db.execute("UPDATE environments SET lists = ? WHERE number = ?", (text, environment.number))
        few = len(self._few) <= MAX_CHANGES and not any(map(changes_declarations, self._few))
        delta = delta_of(self._db, environment.number, self._version, self._few, self._moves) if few else None
        revision = self._log.end(time, actor, delta, origin)
        self._db.expect_large_write(False)
        return self._result(revision)

    @property
    def _orders_routes(self) -> bool:
        """True if the list of routes may change its order."""
        return any(plan.kind.name == ElementKind.ROUTES and (plan.moves or plan.removed) for plan in self._plans)

    def _route_ids(self) -> list[str]:
        return TABLES[ElementKind.ROUTES].ids(self._db, self._environment.number)

    def _submitted_ids(self) -> list[str]:
        return [route.id for route in self._submitted.elements(ElementKind.ROUTES) if isinstance(route, Route)]

    def _count_moved(self, ids: Collection[str]) -> None:
        self._moves = bool(ids)
        self._log.count_moved(len(ids))
        for id in sorted(ids):
            self._list_one(ElementKind.ROUTES, (id,), "moved")

    def _result(self, revision: int) -> ReplacementResult:
        etag = self._environment.etag_of(revision)
        kept = {plan.kind.name: len(plan.kept) for plan in self._plans if plan.kept}
        listed = tuple(islice(chain.from_iterable(map(self._kept, self._plans)), MAX_LISTED))
        warnings = self._submitted.warnings
        return ReplacementResult(revision, self._log.change_counts, tuple(self._listed), warnings, etag, kept, listed)

    def _kept(self, plan: _Plan) -> Iterator[User]:
        kind = plan.kind
        for body in self._bodies_at(kind, islice(sorted(plan.kept), MAX_LISTED)).values():
            yield User(kind.name, kind.key_of(element_of(kind.name, body)), fact_text(kind.name, decode_body(body)))

    def _plan(self, kind: Kind) -> _Plan:
        plan, table, number = _Plan(kind), TABLES[kind.name], self._environment.number
        elements = self._submitted.elements(kind.name)
        stored = self._stored_places(kind)
        if not stored:
            plan.places = array("q", [_NEW]) * len(elements)
            plan.differs = bytearray(b"\1") * len(elements)
            if len(elements) <= MOST_KEPT_TEXTS:
                plan.texts = dict(enumerate(self._submitted.texts(kind.name)))
            return plan
        texts: dict[int, bytes] = {}
        for at, (element, text) in enumerate(zip(elements, self._submitted.texts(kind.name), strict=True)):
            found = table.find(self._db, number, kind.key_of(element))
            plan.places.append(_NEW if found is None else found.place)
            plan.differs.append(found is None or not self._is_same(kind, found.body, element, text))
            if plan.differs[at] and len(texts) <= MOST_KEPT_TEXTS:
                texts[at] = text
        plan.texts = texts if len(texts) <= MOST_KEPT_TEXTS else None
        missing = stored.difference(plan.places)
        if kind.name in self._keeps:
            replaced = {place for place in self._equal_places(plan) if place in missing}
            plan.kept, plan.removed = missing - replaced, sorted(replaced)
        else:
            plan.removed = sorted(missing)
        old = [place for place in plan.places if place != _NEW]
        plan.moves = _NEW in plan.places[: len(old)] or any(left > right for left, right in pairwise(old))
        return plan

    def _is_same(self, kind: Kind, stored: bytes, element: Element, text: bytes) -> bool:
        if same_body(stored, text):
            return True
        return self._by_meaning and same_element(element_of(kind.name, stored), element)

    def _equal_places(self, plan: _Plan) -> Iterator[int]:
        """Yields the places of stored facts that equal a new or changed one (P8)."""
        for at, element in enumerate(self._submitted.elements(plan.kind.name)):
            if plan.differs[at] and isinstance(element, Assignment | Grant):
                yield from (one.place for one in equal_facts(self._db, self._environment.number, element))

    def _stored_places(self, kind: Kind) -> set[int]:
        rows = self._db.execute(
            f"SELECT place FROM {kind.name} WHERE place BETWEEN ? AND ?", bounds(self._environment.number)
        )
        return {place for (place,) in rows}

    def _write(self, plan: _Plan) -> None:
        if plan.is_empty:
            return
        db, number, version, table = self._db, self._environment.number, self._version, TABLES[plan.kind.name]
        places = self._new_places(plan)
        befores = self._bodies_at(plan.kind, plan.changed)
        for change in self._removals(plan):
            self._record(change)
        # Removals come first: a name may pass from one element to another.
        table.remove(db, [*plan.removed, *befores])
        batch: list[NewRow] = []
        with table.filling(db, plan.places.count(_NEW)):
            for at, element, change in self._differences(plan, befores):
                self._record(change)
                batch.append(NewRow(places[at], change.after or b"", element))
                if len(batch) == _BATCH:
                    table.add(db, number, version, batch)
                    batch.clear()
            table.add(db, number, version, batch)
        if plan.moves:
            same = (
                pair
                for pair, differs in zip(zip(places, plan.places, strict=True), plan.differs, strict=True)
                if not differs
            )
            db.execute_many(f"UPDATE {plan.kind.name} SET place = ? WHERE place = ?", same)

    def _new_places(self, plan: _Plan) -> "array[int]":
        """Returns the place of each element: its old one, or one at the end if it is new.

        If the order changes, all elements get new places at the end.
        """
        end = TABLES[plan.kind.name].next_place(self._db, self._environment.number)
        if plan.moves:
            return array("q", range(end, end + len(plan.places)))
        fresh = count(end)
        return array("q", (next(fresh) if place == _NEW else place for place in plan.places))

    def _removed_declarations(self, plan: _Plan) -> Iterator[ElementTexts]:
        """Yields the removed elements of a list, if facts may refer to them."""
        return self._removals(plan) if plan.kind.name in DECLARATIONS else iter(())

    def _removals(self, plan: _Plan) -> Iterator[ElementTexts]:
        for body in self._bodies_at(plan.kind, plan.removed).values():
            key = plan.kind.key_of(element_of(plan.kind.name, body))
            yield ElementTexts(plan.kind.name, key, body, None, 0)

    def _differences(self, plan: _Plan, befores: Mapping[int, bytes]) -> Iterator[tuple[int, Element, ElementTexts]]:
        """Yields the added and changed elements, each with its index in the documents."""
        if not any(plan.differs):
            return
        name, key_of = plan.kind.name, plan.kind.key_of
        for at, element, text in self._differing(plan):
            yield at, element, ElementTexts(name, key_of(element), befores.get(plan.places[at]), text, 0)

    def _differing(self, plan: _Plan) -> Iterator[tuple[int, Element, bytes]]:
        """Yields the added and changed elements with their indexes and texts, in order."""
        elements = self._submitted.elements(plan.kind.name)
        if plan.texts is not None:
            yield from ((at, elements[at], text) for at, text in plan.texts.items())
            return
        for at, (element, text) in enumerate(zip(elements, self._submitted.texts(plan.kind.name), strict=True)):
            if plan.differs[at]:
                yield at, element, text

    def _bodies_at(self, kind: Kind, places: Iterable[int]) -> dict[int, bytes]:
        query = f"SELECT body FROM {kind.name} WHERE place = ?"
        return {place: self._db.execute(query, (place,)).fetchone()[0] for place in places}

    def _record(self, change: ElementTexts) -> None:
        self._log.add(change)
        self._list(change)
        if len(self._few) <= MAX_CHANGES:
            self._few.append(change)

    def _list(self, change: ElementTexts) -> None:
        self._list_one(change.kind, change.key, change_of(change.before, change.after))

    def _list_one(self, kind: ElementKind, key: ElementKey, what: str) -> None:
        if len(self._listed) < MAX_LISTED:
            self._listed.append((kind, key, what))
