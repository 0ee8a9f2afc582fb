"""Finds what is odd about a pattern, by its text alone (C6)."""

import string
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from ....bundles.conditions.patterns import pattern_apart
from .pattern_parts import Part, parts_of

_PROBES: Final = ("", "a", "Z", "0", "-", "é", "two words", string.printable.rstrip())
"""Texts that have little in common. A pattern that matches all of them probably matches every text."""

_ONE: Final = ("letter", "escape", "set", "any")
"""The parts that match one character."""

_NOT_WORDS: Final = frozenset(" \t")


class Slip(NamedTuple):
    """An oddity of a pattern, as the end of a sentence, and the remedy."""

    message: str
    help: str


def slip_of(pattern: str) -> Slip | None:
    """Returns what is odd about a pattern that RE2 accepts, or None.

    >>> slip_of("desk").message, slip_of("^desk")
    ('it matches inside longer texts too', None)
    """
    if "\\Q" in pattern or "\\C" in pattern:
        return None
    parts = parts_of(pattern)
    if any(part.kind == "open" and _sets(part.text, "m") for part in parts):
        return None
    matches = pattern_apart(pattern)
    if all(map(matches, _PROBES)):
        return Slip("every text has a match of it", "to ask for any text, write `is present` (`nin` with `[]`)")
    return next((slip for find in _SLIPS if (slip := find(parts)) is not None), None)


def _sets(group: str, flag: str) -> bool:
    return group.startswith("(?") and not group.startswith(("(?P<", "(?<")) and flag in group.partition("-")[0]


def _never(parts: Sequence[Part]) -> Slip | None:
    """Returns the slip of an end before a letter, or of a start after one."""
    for before, part, after in zip(parts, parts[1:], (*parts[2:], None), strict=False):
        is_optional = after is not None and after.kind == "repeat" and after.text[0] in "*?{"
        if before.kind == "end" and part.kind in _ONE and not is_optional:
            return Slip("it never matches: `$` is the end of the text", r"write `\$` for the sign itself")
        if before.kind in _ONE and part.kind == "start":
            return Slip("it never matches: `^` is the start of the text", r"write `\^` for the sign itself")
    return None


def _half_anchored(parts: Sequence[Part]) -> Slip | None:
    """Returns the slip of alternatives of which only some have the anchor."""
    is_bar = [part.kind == "bar" and part.depth == 0 for part in parts]
    branches = [
        [part for part, _ in group]
        for bar, group in groupby(zip(parts, is_bar, strict=True), key=lambda one: one[1])
        if not bar
    ]
    if sum(is_bar) == 0:
        return None
    starts = {bool(branch) and branch[0].kind == "start" for branch in branches}
    ends = {bool(branch) and branch[-1].kind == "end" for branch in branches}
    if len(starts) < 2 and len(ends) < 2:
        return None
    return Slip("its anchors hold for some of the alternatives only", "put these in a group: `^(A|B)$`")


def _glob(parts: Sequence[Part]) -> Slip | None:
    """Returns the slip of a `*` that was meant for any text."""
    for place, part in enumerate(parts[:-1]):
        if part.kind == "letter" and part.text not in _NOT_WORDS and parts[place + 1].text == "*":
            return Slip(f"its `*` repeats `{part.text}`", "for any text, write `.*`")
    return None


def _bare_dot(parts: Sequence[Part]) -> Slip | None:
    """Returns the slip of a dot inside a name such as `example.com`."""
    for place, part in enumerate(parts):
        if part.kind == "any" and 2 <= place < len(parts) - 2:
            before, after = parts[place - 2 : place], parts[place + 1 : place + 3]
            if all(_is_of_name(one) for one in before) and all(_is_of_name(one) for one in after):
                return Slip("its `.` matches any character", r"for a dot, write `\.`")
    return None


def _is_of_name(part: Part) -> bool:
    return part.kind == "letter" and (part.text.isalnum() or part.text == "-")


def _plain(parts: Sequence[Part]) -> Slip | None:
    """Returns the slip of a plain text, which matches in the middle of another one."""
    if parts and all(part.letter for part in parts):
        return Slip("it matches inside longer texts too", "write `is`, or `^` before it and `$` after it")
    return None


_SLIPS: Final[tuple[Callable[[Sequence[Part]], Slip | None], ...]] = (
    _never,
    _half_anchored,
    _glob,
    _bare_dot,
    _plain,
)
