"""Bodies: an element of a model as stored JSON text, as a plain object, as the class of the model, and in words."""

import json
from typing import Any, Final, TypeAlias

import msgspec

from ....compiler.language.writing.changes import change_lines, statement_text
from ....compiler.model.elements import LISTS, Element, ElementKind

Body: TypeAlias = dict[str, Any]
"""An element of the model document as a JSON parser returns it."""

_DECODERS: dict[str, msgspec.json.Decoder[Any]] = {name: msgspec.json.Decoder(shape) for name, shape in LISTS.items()}
_TOLD_ALONE: Final = (ElementKind.ASSIGNMENTS, ElementKind.GRANTS)
_encoder = msgspec.json.Encoder()

_in_order = msgspec.json.Encoder(order="deterministic").encode

decode_body = msgspec.json.Decoder(dict).decode
"""Returns the plain object in a stored text."""


def encode_body(body: Body) -> bytes:
    """Returns the JSON text of a body: no white space, members in order.

    It escapes surrogates, which UTF-8 can't encode.
    """
    try:
        return _encoder.encode(body)
    except UnicodeEncodeError:
        return json.dumps(body, separators=(",", ":")).encode()


def same_body(one: bytes, other: bytes) -> bool:
    """Returns whether two stored texts are the same object. The order of members has no meaning; `1` is not `true`.

    >>> same_body(b'{"a":1,"b":2}', b'{"b":2,"a":1}'), same_body(b'{"a":1}', b'{"a":true}')
    (True, False)
    """
    return one == other or _in_order(decode_body(one)) == _in_order(decode_body(other))


def element_of(kind: ElementKind, text: bytes) -> Element:
    """Returns the element in a stored text. Raises ValueError if the text does not fit the kind's class."""
    element: Element = _DECODERS[kind].decode(text)
    return element


def merged(target: Any, patch: Any) -> Any:
    """Returns `target` with a JSON merge patch applied (RFC 7396). Both arguments stay unchanged.

    >>> merged({"a": 1, "b": {"c": 2, "d": 3}}, {"a": None, "b": {"c": 4}, "e": [None]})
    {'b': {'c': 4, 'd': 3}, 'e': [None]}
    """
    if not isinstance(patch, dict):
        return patch
    found = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            found.pop(name, None)
        else:
            found[name] = merged(found.get(name), value)
    return found


def change_text(kind: ElementKind, before: Body | None, after: Body | None) -> tuple[str, ...]:
    """Returns the lines of the change of an element, with their signs. See `change_lines`.

    A body that an older version has written, and that is no element now, is a line of JSON.
    """
    try:
        return tuple(change_lines(kind, _read(kind, before), _read(kind, after)))
    except msgspec.ValidationError:
        signs = (("- ", before), ("+ ", after))
        return tuple(f"{sign}{msgspec.json.encode(body).decode()}" for sign, body in signs if body is not None)


def fact_text(kind: ElementKind, body: Body) -> str:
    """Returns an assignment or a grant as a sentence, or "" for another element: its id says what it is."""
    element = _read(kind, body) if kind in _TOLD_ALONE else None
    return "" if element is None else statement_text(kind, element)


def _read(kind: ElementKind, body: Body | None) -> Element | None:
    return None if body is None else msgspec.convert(body, LISTS[kind])
