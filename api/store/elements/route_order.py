"""The order of the routes in their table, and their number."""

from collections.abc import Iterable, Iterator, Sequence

from ....compiler.checks.routes import too_many_routes
from ....compiler.limits import DEFAULTS
from ....compiler.model.elements import ElementKind
from ..database.connection import Connection
from ..errors import BodyFault
from .workspace import ElementTexts, Workspace


def move_route(workspace: Workspace, id: str, before: str) -> None:
    """Put a route before another one. Both exist.

    The moved route, and those from the other one on, get new places at the end of the list.
    """
    if id == before:
        return
    workspace.keep_route_order()
    query = "SELECT place, id FROM routes WHERE environment = ? AND place >= (SELECT place FROM routes"
    query += " WHERE environment = ? AND id = ?) ORDER BY place"
    number = workspace.number
    (own,) = workspace.db.execute("SELECT place FROM routes WHERE environment = ? AND id = ?", (number, id)).fetchone()
    later = workspace.db.execute(query, (number, number, before)).fetchall()
    places = [own, *(place for place, other in later if other != id)]
    moves = [(workspace.next_place(ElementKind.ROUTES), place) for place in places]
    workspace.do(lambda db: _move(db, moves))


def _move(db: Connection, moves: Sequence[tuple[int, int]]) -> None:
    db.execute_many("UPDATE routes SET place = ? WHERE place = ?", moves)


def route_count_faults(workspace: Workspace, changes: Iterable[ElementTexts]) -> Iterator[BodyFault]:
    """Yields a fault for the last edit that added a route, if there are too many now."""
    added = [change for change in changes if change.kind == ElementKind.ROUTES and change.before is None]
    if added:
        query = "SELECT count(*) FROM routes WHERE environment = ?"
        (count,) = workspace.db.execute(query, (workspace.number,)).fetchone()
        found = too_many_routes(int(count), DEFAULTS)
        if found is not None:
            yield BodyFault(found.code, "$", found.message, found.help, added[-1].edit)
