"""Writes a model as text, in the canonical form."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...model.elements import Element, ElementKind
from .declarations import declaration_lines, extensions_line, requests_line, silence_line
from .elements import (
    assignment_lines,
    grant_lines,
    group_lines,
    resource_lines,
    role_lines,
    route_lines,
    subject_lines,
    type_lines,
)
from .layout import Line
from .policies import policy_lines

_WRITERS: Mapping[ElementKind, Callable[[Any], Iterator[Line]]] = {
    ElementKind.EXTENSIONS: extensions_line,
    ElementKind.REQUESTS: requests_line,
    ElementKind.RESOURCE_TYPES: type_lines,
    ElementKind.ROLES: role_lines,
    ElementKind.GROUPS: group_lines,
    ElementKind.SUBJECTS: subject_lines,
    ElementKind.RESOURCES: resource_lines,
    ElementKind.ASSIGNMENTS: assignment_lines,
    ElementKind.GRANTS: grant_lines,
    ElementKind.POLICIES: policy_lines,
    ElementKind.ROUTES: route_lines,
    ElementKind.ATTRIBUTES: declaration_lines,
    ElementKind.LINTS: silence_line,
}


def element_lines(kind: ElementKind, element: Element) -> Iterator[Line]:
    """Yields the lines of an element."""
    return _WRITERS[kind](element)


class ModelText:
    """Writes the statements of a model, one after the other, with blank lines as the formatter has them.

    Reading the text gives equal elements, but for lists that are empty and say nothing: these are left out.
    """

    def __init__(self) -> None:
        self._kind: ElementKind | None = None
        self._lines = 0

    def statement(self, kind: ElementKind, element: Element) -> str:
        """Returns the next statement, perhaps with a blank line before it, or nothing for empty `attributes`.

        Declared attributes are several statements.
        """
        return "".join(self._text(kind, lines) for lines in _statements(element_lines(kind, element)))

    def _text(self, kind: ElementKind, lines: Sequence[str]) -> str:
        apart = self._kind is not None and (kind is not self._kind or self._lines > 1 or len(lines) > 1)
        self._kind, self._lines = kind, len(lines)
        return ("\n" if apart else "") + "\n".join(lines) + "\n"


def _statements(lines: Iterable[Line]) -> list[list[str]]:
    """Returns the lines of each statement. Only the first line of a statement is not indented."""
    found: list[list[str]] = []
    for line in lines:
        if not line.indent:
            found.append([])
        found[-1] += line.lines()
    return found
