"""Writes a model as text, in the canonical form."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ...model.elements import Element, ElementKind
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
    ElementKind.RESOURCE_TYPES: type_lines,
    ElementKind.ROLES: role_lines,
    ElementKind.GROUPS: group_lines,
    ElementKind.SUBJECTS: subject_lines,
    ElementKind.RESOURCES: resource_lines,
    ElementKind.ASSIGNMENTS: assignment_lines,
    ElementKind.GRANTS: grant_lines,
    ElementKind.POLICIES: policy_lines,
    ElementKind.ROUTES: route_lines,
}


def written(lists: Iterable[tuple[ElementKind, Iterable[Element]]]) -> Iterator[str]:
    """Yields a model as text, one statement after the other, in the order in which the elements are given.

    Reading the text gives equal elements, but for lists that are empty and say nothing: these are left out.
    """
    before = 0
    for kind, elements in lists:
        first = True
        for element in elements:
            lines = [line for one in _WRITERS[kind](element) for line in one.lines()]
            apart = before and (first or before > 1 or len(lines) > 1)
            before, first = len(lines), False
            yield ("\n" if apart else "") + "\n".join(lines) + "\n"
