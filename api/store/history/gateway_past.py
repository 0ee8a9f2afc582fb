"""The gateway settings before and after a revision that changed them. The audit log has them, and no element."""

from typing import Final

from msgspec import Struct, convert

from ....bundles.conditions.instants import parse_instant
from ....bundles.routing.settings import GatewaySettings
from ..audit.entries import entry_in, sortable_time
from ..audit.events import Event
from ..database.connection import Connection
from ..environments import Environment
from .change_log import GATEWAY, Revision

_SAME_TIME: Final = "SELECT body FROM audit WHERE time = ? ORDER BY number"


class GatewayChange(Struct, frozen=True):
    """Gateway settings before and after a revision. None means that there were none."""

    before: GatewaySettings | None
    after: GatewaySettings | None


def gateway_change(db: Connection, environment: Environment, revision: Revision) -> GatewayChange | None:
    """Returns the change that a revision made, or None if it made none, or if the audit log has it no more."""
    if GATEWAY not in revision.changes:
        return None
    is_next = False
    for (body,) in db.execute(_SAME_TIME, (sortable_time(parse_instant(revision.time)),)).fetchall():
        entry = entry_in(body)
        if entry.within != (environment.uuid,):
            continue
        if is_next and entry.event is Event.GATEWAY_CHANGED:  # it follows the entry of its revision
            return convert(entry.details, GatewayChange)
        is_next = entry.event is Event.MODEL_CHANGED and entry.details.get("revision") == revision.revision
    return None
