"""The routes and the gateway settings of a snapshot, read when they are first needed."""

from collections.abc import Callable

from ...bundles.routing.routing import Routing
from ...bundles.routing.settings import GatewaySettings
from .route_table import RouteTable


class Routed:
    """The routing of one state. Snapshots share it as long as it does not change.

    Threads may use it at once: at worst, two of them build the same table, and one of the two is kept.

    PERF: most engines never answer a gateway, so opening a bundle reads no route.
    """

    def __init__(self, read: Callable[[], Routing]):
        """`read` returns the routing, and raises BundleError."""
        self._read = read
        self._found: tuple[RouteTable, GatewaySettings | None] | None = None

    @property
    def routes(self) -> RouteTable:
        """The routes, ready to match. Raises BundleError."""
        return (self._found or self._loaded())[0]

    @property
    def gateway(self) -> GatewaySettings | None:
        """The gateway settings, or None. Raises BundleError."""
        return (self._found or self._loaded())[1]

    def _loaded(self) -> tuple[RouteTable, GatewaySettings | None]:
        routing = self._read()
        found = self._found = RouteTable(routing.routes), routing.gateway
        return found
