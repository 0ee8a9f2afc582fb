"""Logs what a write changed: the end of its transaction."""

from dataclasses import dataclass

from ....compiler.model.elements import ElementKind
from ..actor import Actor
from ..database.connection import Connection
from ..elements.workspace import ElementTexts, Workspace
from ..environments import Environment
from .affected import changes_declarations
from .change_log import ChangeLogWriter
from .delta_states import delta_of
from .origin import refuse_direct_change
from .route_orders import moved_since, record_order


@dataclass(frozen=True, slots=True)
class FoundChanges:
    """The changes of a write: those of elements, the routes that moved, and the delta, if there is one.

    If `needs_bundle` is true, the delta has all that decides, but not the declared attributes that changed. So it can
    be tried, and is not logged.
    """

    net: list[ElementTexts]
    moved: frozenset[str]
    delta: bytes | None
    needs_bundle: bool


def find_changes(workspace: Workspace) -> FoundChanges | None:
    """Returns the changes of a workspace, or None if there are none. Raises Conflict if they need a promotion."""
    number = workspace.environment.number
    moved = moved_since(workspace.db, number, workspace.routes_before) or frozenset()
    if not workspace.changes and not moved:
        return None
    net = workspace.net_changes()
    kinds = {change.kind for change in net} | ({ElementKind.ROUTES} if moved else set())
    refuse_direct_change(workspace.environment, kinds)
    delta = delta_of(workspace.db, number, workspace.version, net, bool(moved), workspace.refuse_late)
    return FoundChanges(net, moved, delta, any(map(changes_declarations, net)))


def log_found(
    db: Connection, environment: Environment, workspace: Workspace, found: FoundChanges | None, actor: Actor, time: str
) -> int:
    """Log changes that were found in a workspace of the same revision. `time` is RFC 3339. Returns the new revision."""
    if found is None:
        return environment.revision
    record_order(db, environment.number, workspace.version, workspace.routes_before)
    log = ChangeLogWriter(db, environment)
    for change in found.net:
        log.add(change)
    log.count_moved(len(found.moved))
    return log.end(time, actor, None if found.needs_bundle else found.delta)


def log_changes(workspace: Workspace, actor: Actor, time: str) -> int:
    """Log the changes of a workspace as one revision, with its delta. `time` is RFC 3339.

    Returns the number of the revision, or that of the newest one if there are no changes.
    """
    return log_found(workspace.db, workspace.environment, workspace, find_changes(workspace), actor, time)
