"""Patterns that are nothing but text: equality, prefix, suffix or substring, which every store says alike (C6)."""

from typing import Literal, TypeAlias

Place: TypeAlias = Literal["whole", "start", "end", "inside"]

_META = frozenset(r".^$*+?()[]{}|\\")


def literal_of(pattern: str) -> tuple[str, Place] | None:
    """The text that an RE2 pattern looks for and where; None for a pattern that says more than that.

    >>> literal_of(r"^draft\\."), literal_of("x$"), literal_of("a|b")
    (('draft.', 'start'), ('x', 'end'), None)
    """
    body = pattern.removeprefix("^")
    start, end = body != pattern, _ends(body)
    text = _plain(body[:-1] if end else body)
    if text is None:
        return None
    return text, "whole" if start and end else "start" if start else "end" if end else "inside"


def _ends(body: str) -> bool:
    """Whether the last character is a `$` that no backslash makes a plain one."""
    before = body[:-1]
    return body.endswith("$") and (len(before) - len(before.rstrip("\\"))) % 2 == 0


def _plain(body: str) -> str | None:
    """The characters that `body` stands for, where it is only characters and escaped punctuation."""
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
