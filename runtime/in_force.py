"""The manifest, the revision and the routes that an engine has in force, and its clock."""

from collections.abc import Callable
from math import isfinite
from typing import Any

from ..bundles.manifest import Manifest
from ..bundles.routing.settings import GatewaySettings
from .routing.route_table import RouteTable
from .snapshot import Snapshot
from .state.state import State


class InForce:
    """The base of an engine: it says what its snapshot has, and the time."""

    _snapshot: Snapshot
    _clock: Callable[[], float]

    @property
    def manifest(self) -> Manifest:
        """The manifest of the bundle in force."""
        return self._snapshot.state.manifest

    @property
    def revision(self) -> int:
        """The revision of the model in force."""
        return self._snapshot.state.revision

    @property
    def revision_token(self) -> str | None:
        """The revision in force as `UUID.EPOCH.REVISION`, or None if the bundle was compiled from files."""
        return self._snapshot.revision_token

    @property
    def state(self) -> State:
        """The facts and the rules in force. They do not change: another revision is another state."""
        return self._snapshot.state

    @property
    def routes(self) -> RouteTable:
        """The routes in force, ready to match. They are read at the first use, and then kept. Raises BundleError."""
        return self._snapshot.routed.routes

    @property
    def gateway(self) -> GatewaySettings | None:
        """The gateway settings in force, or None if the environment has none. Raises BundleError."""
        return self._snapshot.routed.gateway

    def declared_context(self, added: dict[str, Any]) -> dict[str, Any]:
        """Returns what Writ itself adds to a context. A strict model gets only what it declares of that (E8)."""
        snapshot = self._snapshot
        return snapshot.strict_requests.declared_context(added) if snapshot.is_strict else added

    def type_name(self, id: str) -> str:
        """Returns the name by which requests know the resource type of an id, or the id if there is none (E7)."""
        return self._snapshot.type_names().get(id, id)

    def now(self) -> float:
        """Returns the instant of the engine's clock, in epoch seconds. Raises ValueError if it is not a finite number.

        Give it as `now` to several questions, and all are answered for the same instant.
        """
        return self._instant(None)

    def _instant(self, now: float | None) -> float:
        """Returns `now`, or the clock's instant. Raises ValueError if it is not a finite number."""
        instant = self._clock() if now is None else now
        try:
            if isfinite(instant):
                return instant
        except (TypeError, OverflowError):  # not a number, or one too large for a float
            pass
        raise ValueError("`now` is no instant: it is a number of epoch seconds")
