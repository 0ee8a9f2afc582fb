"""Lowers the routes of a model to those of a bundle, in their order."""

from collections.abc import Mapping
from typing import Final

from ...bundles.routing import route as routing
from ...bundles.routing.route import attribute_source
from ..model.declared import types_of
from ..model.elements import AttributeType, Model, Route

DEFAULT_CAPTURE: Final = "id"
"""The capture that is the resource's id if a route does not name its resource."""


def lower_routes(model: Model) -> tuple[routing.Route, ...]:
    """Returns the routes of a model that passed its checks. The order of hosts and methods has no meaning."""
    declared = {type.id: types_of(type.attributes or {}) for type in model.resource_types}
    return tuple(lower_route(route, declared.get(route.resource_type, {})) for route in model.routes)


def lower_route(route: Route, declared: Mapping[str, AttributeType]) -> routing.Route:
    """Returns the route of a bundle. Raises BadSource for a source that no check has passed.

    `declared` are the types of the attributes of its resource type (C11).
    """
    sources = (attribute_source(key, text) for key, text in sorted((route.attributes or {}).items()))
    value = route.external_id if route.external_id is not None else route.resource_id
    return routing.Route(
        id=route.id,
        hosts=tuple(sorted(set(route.hosts or ()))),
        methods=tuple(sorted(set(route.methods))),
        path=route.path,
        resource_type=route.resource_type,
        identifier="id" if route.external_id is None else "external_id",
        value=f"{{{DEFAULT_CAPTURE}}}" if value is None else value,
        action=route.action,
        attributes=tuple(one._replace(kind=declared.get(one.key, one.kind)) for one in sources),
        anonymous=route.anonymous,
    )
