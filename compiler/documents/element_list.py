"""The elements of one list as several documents give it, and where each of them stands."""

from bisect import bisect_right
from typing import NamedTuple

from ...bundles.conditions.values import Json
from ..model.elements import Element
from .error_recovery import Salvaged


class Origin(NamedTuple):
    """An element's document, by its number, and its place in the list there."""

    document: int
    place: int


class Gathered:
    """The elements of a list, in order, those included of which only a part could be read."""

    def __init__(self) -> None:
        self.elements: list[Element] = []
        self.salvaged: dict[int, Salvaged] = {}
        """What is left of the elements that have faults, by their places in `elements`."""

        self.unread_ids: set[str] = set()
        self.knows_ids = True
        """Whether every element's `id` is known: that of an element, or one of `unread_ids`."""

        self.complete = True
        """Whether every element is there, a part of it at least."""

        self._runs: list[tuple[int, Origin]] = []

    def resume(self, document: int, index: int) -> None:
        """Say that the next element to be added is this one; those after it follow it."""
        self._runs.append((len(self.elements), Origin(document, index)))

    def lose(self) -> None:
        """Say that elements could not be read, nobody knows how many."""
        self.knows_ids = self.complete = False

    def skip(self, value: Json, document: int, index: int) -> None:
        """Say that this element could not be read, so that nothing is reported merely because it is not there."""
        name = value.get("id") if isinstance(value, dict) else None
        if isinstance(name, str):
            self.unread_ids.add(name)
        else:
            self.knows_ids = False
        self.complete = False
        self.resume(document, index + 1)

    def add_salvaged(self, salvaged: Salvaged) -> None:
        """Add what is left of an element."""
        self.knows_ids = self.knows_ids and ("id",) not in salvaged.lost
        self.salvaged[len(self.elements)] = salvaged
        self.elements.append(salvaged.element)

    def give_away(self) -> list[Element]:
        """The elements, which are not kept here."""
        elements, self.elements = self.elements, []
        return elements

    def origin(self, index: int) -> Origin:
        """Where the element stands that is at `index` of `elements`."""
        first, origin = self._runs[bisect_right(self._runs, index, key=lambda run: run[0]) - 1]
        return Origin(origin.document, origin.place + index - first)
