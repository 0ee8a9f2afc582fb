"""The routes of an environment, ready to match: by host, then by a tree of their paths."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec import Struct

from ...bundles.routing.hosts import ANYWHERE, names_above
from ...bundles.routing.route import AttributeSource, Route
from ...bundles.routing.route_tree import NEVER, RouteTree
from ...bundles.routing.templates import REST, Capture, Rest, Segment, Value, header_in, path_template, value_template
from .target import Target, read_target

MOST_HOSTS: Final = 4_096
"""The hosts whose trees a table remembers."""

MOST_FOUND: Final = 4_096
"""The requests whose routes a table remembers."""

LONGEST_FOUND: Final = 512
"""The characters of a target that is remembered."""


class Matched(Struct, frozen=True, gc=False):
    """The route of a request, and what its template captured."""

    route: Route
    identifier: str
    captures: Mapping[str, str]
    action_header: str | None = None
    """The header that the gateway sets to the action, if the route takes it from one."""
    id_header: str | None = None
    """The same for the identifier, which is empty then."""

    def sources(self) -> tuple[AttributeSource, ...]:
        """Returns where the resource's attributes come from."""
        return self.route.attributes


class Found(Struct, frozen=True, gc=False):
    """The question of a request: its target, the decoded path of that, and its route if one matches."""

    target: Target
    path: str
    matched: Matched | None


@dataclass(frozen=True, slots=True)
class _Read:
    route: Route
    captured: tuple[tuple[str, int], ...]
    """The captures of one segment each: the name, and which segment of the path."""
    rest: int | None
    """The segment where the rest of the path begins, if it is captured."""
    value: Value
    action_header: str | None


def _read(route: Route, segments: Sequence[Segment]) -> _Read:
    captured = tuple((one.name, at) for at, one in enumerate(segments) if isinstance(one, Capture))
    rest = len(segments) - 1 if isinstance(segments[-1], Rest) else None
    return _Read(route, captured, rest, value_template(route.value), header_in(route.action))


class RouteTable:
    """The routes of an environment in the model's order. Of those that match, the first counts.

    PERF: a search looks at the tree of the host, at those of the domains above it, and at the one for any host. Its
    cost depends on the path, not on the number of routes.
    """

    def __init__(self, routes: Sequence[Route]) -> None:
        """Raises BadTemplate for a route that no check has passed."""
        self._routes: list[_Read] = []
        self._trees: dict[str, RouteTree] = defaultdict(RouteTree)
        self._of_host: dict[str, tuple[RouteTree, ...]] = {}
        self._found: dict[tuple[str, str, str], Found] = {}
        self._once = [0] * MOST_FOUND
        """The hashes of requests that came once, each at the place that it says. A later one takes its place."""
        for place, route in enumerate(routes):
            segments = path_template(route.path)
            self._routes.append(_read(route, segments))
            for host in route.hosts or (ANYWHERE,):
                self._trees[host].add(place, segments, route.methods)

    def __len__(self) -> int:
        return len(self._routes)

    def of_path(self, host: str, target: Target) -> list[Route]:
        """Returns the routes that match a host and a path with some method, in order, for an explanation.

        Of several routes with the same template and method, it has the first.
        """
        places = {place for tree in self._trees_of(host) for place in tree.matching(target.segments)}
        return [self._routes[place].route for place in sorted(places)]

    def find(self, host: str, method: str, target: str) -> Found:
        """Returns the target that a text is, and its route as `match` finds it. Raises BadTarget.

        PERF: requests for the same come again. Nothing else counts for what is remembered, and it ends with the table.
        To remember takes as long as to find, so a request is remembered when it comes again.
        """
        key = host, method, target
        found = self._found.get(key)
        if found is None:
            read = read_target(target)
            found = Found(read, read.decoded_path, self.match(host, method, read))
            if len(target) <= LONGEST_FOUND and self._came_again(hash(key)):
                if len(self._found) >= MOST_FOUND:
                    self._found.clear()
                self._found[key] = found
        return found

    def _came_again(self, hashed: int) -> bool:
        """Returns whether a request with this hash came not long ago, and notes that it came."""
        place = hashed % MOST_FOUND
        if self._once[place] == hashed:
            return True
        self._once[place] = hashed
        return False

    def match(self, host: str, method: str, target: Target) -> Matched | None:
        """Returns the first route that matches, or None. `host` is a name in lower case, without a port."""
        place = NEVER
        for tree in self._trees_of(host):
            place = tree.first(target.segments, method, place)
        if place == NEVER:
            return None
        found = self._routes[place]
        captures = {name: target.segments[at] for name, at in found.captured}
        if found.rest is not None:
            captures[REST] = "/".join(target.segments[found.rest :])
        return Matched(found.route, found.value.of(captures), captures, found.action_header, found.value.header)

    def _trees_of(self, host: str) -> tuple[RouteTree, ...]:
        """Returns the trees that have routes for a host. PERF: most requests are to few hosts."""
        found = self._of_host.get(host)
        if found is None:
            if len(self._of_host) >= MOST_HOSTS:
                self._of_host.clear()
            trees = (self._trees.get(name) for name in names_above(host))
            found = self._of_host[host] = tuple(tree for tree in trees if tree is not None)
        return found
