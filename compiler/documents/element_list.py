"""The elements of one list as several documents give it, and where each of them stands."""

from bisect import bisect_right
from typing import NamedTuple

from ...bundles.conditions.values import Json
from ..model.elements import Element
from .error_recovery import RecoveredElement


class Origin(NamedTuple):
    """An element's document, by its number, and its place in the list there."""

    document: int
    place: int


class ElementList:
    """The elements of a list, in order, those included of which only a part could be read."""

    def __init__(self) -> None:
        self.elements: list[Element] = []
        self.recovered: dict[int, RecoveredElement] = {}
        """What is left of the elements that have faults, by their places in `elements`."""

        self.unread_ids: set[str] = set()
        self.all_ids_known = True
        """Whether every element's `id` is known: that of an element, or one of `unread_ids`."""

        self.complete = True
        """Whether every element is there, a part of it at least."""

        self._runs: list[tuple[int, Origin]] = []

    def start_run(self, document: int, index: int) -> None:
        """Say that the next element to be added is this one; those after it follow it."""
        self._runs.append((len(self.elements), Origin(document, index)))

    def mark_incomplete(self) -> None:
        """Say that elements could not be read, nobody knows how many."""
        self.all_ids_known = self.complete = False

    def skip(self, value: Json, document: int, index: int) -> None:
        """Say that this element could not be read, so that nothing is reported merely because it is not there."""
        name = value.get("id") if isinstance(value, dict) else None
        if isinstance(name, str):
            self.unread_ids.add(name)
        else:
            self.all_ids_known = False
        self.complete = False
        self.start_run(document, index + 1)

    def add_recovered(self, recovered: RecoveredElement) -> None:
        """Add what is left of an element."""
        self.all_ids_known = self.all_ids_known and ("id",) not in recovered.placeholders
        self.recovered[len(self.elements)] = recovered
        self.elements.append(recovered.element)

    def take_elements(self) -> list[Element]:
        """The elements, which are not kept here."""
        elements, self.elements = self.elements, []
        return elements

    def origin(self, index: int) -> Origin:
        """Where the element stands that is at `index` of `elements`."""
        first, origin = self._runs[bisect_right(self._runs, index, key=lambda run: run[0]) - 1]
        return Origin(origin.document, origin.place + index - first)
