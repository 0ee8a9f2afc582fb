"""The undo of one revision, or of some of its changes: the edits that take it back, and what stands against them."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ....bundles.wording import quoted
from ....compiler.model.elements import ElementKind
from ..database.connection import Connection
from ..elements.edits import Delete, Edit, Replace
from ..elements.element_bodies import Body, decode_body
from ..elements.kinds import KINDS
from ..elements.tables import TABLES
from ..environments import Environment
from ..errors import BodyFault, NotFound, Rejected
from .change_log import ChangeEntry, entries_chunk
from .element_past import entry_of
from .route_orders import moved, order_at
from .undone_change import ChosenChange, UndoConflict, UndoneChange
from .undone_routes import moves_to, order_without

MOST_UNDONE: Final = 1_000
"""The most elements of one undo."""


class UndoPlan(NamedTuple):
    """The edits that undo changes, all or none, and the elements that changed again."""

    edits: list[Edit]
    conflicts: tuple[UndoConflict, ...]


def undo_plan(
    db: Connection, environment: Environment, revision: int, chosen: Sequence[ChosenChange] | None
) -> UndoPlan:
    """Returns the plan that undoes the chosen changes of a revision, or all of them if `chosen` is None.

    Raises NotFound for an element that the revision did not change, and Rejected for too many elements.
    """
    orders = order_at(db, environment.number, revision - 1), order_at(db, environment.number, revision)
    moves = moved(*orders)
    entries = _entries(db, environment, revision, chosen, moves)
    seen = {(one.kind, one.key): one.seen for one in chosen or ()}
    undone = [UndoneChange(db, environment, revision, one, seen.get((one.kind, one.key))) for one in entries]
    if chosen is not None:
        moves &= {key[0] for kind, key in seen if kind == ElementKind.ROUTES}
    conflicts = tuple(one.conflict() for one in undone if one.is_contested)
    edits = [edit for one in undone for edit in one.edits()]
    edits.sort(key=lambda edit: not isinstance(edit, Delete))  # a deletion frees its names
    edits += _route_moves(db, environment, orders[0], moves, undone)
    return UndoPlan(edits, conflicts)


def _entries(
    db: Connection,
    environment: Environment,
    revision: int,
    chosen: Sequence[ChosenChange] | None,
    moves: frozenset[str],
) -> list[ChangeEntry]:
    if chosen is None:
        return _all_entries(db, environment, revision)
    found = []
    for one in chosen:
        entry = entry_of(db, environment, revision, one.kind, one.key)
        if entry is not None:
            found.append(entry)
        elif one.kind != ElementKind.ROUTES or one.key[0] not in moves:
            message = f"revision {revision} did not change the {KINDS[one.kind].noun} {quoted(':'.join(one.key))}"
            raise NotFound(message)
    return found


def _all_entries(db: Connection, environment: Environment, revision: int) -> list[ChangeEntry]:
    found: list[ChangeEntry] = []
    chunk = 0
    while (entries := entries_chunk(db, environment.number, revision, chunk)) is not None:
        found += entries
        if len(found) > MOST_UNDONE:
            message = f"revision {revision} changed more than {MOST_UNDONE} elements"
            advice = "name the elements to undo, or restore an earlier revision"
            raise Rejected((BodyFault("too-many-elements", "$.elements", message, advice),))
        chunk += 1
    return found


def _route_moves(
    db: Connection, environment: Environment, before: list[str], moves: frozenset[str], undone: Sequence[UndoneChange]
) -> Iterator[Edit]:
    """Yields the edits that put routes back, after the other edits. Their bodies are those that these leave."""
    routes = [one for one in undone if one.entry.kind == ElementKind.ROUTES and not one.is_done]
    gone = {one.entry.key[0] for one in routes if one.wanted is None}
    added = [one.entry.key[0] for one in routes if one.row is None]
    bodies = {one.entry.key[0]: one.wanted for one in routes}
    stored = [id for id in TABLES[ElementKind.ROUTES].ids(db, environment.number) if id not in gone]
    now = [*stored, *added]
    wanted = order_without(now, before, {*added, *moves} & set(now) & set(before))
    for id, follows in moves_to(now, wanted):
        body = bodies.get(id) or _body(db, environment, id)
        yield Replace(ElementKind.ROUTES, (id,), body, before=follows)


def _body(db: Connection, environment: Environment, id: str) -> Body:
    row = TABLES[ElementKind.ROUTES].find(db, environment.number, (id,))
    if row is None:
        raise NotFound(f"there is no route {quoted(id)} any more")
    return decode_body(row.body)
