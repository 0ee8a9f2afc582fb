"""Reads the text that a route takes from a request as a value of the attribute's type (C11)."""

import json
import re
from math import isfinite
from typing import Final

from ..conditions.instants import read_instant
from ..conditions.values import Json, Unreadable
from .route import Kind

_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
"""A number as JSON writes it (RFC 8259, 6)."""

_FLAGS: Final = {"true": True, "false": False}


def typed_value(kind: Kind, text: str) -> Json | Unreadable:
    """Returns the value of `kind` that a text says, or Unreadable if it says none.

    >>> typed_value("number", "150"), typed_value("boolean", "true"), typed_value("number", "0x9")
    (150, True, Unreadable(text='0x9'))
    """
    match kind:
        case "string":
            return text
        case "number":
            return _number(text)
        case "boolean":
            return _FLAGS.get(text, Unreadable(text))
        case "instant":
            return Unreadable(text) if read_instant(text) is None else text
        case "array" | "object":
            return Unreadable(text)


def _number(text: str) -> Json | Unreadable:
    if not _NUMBER.fullmatch(text):
        return Unreadable(text)
    try:
        found = json.loads(text)
        return found if isfinite(found) else Unreadable(text)
    except (ValueError, OverflowError):  # more digits than Python reads, or than a double holds
        return Unreadable(text)
