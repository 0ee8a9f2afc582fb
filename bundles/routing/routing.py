"""The routing of an environment as bundles and deltas carry it: its routes in order, and its gateway settings."""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ..errors import BundleError
from ..extensions import ANONYMOUS, Need
from ..prepared import prepared
from ..wording import show_path
from .hosts import is_host_pattern, is_method
from .route import ANY, Route
from .settings import GatewaySettings, settings_faults
from .templates import BadTemplate, captures_in, header_in, path_template, value_template


@prepared
class Routing(Struct, frozen=True, array_like=True):
    """The routes in the model's order, and the gateway settings, or None if the environment has none."""

    routes: tuple[Route, ...] = ()
    gateway: GatewaySettings | None = None

    @property
    def is_empty(self) -> bool:
        """True if there is neither a route nor a setting."""
        return not self.routes and self.gateway is None

    def needs(self) -> tuple[Need, ...]:
        """Returns the names of the later rules on which the routes rely, sorted."""
        return (ANONYMOUS,) if any(route.anonymous for route in self.routes) else ()

    def as_written(self) -> tuple[object, ...]:
        """Returns the fields for a bundle or a delta. What came later is left out if no route uses it (E11).

        So a bundle without a marked route is, byte for byte, what it was before, and an older Writ reads it.
        """
        settings = self.gateway
        if settings is not None and settings.anonymous is not None and not self.needs():
            settings = replace(settings, anonymous=None)
        return tuple(route if route.anonymous else route[:-1] for route in self.routes), settings


NO_ROUTING: Final = Routing()


def check_routing(routing: Routing) -> None:
    """Raises BundleError for routes or settings that the checks of a model or of a store would refuse."""
    for route in routing.routes:
        _check_route(route)
    if len({route.id for route in routing.routes}) < len(routing.routes):
        raise BundleError("the bundle is damaged: two routes have the same id")
    if routing.gateway is not None:
        for path, message in settings_faults(routing.gateway):
            raise BundleError(f"the bundle is damaged: its gateway settings at {show_path(path)}: {message}")


def _check_route(route: Route) -> None:
    try:
        captured = captures_in(path_template(route.path))
        header_in(route.action)
        named = {
            value_template(route.value).capture,
            *(one.name for one in route.attributes if one.source == "capture"),
        }
    except BadTemplate as ex:
        raise BundleError(f"the bundle is damaged: in the route `{route.id}`, {ex}") from None
    any_method = route.methods == (ANY,)
    if not route.methods or not (any_method or all(map(is_method, route.methods))):
        raise BundleError(f"the bundle is damaged: a method of the route `{route.id}` can't be read")
    if not all(map(is_host_pattern, route.hosts)):
        raise BundleError(f"the bundle is damaged: a host of the route `{route.id}` can't be read")
    if not named - {None} <= captured:
        raise BundleError(f"the bundle is damaged: the route `{route.id}` uses what its path does not capture")
