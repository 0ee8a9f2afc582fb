"""The routes of an environment, ready to match: by host, then by a tree of their paths."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...bundles.routing.hosts import ANYWHERE, names_above
from ...bundles.routing.route import AttributeSource, Route
from ...bundles.routing.route_tree import NEVER, RouteTree
from ...bundles.routing.templates import REST, Capture, Rest, Segment, Value, path_template, value_template
from .target import Target


class Matched(NamedTuple):
    """The route of a request, and what its template captured."""

    route: Route
    identifier: str
    captures: Mapping[str, str]

    def sources(self) -> tuple[AttributeSource, ...]:
        """Returns where the resource's attributes come from."""
        return self.route.attributes


@dataclass(frozen=True, slots=True)
class _Read:
    route: Route
    segments: tuple[Segment, ...]
    value: Value


class RouteTable:
    """The routes of an environment in the model's order. Of those that match, the first counts.

    PERF: a search looks at the tree of the host, at those of the domains above it, and at the one for any host. Its
    cost depends on the path, not on the number of routes.
    """

    def __init__(self, routes: Sequence[Route]) -> None:
        """Raises BadTemplate for a route that no check has passed."""
        self._routes = [_Read(one, path_template(one.path), value_template(one.value)) for one in routes]
        self._trees: dict[str, RouteTree] = defaultdict(RouteTree)
        for place, one in enumerate(self._routes):
            for host in one.route.hosts or (ANYWHERE,):
                self._trees[host].add(place, one.segments, one.route.methods)

    def __len__(self) -> int:
        return len(self._routes)

    def of_path(self, host: str, target: Target) -> list[Route]:
        """Returns the routes that match a host and a path with some method, in order, for an explanation.

        Of several routes with the same template and method, it has the first.
        """
        return [self._routes[place].route for place in sorted(_matched_by_path(self._trees, host, target))]

    def match(self, host: str, method: str, target: Target) -> Matched | None:
        """Returns the first route that matches, or None. `host` is a name in lower case, without a port."""
        place = NEVER
        for name in names_above(host):
            tree = self._trees.get(name)
            if tree is not None:
                place = tree.first(target.segments, method, place)
        if place == NEVER:
            return None
        found = self._routes[place]
        captures = _captures(found.segments, target.segments)
        return Matched(found.route, found.value.of(captures), captures)


def _matched_by_path(trees: Mapping[str, RouteTree], host: str, target: Target) -> set[int]:
    found = (tree.matching(target.segments) for name in names_above(host) if (tree := trees.get(name)) is not None)
    return {place for places in found for place in places}


def _captures(segments: Sequence[Segment], path: Sequence[str]) -> dict[str, str]:
    found = {}
    for at, segment in enumerate(segments):
        if isinstance(segment, Capture):
            found[segment.name] = path[at]
        elif isinstance(segment, Rest):
            found[REST] = "/".join(path[at:])
    return found
