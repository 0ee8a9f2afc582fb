"""Finds the place of a value in a JSON text by its path, when a diagnostic needs it."""

import json
import re

from ....bundles.wording import Path
from ...source import Span

_WHITESPACE = re.compile(r"[ \t\n\r]*")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[^\s",:\[\]{}]+|.', re.DOTALL)
_skip = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str).raw_decode


def locate(text: str, path: Path, at_key: bool) -> Span:
    """Returns the span of the value at `path` in `text`, which is one legal value; or with `at_key`, of its name.

    If a name is repeated, the last one counts. If there is no such value, it returns the span of the nearest value
    around it.

    >>> locate('{"a": [1, true]}', ("a", 1), at_key=False), locate('{"a": [1]}', ("a",), at_key=True)
    (Span(offset=10, length=4), Span(offset=1, length=3))
    """
    at = key = _past_space(text, 0)
    for step in path:
        found = _member(text, at, step) if isinstance(step, str) else _item(text, at, step)
        if found is None:
            return Span(at, token_length(text, at))
        key, at = found
    at = key if at_key else at
    return Span(at, token_length(text, at))


def token_length(text: str, at: int) -> int:
    """Returns the length of the string, number or word at `at`, in characters, or 1 for any other text.

    >>> token_length('{"a": true}', 0), token_length('{"a": true}', 1), token_length('{"a": true}', 6)
    (1, 3, 4)
    """
    found = _TOKEN.match(text, at)
    return found.end() - at if found else 1


def _member(text: str, at: int, name: str) -> tuple[int, int] | None:
    """Returns the offsets of a member's name and value in the object at `at`, or None if it has no such member."""
    found = None
    if text[at] == "{":
        at = _past_space(text, at + 1)
        while text[at] != "}":
            key = at
            read, at = _skip(text, key)
            value = _past_space(text, _past_space(text, at) + 1)
            if read == name:
                found = key, value
            at = _past_item(text, value)
    return found


def _item(text: str, at: int, index: int) -> tuple[int, int] | None:
    if text[at] != "[":
        return None
    at = _past_space(text, at + 1)
    for _ in range(index):
        if text[at] == "]":
            return None
        at = _past_item(text, at)
    return None if text[at] == "]" else (at, at)


def _past_item(text: str, at: int) -> int:
    """Returns the offset after the value at `at` and the comma that follows it."""
    at = _past_space(text, _skip(text, at)[1])
    return _past_space(text, at + 1) if text[at] == "," else at


def _past_space(text: str, at: int) -> int:
    found = _WHITESPACE.match(text, at)
    return found.end() if found else at
