"""A tree of path templates: it finds the first route that matches a path, whatever the number of routes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from .route import ANY
from .templates import Capture, Rest, Segment

NEVER: Final = 2**62
"""The place of no route."""


class Node:
    """The routes below a segment. `least` is the least place of any of them, so that a search can leave them out."""

    __slots__ = ("by_text", "captured", "ends", "least", "rests")

    def __init__(self) -> None:
        self.by_text: dict[str, Node] = {}
        self.captured: Node | None = None
        self.ends: dict[str, int] = {}
        """By method, the least place of the routes that end here."""
        self.rests: dict[str, int] = {}
        """The same for those whose `*` begins here."""
        self.least = NEVER


class RouteTree:
    """The templates of some routes, by place. The least place that matches counts."""

    def __init__(self) -> None:
        self.root = Node()
        """The node of the empty path."""

    def add(self, place: int, segments: Sequence[Segment], methods: Sequence[str]) -> None:
        """Add a route. Places may come in any order."""
        node = self.root
        node.least = min(node.least, place)
        for segment in segments:
            if isinstance(segment, Rest):
                _note(node.rests, methods, place)
                return
            if isinstance(segment, Capture):
                if node.captured is None:
                    node.captured = Node()
                node = node.captured
            else:
                node = node.by_text.setdefault(segment, Node())
            node.least = min(node.least, place)
        _note(node.ends, methods, place)

    def first(self, segments: Sequence[str], method: str, below: int = NEVER) -> int:
        """Returns the least place below `below` that matches a path and a method, or `below`."""
        return _first(self.root, segments, 0, method, below)

    def matching(self, segments: Sequence[str]) -> Iterator[int]:
        """Yields the places of all routes that match a path, of any method, in no order."""
        yield from _matching(self.root, segments, 0)


def _note(found: dict[str, int], methods: Sequence[str], place: int) -> None:
    for method in methods:
        found[method] = min(place, found.get(method, NEVER))


def _first(node: Node, segments: Sequence[str], start: int, method: str, best: int) -> int:
    """PERF: a branch is entered only if it has a place below the best one. Most requests enter one, without a call."""
    for at in range(start, len(segments)):
        segment = segments[at]
        if node.rests:
            best = least_of(node.rests, method, best)
        # An empty segment, behind a last slash, is nothing that could be captured.
        found, captured = node.by_text.get(segment), node.captured if segment else None
        if found is None:
            found = captured
        elif captured is not None and captured.least < best:
            best = _first(captured, segments, at + 1, method, best)
        if found is None or found.least >= best:
            return best
        node = found
    return least_of(node.ends, method, best)


def least_of(places: Mapping[str, int], method: str, best: int = NEVER) -> int:
    """Returns the least place for a method, that of any method included, or `best` if that is less.

    PERF: written out, since `min` takes twice as long.
    """
    of_method, of_any = places.get(method, best), places.get(ANY, best)
    if of_method > of_any:
        of_method = of_any
    return of_method if of_method < best else best


def _matching(node: Node, segments: Sequence[str], at: int) -> Iterator[int]:
    if at == len(segments):
        yield from node.ends.values()
        return
    yield from node.rests.values()
    found = node.by_text.get(segments[at])
    if found is not None:
        yield from _matching(found, segments, at + 1)
    if segments[at] and node.captured is not None:
        yield from _matching(node.captured, segments, at + 1)
