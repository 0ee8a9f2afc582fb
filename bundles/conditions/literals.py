"""Patterns that contain only plain text. They are tests for equality, a prefix, a suffix or a substring (C6)."""

from typing import Literal, TypeAlias

Position: TypeAlias = Literal["whole", "start", "end", "inside"]

_META = frozenset(r".^$*+?()[]{}|\\")


def literal_of(pattern: str) -> tuple[str, Position] | None:
    """Returns the text that an RE2 pattern looks for and its position, or None if the pattern is more than plain text.

    A `.*` at the end changes nothing: a pattern is found anywhere in a text, and `.*` finds the empty text too. But
    `.*$` is more than plain text, since `.` does not find a newline.

    >>> literal_of(r"^draft\\."), literal_of("x$"), literal_of("^draft-.*"), literal_of("a|b")
    (('draft.', 'start'), ('x', 'end'), ('draft-', 'start'), None)
    """
    body = pattern.removeprefix("^")
    start, end = body != pattern, _ends_in(body, "$")
    text = _plain(body[:-1] if end else body[:-2] if _ends_in(body, ".*") else body)
    if text is None:
        return None
    return text, "whole" if start and end else "start" if start else "end" if end else "inside"


def _ends_in(body: str, operator: str) -> bool:
    """Returns whether `body` ends in an operator, without a backslash that makes it plain text."""
    before = body.removesuffix(operator)
    return before != body and (len(before) - len(before.rstrip("\\"))) % 2 == 0


def _plain(body: str) -> str | None:
    """Returns the text of `body`, or None if it is more than characters and escaped punctuation."""
    text, rest = [], iter(body)
    for character in rest:
        if character == "\\":
            character = next(rest, "a")
            if not character.isascii() or character.isalnum():
                return None
        elif character in _META:
            return None
        text.append(character)
    return "".join(text)
