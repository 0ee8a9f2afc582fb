"""Requests and answers as JSON, whatever Python values an application put into a request."""

import json
from math import isfinite
from typing import Any, Final, NamedTuple

import msgspec

from ..bundles.conditions.values import type_name

DEEPEST: Final = 100
"""The levels of a value that can't be written as it is. What is deeper is left out."""

_ENCODER: Final = msgspec.json.Encoder()


class Written(NamedTuple):
    """JSON, and whether something that JSON does not have was left out."""

    json: bytes
    cut: bool


def written(value: object) -> Written:
    """Returns a request or an answer as JSON. It never raises: a record must not cost the decision.

    >>> written({"a": object(), "b": 1})
    Written(json=b'{"a": "<object>", "b": 1}', cut=True)
    """
    try:
        return Written(_ENCODER.encode(value), False)
    except (TypeError, ValueError, OverflowError, RecursionError):  # a string of the application's own type, too
        pass
    try:
        return Written(json.dumps(value, ensure_ascii=False, allow_nan=False).encode(), False)
    except (TypeError, ValueError, RecursionError):
        return Written(json.dumps(_shown(value, DEEPEST), ensure_ascii=False).encode(), True)


def _shown(value: Any, levels: int) -> Any:
    """Returns a copy with the names of types in place of what JSON does not have."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case None | bool() | int():
            return value
        case float() if isfinite(value):
            return value
        case dict() if levels:
            return {_shown(str(name), 0): _shown(one, levels - 1) for name, one in value.items()}
        case list() if levels:
            return [_shown(one, levels - 1) for one in value]
    return f"<{type_name(value)}>"
