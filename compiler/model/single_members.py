"""The single members of a document: each is one element, which several documents of a model say together.

The value of some of them is a part of the element: `extensions` is the array of its names. Only readers and writers of
documents know that. Everything else has elements.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ...bundles.extensions import ExtensionName
from ...bundles.wording import Path
from .elements import SINGLE_MEMBERS, Element, ElementKind, Extensions, Model
from .joined_attributes import joined_attributes

_VALUES: Final[Mapping[str, str]] = {ElementKind.EXTENSIONS: "names", ElementKind.REQUESTS: "mode"}
"""The member of the element that is the value in a document. Of the others, the value is the element."""


def element_of(name: str, value: Any) -> Any:
    """Returns the raw element of the value that a document has for a single member.

    >>> element_of("extensions", ["now"]), element_of("attributes", {"action": {}})
    ({'names': ['now']}, {'action': {}})
    """
    return {_VALUES[name]: value} if name in _VALUES else value


def value_of(name: str, element: Mapping[str, Any]) -> Any:
    """Returns the value that a document has for a raw element of a single member.

    >>> value_of("requests", {"mode": "strict"})
    'strict'
    """
    return element[_VALUES[name]] if name in _VALUES else element


def document_path(path: Path) -> Path:
    """Returns the path in a document that a path to an element, or to a part of one, stands for.

    >>> document_path(("extensions", 0, "names", 1)), document_path(("attributes", 2, "action", "at"))
    (('extensions', 1), ('attributes', 'action', 'at'))
    >>> document_path(("roles", 2, "id"))
    ('roles', 2, 'id')
    """
    return (path[0], *inside_element(path)) if path[0] in SINGLE_MEMBERS else path


def inside_element(path: Path) -> Path:
    """Returns the rest of a path inside the element that it leads to, as a document has the element.

    >>> inside_element(("extensions", 0, "names", 1)), inside_element(("roles", 2, "id"))
    ((1,), ('id',))
    """
    name, *steps = path
    steps = steps[1:]
    return tuple(steps[1:] if steps and steps[0] == _VALUES.get(str(name)) else steps)


def joined(name: str, elements: Iterable[Any]) -> tuple[Element, ...]:
    """Returns the elements of a list. Those of a single member are one, if there are any.

    >>> joined("extensions", [Extensions(("now",)), Extensions(("arrays", "now"))])
    (Extensions(names=('arrays', 'now')),)
    """
    elements = tuple(elements)
    if name not in SINGLE_MEMBERS or len(elements) < 2:
        return elements
    match name:
        case ElementKind.EXTENSIONS:
            return (Extensions(tuple(sorted({known for one in elements for known in one.names}))),)
        case ElementKind.ATTRIBUTES:
            declared = joined_attributes(elements)
            return () if declared is None else (declared,)
        case _:
            return elements[:1]


def extensions_of(model: Model) -> frozenset[ExtensionName]:
    """Returns the names of the extensions that a model uses (X1).

    >>> sorted(extensions_of(Model(extensions=(Extensions(("now", "arrays")),))))
    ['arrays', 'now']
    """
    return frozenset(name for one in model.extensions for name in one.names)
