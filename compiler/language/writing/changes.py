"""Shows the change of an element as lines of text: those of before and of after, as a difference of files has them."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from msgspec.structs import replace

from ....bundles.wording import is_made_id
from ...model.elements import Assignment, Element, ElementKind, Grant
from ...model.normal_form import normalised
from .compared_lines import ADDED, CONTEXT, REMOVED, SAME, Row, compared, shown
from .layout import Line
from .model import element_lines

_SIDES: Final = (REMOVED, ADDED)


def change_lines(
    kind: ElementKind, before: Element | None, after: Element | None, context: int | None = CONTEXT
) -> Iterator[str]:
    """Yields the lines of an element, each with a sign: it stays, it goes, or it comes.

    An element that is added or removed is shown in full. Of a changed one, the lines that stay are shown up to
    `context` lines from a change, and the first line; None shows all. Then the lines that stay or come are the text of
    the element after the change. The order of a set shows nothing, nor does a made id.
    """
    if before is None or after is None:
        sign = ADDED if before is None else REMOVED
        yield from (f"{sign}{text}" for line in _lines(kind, before or after) for text in line.lines())
        return
    given, ordered = (_changed_rows(kind, *pair) for pair in ((before, after), (normalised(before), normalised(after))))
    # The order of the documents is the one that readers know, unless it makes a difference itself.
    yield from shown(given if _changes(given) <= _changes(ordered) else ordered, context)


def statement_text(kind: ElementKind, element: Element) -> str:
    """Returns an element as one line of text, without a made id.

    >>> made = "4d1e5ed0-5a3c-5a55-8a5c-1d2f3a4b5c6d"
    >>> statement_text(ElementKind.ASSIGNMENTS, Assignment("editor", made, group="eng"))
    'assign editor to group eng'
    """
    return " ".join(text.strip() for line in _lines(kind, element) for text in line.lines())


def has_made_id(element: Element) -> bool:
    """Returns whether the id of an assignment or a grant is a UUID, which says nothing to people."""
    return isinstance(element, Assignment | Grant) and is_made_id(element.id or "")


def _lines(kind: ElementKind, element: Element | None) -> Iterator[Line]:
    assert element is not None, "one of both is there"
    if isinstance(element, Assignment | Grant) and has_made_id(element):
        element = replace(element, id=None)
    return element_lines(kind, element)


def _changed_rows(kind: ElementKind, before: Element, after: Element) -> list[Row]:
    return [*_rows([*_lines(kind, before)], [*_lines(kind, after)])]


def _changes(rows: Sequence[Row]) -> int:
    return sum(row.sign != SAME for row in rows)


def _rows(old: Sequence[Line], new: Sequence[Line]) -> Iterator[Row]:
    """Yields the lines of both, with their signs. A long clause that changes has a line for each of its phrases."""
    before, after = (["\n".join(line.lines()) for line in lines] for lines in (old, new))
    phrases = {text: [*line.phrases()] for text, line in zip((*before, *after), (*old, *new), strict=True)}
    for stays, run in groupby(compared(before, after), lambda row: row.sign == SAME):
        rows = [*run]
        if stays or not any("\n" in row.text for row in rows):
            yield from (Row(row.sign, line) for row in rows for line in row.text.split("\n"))
            continue
        gone, come = ([one for row in rows if row.sign == sign for one in phrases[row.text]] for sign in _SIDES)
        yield from compared(gone, come)
