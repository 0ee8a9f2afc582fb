"""The history of a store's environments: revisions by filter, and the undo of one."""

from collections.abc import Sequence
from typing import NamedTuple

from ..database.connections import StoreConnections
from ..environment_ids import Bounds
from ..environments import Environment, environment_within
from ..errors import Conflict
from ..gateway_settings import read_gateway
from ..pages import MAX_PAGE
from .change_log import GATEWAY, ChangeEntry, Revision, entries_page, revision_numbered
from .element_past import FoundRevision, RevisionFilter, find_revisions
from .gateway_past import GatewayChange, gateway_change
from .undoing import UndoPlan, undo_plan
from .undone_change import ChosenChange


class Undoing(NamedTuple):
    """A plan for an environment as it is, or for its gateway settings: no revision changes both."""

    environment: Environment
    plan: UndoPlan
    gateway: GatewayChange | None


class History:
    """The revisions of a store. Methods raise NotFound, OutOfBounds and StoreUnavailable, as the store's do."""

    def __init__(self, connections: StoreConnections) -> None:
        self._connections = connections

    def find(
        self,
        env: str,
        where: RevisionFilter,
        limit: int,
        cursor: str | None = None,
        entries: int = 0,
        bounds: Bounds = None,
    ) -> tuple[tuple[FoundRevision, ...], str | None]:
        """Returns revisions and the cursor of the next page; see `find_revisions`. Raises BadQuery."""
        with self._connections.reading() as db:
            return find_revisions(db, environment_within(db, env, bounds), where, limit, cursor, entries)

    def revision_page(
        self, env: str, number: int, limit: int = MAX_PAGE, cursor: str | None = None, bounds: Bounds = None
    ) -> tuple[Revision, tuple[ChangeEntry, ...], str | None]:
        """Returns a revision, some of its changes, and the cursor of the next page or None. Raises BadQuery."""
        with self._connections.reading() as db:
            environment = environment_within(db, env, bounds)
            found = revision_numbered(db, environment, number)
            return found, *entries_page(db, environment.number, number, limit, cursor)

    def gateway(self, env: str, revision: int, bounds: Bounds = None) -> GatewayChange | None:
        """Returns the gateway settings before and after a revision, if it changed them and the audit log has them."""
        with self._connections.reading() as db:
            environment = environment_within(db, env, bounds)
            return gateway_change(db, environment, revision_numbered(db, environment, revision))

    def undo(self, env: str, revision: int, chosen: Sequence[ChosenChange] | None, bounds: Bounds = None) -> Undoing:
        """Returns the plan that undoes a revision, or the chosen changes of it. Nothing is written.

        Raises Rejected for too many elements, and Conflict if the gateway settings that it made are not those of now.
        """
        with self._connections.reading() as db:
            environment = environment_within(db, env, bounds)
            found = revision_numbered(db, environment, revision)
            plan = undo_plan(db, environment, revision, chosen)
            gateway = None if chosen else _way_back(environment, found, gateway_change(db, environment, found))
            return Undoing(environment, plan, gateway)


def _way_back(environment: Environment, revision: Revision, change: GatewayChange | None) -> GatewayChange | None:
    """Returns the way back from the settings of now to those before a revision."""
    if GATEWAY not in revision.changes:
        return None
    if change is None:
        raise Conflict(f"the audit log no longer has the gateway settings before revision {revision.revision}")
    now = read_gateway(environment)
    if now != change.after:
        raise Conflict(f"the gateway settings of `{environment.id}` have changed since revision {revision.revision}")
    return GatewayChange(now, change.before)
