"""Logs what a write changed: the end of its transaction."""

from ..actor import Actor
from ..elements.workspace import Workspace
from .change_log import ChangeLogWriter
from .delta_states import delta_of
from .route_orders import record_order


def log_changes(workspace: Workspace, actor: Actor, time: str) -> int:
    """Log the changes of a workspace as one revision, with its delta. `time` is RFC 3339.

    Returns the number of the revision, or that of the newest one if there are no changes.
    """
    environment = workspace.environment
    moved = record_order(workspace.db, environment.number, workspace.version, workspace.routes_before)
    if not workspace.changes and not moved:
        return environment.revision
    net = workspace.net_changes()
    log = ChangeLogWriter(workspace.db, environment)
    for change in net:
        log.add(change)
    log.count_moved(len(moved))
    delta = delta_of(workspace.db, environment.number, workspace.version, net, bool(moved))
    return log.end(time, actor, delta)
