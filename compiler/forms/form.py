"""The interface of a form of a model document. It writes in pieces, so that a large document needs little memory."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from ..model.elements import Element, ElementKind
from ..model.single_members import value_of

PIECE_ELEMENTS = 100
"""The elements of one piece."""


class Form(ABC):
    """Writes one document: `begin`, then each list with `elements` and `end_list`, then `end`. All text is UTF-8."""

    @abstractmethod
    def begin(self) -> bytes:
        """Returns what a document starts with."""

    @abstractmethod
    def elements(self, kind: ElementKind, bodies: Sequence[bytes], first: bool) -> bytes:
        """Returns some elements of a list, given as JSON objects. `first` is true for the first ones of the list.

        A single member has one element, also given as an object. `value_text` returns its value in a document.
        """

    @abstractmethod
    def end_list(self, kind: ElementKind, empty: bool) -> bytes:
        """Returns the end of a list. With `empty`, the list has no elements, and nothing of it was written."""

    @abstractmethod
    def end(self) -> bytes:
        """Returns what a document ends with."""


def body_of(element: Element) -> bytes:
    """Returns an element as a JSON object. Not by msgspec: it bounds integers."""
    return json.dumps(msgspec.to_builtins(element), ensure_ascii=False).encode()


def value_text(kind: ElementKind, body: bytes) -> bytes:
    """Returns the value that a document has for a single member, as JSON. An element that is the value keeps its bytes.

    >>> value_text(ElementKind.EXTENSIONS, b'{"names": ["now"]}')
    b'["now"]'
    """
    element = json.loads(body)
    value = value_of(kind, element)
    return body if value is element else json.dumps(value, ensure_ascii=False).encode()


def document(form: Form, lists: Iterable[tuple[ElementKind, Iterable[bytes]]]) -> Iterator[bytes]:
    """Yields a document with these lists, whose elements are JSON objects, in pieces."""
    yield form.begin()
    for kind, bodies in lists:
        piece: list[bytes] = []
        first = True
        for body in bodies:
            piece.append(body)
            if len(piece) == PIECE_ELEMENTS:
                yield form.elements(kind, piece, first)
                piece, first = [], False
        if piece:
            yield form.elements(kind, piece, first)
        yield form.end_list(kind, first and not piece)
    yield form.end()
