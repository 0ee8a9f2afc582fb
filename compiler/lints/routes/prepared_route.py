"""Routes, prepared for comparing: their templates, and the trees in which they lie by host."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ....bundles.routing.hosts import ANYWHERE, is_host_pattern, is_method
from ....bundles.routing.route import ANY, BadSource, Route
from ....bundles.routing.route_tree import RouteTree
from ....bundles.routing.templates import BadTemplate, Segment, Value, captures_in, path_template, value_template
from ...checks.draft import Draft
from ...lowering.lower_routes import lower_route
from ...model import elements
from ...model.declared import types_of


class PreparedRoute(NamedTuple):
    """A route without errors, with its templates."""

    route: Route
    segments: tuple[Segment, ...]
    value: Value

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names under which it lies in the trees."""
        return self.route.hosts or (ANYWHERE,)


@dataclass(frozen=True, slots=True)
class PreparedRoutes:
    """The routes without errors by their index in the model, which is their place in the trees, by host."""

    routes: Mapping[int, PreparedRoute]
    trees: Mapping[str, RouteTree]

    @property
    def first(self) -> int:
        """The least index."""
        return min(self.routes)


def prepare_routes(draft: Draft) -> PreparedRoutes:
    """Returns the routes that the lints compare."""
    routes: dict[int, PreparedRoute] = {}
    trees: dict[str, RouteTree] = defaultdict(RouteTree)
    for index, stated in enumerate(draft.model.routes):
        prepared = _prepared(stated, draft)
        if prepared is not None:
            routes[index] = prepared
            for host in prepared.hosts:
                trees[host].add(index, prepared.segments, prepared.route.methods)
    return PreparedRoutes(routes, trees)


def _prepared(stated: elements.Route, draft: Draft) -> PreparedRoute | None:
    """Returns the prepared route, or None if it has an error, which the checks report."""
    if stated.hosts == () or not all(map(is_host_pattern, stated.hosts or ())) or not _are_methods(stated.methods):
        return None
    try:
        type = draft.types.get(stated.resource_type)
        route = lower_route(stated, types_of((type and type.attributes) or {}))
        prepared = PreparedRoute(route, path_template(route.path), value_template(route.value))
    except (BadSource, BadTemplate):
        return None
    named = {one.name for one in route.attributes if one.source == "capture"} | {prepared.value.capture} - {None}
    return prepared if named <= captures_in(prepared.segments) else None


def _are_methods(methods: Sequence[str]) -> bool:
    return tuple(methods) == (ANY,) or (bool(methods) and all(map(is_method, methods)))
