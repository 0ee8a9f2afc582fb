"""Finds characters that an editor may show otherwise than Writ reads them, and that so could hide a statement."""

import json
import re

from ...bundles.wording import quoted
from .statements import Statement
from .syntax_fault import SyntaxFault
from .tokens import TOKEN
from .words import HIDDEN

_HIDDEN = re.compile(HIDDEN)
_LINE_ENDS = "\r\x0b\x0c\x85\u2028\u2029"
"""The characters that begin a new line in some editors, and not in Writ."""

_NAMES = {"\r": "CR", "\x0b": "VT", "\x0c": "FF", "\x85": "NEL"}
_IN_QUOTES = ("STRING", "ATTRIBUTE")
"""The kinds of tokens with texts in quotes. Nothing else in an attribute can be hidden."""


def hidden_character(text: str, statement: Statement) -> SyntaxFault | None:
    """Returns the fault of the first hidden character in a statement and the comments after it, or None.

    PERF: a statement without one is searched once, and not cut into tokens.
    """
    found = _HIDDEN.search(text, statement.start, statement.end)
    if found is None:
        return None
    at, character = found.start(), found[0]
    if _is_in_quotes(text, statement, at):
        message = f"{_named(character)} stands in a text, where a reader can't see it"
        help_text = f"write it as {quoted(json.dumps(character)[1:-1])}, in double quotes"
    elif character in _LINE_ENDS:
        message = f"{_named(character)} is no line end that Writ reads, so an editor may show other lines"
        help_text = "save the file with the line ends LF or CR LF"
    else:
        message = f"{_named(character)} is invisible or changes the order of what a reader sees"
        help_text = "remove this invisible character"
    return SyntaxFault(message, at, at + 1, help_text)


def _is_in_quotes(text: str, statement: Statement, at: int) -> bool:
    """Returns whether a text in quotes contains the character at `at`.

    Nothing after quotes that are never closed is in one.
    """
    for token in TOKEN.finditer(text, statement.start, statement.end):
        if token.end() > at or token.lastgroup == "other":
            return token.end() > at and token.lastgroup in _IN_QUOTES
    return False


def _named(character: str) -> str:
    """Returns the name of a character: its usual abbreviation if it has one, and its code point."""
    code = f"U+{ord(character):04X}"
    return f"{_NAMES[character]} ({code})" if character in _NAMES else code
