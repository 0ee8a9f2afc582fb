"""Values that know their place in the text, so that a finding about a part of an element can underline that part."""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from ...bundles.wording import Path


class Placed:
    """A value, and the characters `start` to `end` of the document that say it.

    `parts` are the values inside an array (a list) or an object (pairs of name and value, by name). The parser's tokens
    are placed values too: `type` is the terminal, `value` the meaning of `text`. A reader changes the type to `name` or
    `text` if the token turns out to be one.
    """

    __slots__ = ("end", "parts", "start", "text", "type", "value")

    # Lark copies these from the last token to the end of the statement.
    line = column = end_line = end_column = start_pos = end_pos = 0

    def __init__(self, value: Any, start: int, end: int, parts: Any = None, type: str = "", text: str = ""):
        self.value, self.start, self.end, self.parts, self.type, self.text = value, start, end, parts, type, text

    def at(self, path: Path, at_key: bool) -> "Placed":
        """Returns the part at `path`, or with `at_key`, its name. Without such a part, the nearest one around it."""
        placed = key = self
        for step in path:
            if isinstance(step, str) and isinstance(placed.parts, dict) and step in placed.parts:
                key, placed = placed.parts[step]
            elif isinstance(step, int) and isinstance(placed.parts, list) and step < len(placed.parts):
                key = placed = placed.parts[step]
            else:
                return placed
        return key if at_key else placed


_MEANINGFUL = frozenset(
    (
        "",
        "name",
        "text",
        "NAME",
        "STRING",
        "NUMBER",
        "ATTRIBUTE",
        "INSTANT",
        "CLOCK",
        "ADDRESS",
        "PATH",
        "HOSTS",
        "CAPTURE",
    )
)
"""The types of tokens that have a value, and of values made from tokens. All others are keywords and marks."""


def values(children: Iterable[Any]) -> list[Any]:
    """Returns what a rule found without its keywords and marks."""
    return [child for child in children if not (child.__class__ is Placed and child.type not in _MEANINGFUL)]


Members = dict[str, tuple[Placed, Placed]]
"""The members of an object: for each name, where the name is said, and the value."""


def array(items: list[Placed], start: int = -1, end: int = -1) -> Placed:
    """Returns the array of `items`. Its place is that of the items, if no other is given."""
    if start < 0:
        start, end = (items[0].start, items[-1].end) if items else (0, 0)
    return Placed([item.value for item in items], start, end, items)


def object_of(members: Members, start: int, end: int) -> Placed:
    """Returns the object with these members."""
    return Placed({name: pair[1].value for name, pair in members.items()}, start, end, members)


def said(value: Any, by: Placed) -> Placed:
    """Returns a value that the text says in other words, such as a keyword."""
    return Placed(value, by.start, by.end)


Reader: TypeAlias = Callable[[list[Any]], Any]
"""Reads what the parser has found of one construct: its tokens, and what other readers have returned."""
