"""The lint `ambiguous-routes`: two routes match a common path, and only their order says which one counts."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from ....bundles.routing.hosts import names_above
from ....bundles.routing.templates import REST, Capture, Rest, Segment, Value
from ....bundles.wording import quoted
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ..overlap import Budget, BudgetSpent
from .prepared_route import PreparedRoute, PreparedRoutes
from .route_overlap import OverlapWalk

_Text: TypeAlias = tuple[str | int, ...]
"""A text on the common paths: its parts, each a text or the number of a segment that may be any text."""


def ambiguous_routes(draft: Draft, prepared: PreparedRoutes) -> Iterator[Finding]:
    """Warns about each route that overlaps an earlier one, neither of which covers the other, with another result.

    Of the earlier ones, it names the first. Raises OutOfSteps after the findings up to then.
    """
    found: dict[int, int] = {}
    try:
        for place, other in _overlapping(prepared, Budget(draft.limits.lint_steps)):
            earlier, later = sorted((place, other))
            if found.get(later, later) > earlier and _differ(prepared.routes[earlier], prepared.routes[later]):
                found[later] = earlier
    except BudgetSpent:
        yield from _findings(prepared, found)
        raise
    yield from _findings(prepared, found)


def _overlapping(prepared: PreparedRoutes, budget: Budget) -> Iterator[tuple[int, int]]:
    """Yields the places of routes that overlap on a common host. PERF: only the trees of covering hosts are paired."""
    walk = OverlapWalk(budget)
    for host, tree in prepared.trees.items():
        for name in dict.fromkeys(names_above(host)):
            if name in prepared.trees:
                yield from walk.overlapping(tree.root, prepared.trees[name].root)


def _findings(prepared: PreparedRoutes, found: dict[int, int]) -> Iterator[Finding]:
    for later, earlier in sorted(found.items()):
        one, other = prepared.routes[later], prepared.routes[earlier]
        path = quoted(_shown(_common(one.segments, other.segments)))
        message = (
            f"the routes {quoted(other.route.id)} and {quoted(one.route.id)} both match {path}, and only their order"
            " says which one counts"
        )
        help_text = f"to show which one is meant, add a route for {path} before both"
        yield Finding("ambiguous-routes", message, ("routes", later), help_text, severity="warning")


def _differ(one: PreparedRoute, other: PreparedRoute) -> bool:
    """Returns whether two routes name another resource, action or attributes on their common paths."""
    common = _common(one.segments, other.segments)
    return _result(one, common) != _result(other, common)


def _common(one: Sequence[Segment], other: Sequence[Segment]) -> tuple[Segment, ...]:
    """Returns the template of the paths that both match.

    >>> _common(("a", Capture("x"), Rest()), (Capture("y"), "b", "c", Capture("z")))
    ('a', 'b', 'c', Capture(name='z'))
    """
    found: list[Segment] = []
    for at in range(min(len(one), len(other))):
        mine, its = one[at], other[at]
        if isinstance(mine, Rest):
            return (*found, *other[at:])
        if isinstance(its, Rest):
            return (*found, *one[at:])
        found.append(its if isinstance(mine, Capture) else mine)
    return tuple(found)


def _result(one: PreparedRoute, common: Sequence[Segment]) -> tuple[object, ...]:
    """Returns what a route says of a request to a common path, with the numbers of segments for captured texts."""
    route = one.route
    attributes = tuple(
        (key, source, _text(Value("", name, ""), one.segments, common) if source == "capture" else name, kind)
        for key, source, name, kind in route.attributes
    )
    value = one.value.header or _text(one.value, one.segments, common)
    return route.resource_type, route.identifier, value, route.action, attributes, route.anonymous


def _text(value: Value, segments: Sequence[Segment], common: Sequence[Segment]) -> _Text:
    """Returns a value on the common paths. Texts that stand side by side are one."""
    parts: list[str | int] = [value.before]
    if value.capture is not None:
        sought: Segment = Rest() if value.capture == REST else Capture(value.capture)
        at = segments.index(sought)
        last = len(common) if isinstance(sought, Rest) else at + 1
        for number in range(at, last):
            segment = common[number]
            parts += ["/" if number > at else "", segment if isinstance(segment, str) else number]
    return _joined([*parts, value.after])


def _joined(parts: Sequence[str | int]) -> _Text:
    """Returns the parts without empty texts, and with each run of texts as one.

    >>> _joined(["a", "", "b", 1, "", "c"])
    ('ab', 1, 'c')
    """
    found: list[str | int] = []
    for before, part in pairwise(["", *parts]):
        if isinstance(part, str) and found and isinstance(found[-1], str) and isinstance(before, str):
            found[-1] += part
        elif part != "":
            found.append(part)
    return tuple(found)


def _shown(segments: Sequence[Segment]) -> str:
    """Returns a path template as text."""
    texts = (one if isinstance(one, str) else REST if isinstance(one, Rest) else f"{{{one.name}}}" for one in segments)
    return "/" + "/".join(texts)
