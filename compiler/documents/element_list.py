"""The elements of one list, joined from several documents, and the origin of each element."""

from bisect import bisect_right
from typing import NamedTuple

from ...bundles.conditions.values import Json
from ..model.elements import Element
from .error_recovery import RecoveredElement
from .raw_values import Unreadable


class ElementOrigin(NamedTuple):
    """The number of an element's document, and the element's index in the list of that document."""

    document: int
    place: int


class ElementList:
    """The elements of a list, in order. It includes elements of which only a part could be read."""

    def __init__(self) -> None:
        self.elements: list[Element] = []
        self.recovered: dict[int, RecoveredElement] = {}
        """The elements with faults, by their index in `elements`."""

        self.unread_ids: set[str] = set()
        """The ids of the elements that could not be read."""

        self.all_ids_known = True
        """True if the elements and `unread_ids` have the ids of all elements in the documents."""

        self.complete = True
        """True if each element in the documents is in the list, at least in part."""

        self._runs: list[tuple[int, ElementOrigin]] = []
        """Runs of elements that follow each other in a document: an index in `elements`, and the origin there."""

    def start_run(self, document: int, index: int) -> None:
        """Begins a run: the next added element is at `index` in the document, and the further ones follow it."""
        self._runs.append((len(self.elements), ElementOrigin(document, index)))

    def mark_incomplete(self) -> None:
        """Records that an unknown number of elements could not be read."""
        self.all_ids_known = self.complete = False

    def skip(self, value: Json, document: int, index: int) -> None:
        """Records that the element at `index` of a document could not be read.

        Then no reference to it is reported as unknown.
        """
        name = value.get("id") if isinstance(value, dict) else value.id if isinstance(value, Unreadable) else None
        if isinstance(name, str):
            self.unread_ids.add(name)
        else:
            self.all_ids_known = False
        self.complete = False
        self.start_run(document, index + 1)

    def add_recovered(self, recovered: RecoveredElement) -> None:
        """Adds an element with faults."""
        self.all_ids_known = self.all_ids_known and ("id",) not in recovered.placeholders
        self.recovered[len(self.elements)] = recovered
        self.elements.append(recovered.element)

    def take_elements(self) -> list[Element]:
        """Returns the elements, and removes them from this list."""
        elements, self.elements = self.elements, []
        return elements

    def origin(self, index: int) -> ElementOrigin:
        """Returns the origin of the element at `index` of `elements`."""
        first, origin = self._runs[bisect_right(self._runs, index, key=lambda run: run[0]) - 1]
        return ElementOrigin(origin.document, origin.place + index - first)
