"""Renames in the bodies of elements."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from ...bundles.wording import Path
from ..model.elements import LISTS, Element, ElementKind
from .references import DECLARED, SILENCED, Renamable, found_at, names_in


class Rename(NamedTuple):
    """A change of a name: what has it, the old name and the new one."""

    what: Renamable
    old: str
    new: str


class NamePlace(NamedTuple):
    """The place of an old name: the list, the index of the element there, and the path in its body."""

    kind: ElementKind
    place: int
    path: Path


def places_of(rename: Rename, name: str, lists: Mapping[ElementKind, Sequence[Element]]) -> Iterator[NamePlace]:
    """Yields the places in the lists where a name of the kind of `rename` stands, which is the old or the new one.

    An id in a silenced lint counts if no element of another kind has it.
    """
    silenced = _is_silenced(rename, name, lists)
    for kind, elements in lists.items():
        for place, element in enumerate(elements):
            body = msgspec.to_builtins(element)
            found = [*names_in(rename.what, kind, body)]
            if silenced and kind == ElementKind.LINTS:
                found += found_at(body, SILENCED)
            yield from (NamePlace(kind, place, path) for path, told in found if told == name)


def renamed_body(rename: Rename, kind: ElementKind, body: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the body of an element with the new name. An id in a silenced lint stays."""
    return replaced(body, [path for path, name in names_in(rename.what, kind, body) if name == rename.old], rename.new)


def replaced(body: Mapping[str, Any], paths: Sequence[Path], new: str) -> dict[str, Any]:
    """Returns a body with a text at some paths."""
    changed: Any = dict(body)
    for path in paths:
        changed = _with(changed, path, new)
    return dict(changed)


def _with(value: Any, path: Path, new: str) -> Any:
    if not path:
        return new
    step, rest = path[0], path[1:]
    if isinstance(value, dict):
        return value | {step: _with(value[step], rest, new)}
    return [_with(item, rest, new) if place == step else item for place, item in enumerate(value)]


def with_text(kind: ElementKind, element: Element, paths: Sequence[Path], new: str) -> Element:
    """Returns an element with a text at some paths of its body."""
    body = replaced(msgspec.to_builtins(element), paths, new)
    found: Element = msgspec.convert(body, LISTS[kind])
    return found


def _is_silenced(rename: Rename, name: str, lists: Mapping[ElementKind, Sequence[Element]]) -> bool:
    """Returns whether an id in a silenced lint can only mean an element of the renamed kind."""
    own = DECLARED.get(rename.what)
    others = (one for kind, elements in lists.items() if kind != own and kind != ElementKind.LINTS for one in elements)
    return own is not None and all(getattr(one, "id", None) != name for one in others)
