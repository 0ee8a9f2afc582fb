"""Finds regular expressions that Go's engine, which OPA uses, may read differently from RE2 (C6).

Both engines read the same language, apart from some parts. The reader here knows the parts that they share. It refuses
all others, and those whose meaning depends on the engine's release of Unicode.
"""

import re
from typing import Final

_SHARED: Final = re.compile(
    r"""
      \\[dDsSwWbAzafnrtv]                         # classes of ASCII characters, borders, ends, controls
    | \\x[0-9A-Fa-f]{2} | \\x\{[0-9A-Fa-f]{1,6}\}
    | \\[!-/:-@\[-`{-~]                           # escaped punctuation
    | \(\?P<[A-Za-z_][A-Za-z0-9_]*> | \(\?(?:[imsU]*-?[imsU]+)?[:)] | \((?!\?)
    | \[\^?\]?(?:\[:\^?[a-z]+:\] | \\[dDsSwWafnrtv] | \\x[0-9A-Fa-f]{2} | \\x\{[0-9A-Fa-f]{1,6}\}
        | \\[!-/:-@\[-`{-~] | [^\\\]\[] | \[(?!:))*\]
    | [^\\(\[]
    """,
    re.VERBOSE | re.DOTALL,
)
"""One part of a pattern that both engines read alike."""

_OTHER_ESCAPE: Final = re.compile(r"\[(?:[^\\]|\\[dDsSwWafnrtvx!-/:-@\[-`{-~])*(\\.)", re.DOTALL)
"""A class of characters up to the first escape that the engines do not share."""

_IGNORES_CASE: Final = re.compile(r"\(\?[msU]*i")
_HEXADECIMAL: Final = re.compile(r"\\x\{?([0-9A-Fa-f]+)")


def difference(pattern: str) -> str | None:
    r"""Returns why OPA may not find what RE2 finds with a pattern, or None if it finds the same.

    `pattern` is one that RE2 accepts. The reason continues the sentence "the pattern …".

    >>> difference("^draft-[0-9]+$"), difference(r"\pL")
    (None, 'has `\\p`, which OPA may read differently')
    """
    place = 0
    while place < len(pattern):
        part = _SHARED.match(pattern, place)
        if part is None:
            inside = _OTHER_ESCAPE.match(pattern, place)
            return f"has `{inside[1] if inside else pattern[place : place + 2]}`, which OPA may read differently"
        place = part.end()
    if _IGNORES_CASE.search(pattern) and not (pattern.isascii() and _is_ascii_inside(pattern)):
        return "ignores the case of characters outside ASCII, which depends on the release of Unicode"
    return None


def _is_ascii_inside(pattern: str) -> bool:
    return all(int(found, 16) < 0x80 for found in _HEXADECIMAL.findall(pattern))
