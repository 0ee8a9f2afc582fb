"""Words for messages: a user's own words in backticks, values, lists of names, and similar names."""

import re
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from heapq import nsmallest
from typing import TypeAlias

from .conditions.values import Json
from .opposites import is_opposite

_LONGEST_QUOTATION = 80
_LONGEST_DECIMAL_BITS = 1_024
MAX_COMPARED_CHARACTERS = 100
MAX_COMPARED_NAMES = 100
"""The number of known names that are compared with a misspelt one."""

MAX_KNOWN_NAMES = 10_000
"""With more known names than this, no similar name is searched."""

MAX_SLIPS = 4
"""A misspelt name is recognised if it has at most this many characters more or fewer."""


LIKE: float = 0.6
"""The likeness of a name that is suggested."""

_MADE_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

Path: TypeAlias = tuple[str | int, ...]
"""Names of members and indexes of elements, from the root of a document: `("policies", 0, "effect")`."""


def is_made_id(id: str) -> bool:
    """Returns whether an id is a UUID, as Writ makes for assignments and grants. It says nothing to people.

    >>> is_made_id("4d1e5ed0-5a3c-5a55-8a5c-1d2f3a4b5c6d"), is_made_id("g-1")
    (True, False)
    """
    return _MADE_ID.fullmatch(id) is not None


def show_path(path: Path) -> str:
    """Returns a path as text.

    >>> show_path(("policies", 0, "effect")), show_path(("resources", 1, "attributes", "a b"))
    ('$.policies[0].effect', "$.resources[1].attributes['a b']")
    """
    shown = "$"
    for step in path:
        if isinstance(step, int):
            shown += f"[{step}]"
        else:
            shown += f".{step}" if step.isidentifier() else f"[{step!r}]"
    return shown


def quoted(value: Json) -> str:
    r"""Returns a user's word or number as `in_backticks`. A long one is shortened.

    >>> quoted("raed"), quoted(3), quoted(True), quoted("a\nb")
    ('`raed`', '`3`', '`true`', '`a\\nb`')
    """
    text = value if isinstance(value, str) else _literal(value)
    return in_backticks(text if len(text) <= _LONGEST_QUOTATION else text[: _LONGEST_QUOTATION - 1] + "…")


def in_backticks(text: str) -> str:
    r"""Returns foreign text in backticks, on one line, without control characters.

    One that has a backtick itself is in quotation marks instead, so that it stays one text.

    >>> in_backticks("assign editor to user ann"), in_backticks("a`b")
    ('`assign editor to user ann`', '"a`b"')
    """
    if "`" not in text:
        return f"`{_escaped(text)}`"
    escapes = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_escaped(escapes)}"'


def described(value: Json) -> str:
    """Returns the description of a value that was found instead of the expected one.

    >>> described(3), described("x"), described([]), described(None)
    ('the number `3`', 'the string `x`', 'an array', 'null')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return quoted(value)
    if isinstance(value, str):
        return f"the string {quoted(value)}" if value else "an empty string"
    if isinstance(value, list):
        return "an array"
    return "an object" if isinstance(value, dict) else f"the number {quoted(value)}"


def alternatives(names: Iterable[str]) -> str:
    """Returns a list of names, one of which can be chosen.

    >>> alternatives(["ALLOW", "DENY"])
    '`ALLOW` or `DENY`'
    """
    return joined([quoted(name) for name in names], "or")


def joined(words: Sequence[str], conjunction: str) -> str:
    """Returns words as a list for a sentence.

    >>> joined(["a", "b", "2 more"], "and")
    'a, b and 2 more'
    """
    return f" {conjunction} ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def visible(text: str) -> str:
    r"""Returns `text` with a space for each control character, so that the columns stay the same.

    >>> visible("a\tb\x1b[1m")
    'a b [1m'
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


def _escaped(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _literal(value: Json) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > _LONGEST_DECIMAL_BITS:
        return hex(value)
    return "null" if value is None else str(value)


def did_you_mean(name: str, known: Collection[str], likeness: float = LIKE) -> str:
    """Returns help that names the word in `known` nearest to `name`, in any case, or "" if none is near.

    A name that is less like it than `likeness` is not near. A word that means the opposite is never named: who follows
    it would be told the contrary of what they wrote.

    >>> did_you_mean("raed", ["read", "update"]), did_you_mean("allow", ["ALLOW", "DENY"])
    ('did you mean `read`?', 'did you mean `ALLOW`?')
    >>> did_you_mean("derived_roles", ["except_roles"]), did_you_mean("unapprove", ["approve"])
    ('', '')
    """
    folded = {word.casefold(): word for word in _comparable(name, known)}
    near = get_close_matches(name.casefold(), folded, n=1, cutoff=likeness)
    meant = folded[near[0]] if near else None
    return "" if meant is None or is_opposite(name, meant) else f"did you mean {quoted(meant)}?"


def _comparable(name: str, known: Collection[str]) -> list[str]:
    """Returns the words in `known` that have the most letters in common with `name`, up to MAX_COMPARED_NAMES."""
    if len(name) > MAX_COMPARED_CHARACTERS or len(known) > MAX_KNOWN_NAMES:
        return []
    letters = set(name.casefold())
    likely = (word for word in known if abs(len(word) - len(name)) <= MAX_SLIPS)
    return nsmallest(MAX_COMPARED_NAMES, likely, key=lambda word: (len(letters ^ set(word.casefold())), word))
