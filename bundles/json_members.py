"""The members of JSON objects: how many there are, the place of each one, and the one that is there twice (E10)."""

import json
from collections import Counter
from typing import Any, Final, NamedTuple

import msgspec

from .wording import quoted, show_path

DUPLICATE_MEMBER: Final = "duplicate-member"
"""The code of the fault that an object has a member twice."""

_SHOWN_CHARACTERS: Final = 40

_ESCAPED_COLON: Final = b"\\u003"
"""The start of an escaped colon, and of a few other characters."""

_encode: Final = msgspec.json.Encoder().encode


class RepeatedMember(NamedTuple):
    """A member that an object has twice."""

    name: str
    path: str
    """The path of the member, such as `$.subject.id`."""

    @property
    def sentence(self) -> str:
        """The message for the reader."""
        return f"the member {quoted(self.name)} is there twice"


def repeated_member(text: bytes | str, value: object) -> RepeatedMember | None:
    """Returns a member that an object in `text` has twice, or None. `value` is what a parser made of the JSON `text`.

    The parser must keep one member of each name. Names are compared after their escapes are read, letter by letter.
    If several objects have one, the outermost counts. Raises RecursionError if `text` nests too deep for Python.

    >>> repeated_member(b'{"a": {"b": 1, "b": 2}}', {"a": {"b": 2}})
    RepeatedMember(name='b', path='$.a.b')
    """
    # PERF: every member has a colon. If there are no more colons than members, none was lost: nothing is read again.
    colons = text.count(":") if isinstance(text, str) else text.count(b":")
    if colons == members_in(value):
        return None
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return None if has_each_once(data, value) else _repeated_in(text)


def has_each_once(text: bytes, value: object) -> bool:
    """Returns whether no member was lost when JSON was decoded to `value`. False says nothing: then read it again.

    The value is encoded again. Both texts then have the same colons: one for each member, and those in strings. Only an
    escaped colon would be counted in one of them alone.

    >>> has_each_once(b'{"id": "a:b"}', {"id": "a:b"}), has_each_once(b'{"id": 1, "id" : "b"}', {"id": "b"})
    (True, False)
    """
    if _ESCAPED_COLON in text:
        return False
    try:
        return text.count(b":") == _encode(value).count(b":")
    except (ValueError, TypeError, RecursionError):  # a value that only the parser of Python makes
        return False


def members_in(value: object) -> int:
    """Returns the number of members that the objects of a decoded value have together.

    >>> members_in({"a": [{"b": 1}, {"b": {}}]})
    3
    """
    count, level = 0, [value]
    while level:
        below: list[object] = []
        for part in level:
            if isinstance(part, dict):
                count += len(part)
                below += part.values()
            elif isinstance(part, list):
                below += part
        level = below
    return count


def place_of(value: object, sought: object, *below: str) -> str:
    """Returns the path from `value` to the object `sought` inside it, by identity, and on to the members `below`."""
    waiting: list[tuple[Any, tuple[str | int, ...]]] = [(value, ())]
    while waiting:
        found, path = waiting.pop()
        if found is sought:
            return show_path((*path, *(name[:_SHOWN_CHARACTERS] for name in below)))
        if isinstance(found, dict):
            waiting += [(member, (*path, key[:_SHOWN_CHARACTERS])) for key, member in found.items()]
        elif isinstance(found, list):
            waiting += [(item, (*path, index)) for index, item in enumerate(found)]
    return "$"


class _Doubtful:
    """Takes the place of an object that has the member `name` twice."""

    def __init__(self, name: str) -> None:
        self.name = name


def _repeated_in(text: bytes | str) -> RepeatedMember | None:
    """Reads JSON member by member."""
    doubtful: list[_Doubtful] = []

    def unique(pairs: list[tuple[str, Any]]) -> object:
        members = dict(pairs)
        if len(members) == len(pairs):
            return members
        counts = Counter(name for name, _ in pairs)
        found = _Doubtful(next(name for name, count in counts.items() if count > 1))
        doubtful.append(found)
        return found

    value = json.loads(text, object_pairs_hook=unique, parse_int=str, parse_float=str)
    if not doubtful:
        return None
    # The outermost one: the path to an inner one leads through a replaced object.
    found = doubtful[-1]
    return RepeatedMember(found.name, place_of(value, found, found.name))
