"""The lint `unreachable-route`: earlier routes match all that a route matches, so it never counts."""

from collections.abc import Iterator, Sequence

from ....bundles.routing.hosts import names_above
from ....bundles.routing.route_tree import NEVER, Node, least_of
from ....bundles.routing.templates import Rest, Segment
from ....bundles.wording import quoted
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ..overlap import Budget
from .prepared_route import PreparedRoute, PreparedRoutes


def unreachable_route(draft: Draft, prepared: PreparedRoutes) -> Iterator[Finding]:
    """Warns about each route that earlier ones cover, on each of its hosts with each of its methods.

    A path is covered by a single template, not by several together. Raises OutOfSteps.
    """
    budget = Budget(draft.limits.lint_steps)
    for index, one in prepared.routes.items():
        earlier = _covering(prepared, index, one, budget)
        if earlier is not None:
            other = quoted(prepared.routes[earlier].route.id)
            message = f"the route {quoted(one.route.id)} never counts: {other}, which comes first, matches all of it"
            help_text = f"put it before {other}, or leave it out"
            yield Finding("unreachable-route", message, ("routes", index), help_text, severity="warning")


def _covering(prepared: PreparedRoutes, index: int, one: PreparedRoute, budget: Budget) -> int | None:
    """Returns an earlier route that covers a part of this one if earlier routes cover all of it, or else None."""
    found = NEVER
    for host in one.hosts:
        trees = [prepared.trees[name] for name in names_above(host) if name in prepared.trees]
        for method in one.route.methods:
            places = (_covered(tree.root, one.segments, 0, method, index, budget) for tree in trees)
            found = next((place for place in places if place != NEVER), NEVER)
            if found == NEVER:
                return None
    return found


def _covered(node: Node, segments: Sequence[Segment], at: int, method: str, below: int, budget: Budget) -> int:
    """Returns the place, less than `below`, of a template that matches all that these segments match, or NEVER."""
    budget.spend(1)
    if node.least >= below:
        return NEVER
    if at == len(segments):
        return _below(least_of(node.ends, method), below)
    found = _below(least_of(node.rests, method), below)
    segment = segments[at]
    if found != NEVER or isinstance(segment, Rest):
        return found
    if isinstance(segment, str):
        child = node.by_text.get(segment)
        if child is not None:
            found = _covered(child, segments, at + 1, method, below, budget)
    # No capture matches the empty segment behind a last slash.
    if found == NEVER and segment != "" and node.captured is not None:
        found = _covered(node.captured, segments, at + 1, method, below, budget)
    return found


def _below(place: int, below: int) -> int:
    return place if place < below else NEVER
