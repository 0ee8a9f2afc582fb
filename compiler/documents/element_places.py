"""The place in its document at which each element of a model begins."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..diagnostics.findings import Findings
from ..limits import DEFAULTS, Limits
from ..model.elements import SINGLE_MEMBERS
from ..source import Source
from .document import read_documents


class ElementPlace(NamedTuple):
    """The document of an element, and the line and the column at which it begins, from 1."""

    file: str
    line: int
    column: int


def element_places(sources: Sequence[Source], limits: Limits = DEFAULTS) -> Mapping[str, Sequence[ElementPlace]]:
    """Returns the place of each element, by list and in the order of the list, for sources without errors.

    A member that is one element instead of a list has one place, in the first document that gives it.
    """
    merged = read_documents(sources, limits, Findings(limits.diagnostics), lambda *_: None)
    found: dict[str, Sequence[ElementPlace]] = {}
    for name, joined in merged.lists.items():
        count = min(len(joined.elements), 1) if name in SINGLE_MEMBERS else len(joined.elements)
        found[name] = [ElementPlace(*merged.place((name, index))) for index in range(count)]
    return found
