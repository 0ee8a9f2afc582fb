"""Reads constants: texts, numbers, truth values, arrays and objects, as JSON has them."""

import re
from collections.abc import Callable, Mapping
from math import isinf
from typing import Any

from ....bundles.wording import quoted
from ..advising.comparing import ABSENCE
from ..advising.meant_attributes import meant_attribute
from ..advising.meant_numbers import meant_number
from ..placed import Placed, Reader, array, object_of, said, values
from ..syntax_fault import SyntaxFault, compared_attributes
from ..words import SECTIONS, written_name, written_text

_BARE = re.compile(r"[^\W\d][\w-]*|\d{4}-\d\d-\d\d")
"""The words and dates that may stand for a text without quotes."""

_CONFUSED = {
    **dict.fromkeys(("True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"), "true"),
    **dict.fromkeys(("False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"), "false"),
}
"""Words of other languages that mean a truth value there. As a text they would never equal one."""

_NOTHING = frozenset(("None", "nil", "undefined", "Null", "NULL"))
_PRESENCE_ADVICE = f"write `is present` for presence; {ABSENCE}"
_ADDRESS = re.compile(r"\d+(?:\.\d+){3}(?:/\d+)?")
_ADDRESS_ADVICE = "for the address of the request, write `from {}` on a line after the conditions"
_QUOTES = 'put a text in quotes: `"{}"`'


def canonical(token: Placed) -> str:
    """Returns the canonical text of a token."""
    if token.type == "name":
        return written_name(token.value)
    return written_text(token.value) if token.type == "text" else token.text


def text(children: list[Placed]) -> Placed:
    """Reads a text in quotes."""
    token = children[0]
    token.type = "text"
    return token


def bare_text(children: list[Placed]) -> Placed:
    """Reads a word, a date, an instant or a time of day without quotes: it is a text. Raises SyntaxFault."""
    token = children[0]
    word: str = token.value
    if word in _CONFUSED:
        element = ", `has none of` for an element that is not there" if word == "no" else ""
        help_text = f"write `{_CONFUSED[word]}` for the truth value{element}, or put the word in quotes"
        raise SyntaxFault(
            f"{quoted(word)} is neither a text in quotes nor a truth value", token.start, token.end, help_text
        )
    if word in _NOTHING:
        raise SyntaxFault(f"{quoted(word)} is no constant", token.start, token.end, _PRESENCE_ADVICE)
    if token.type == "NAME" and word.startswith(SECTIONS):
        raise compared_attributes(token)
    if token.type == "NAME" and not _BARE.fullmatch(word):
        raise SyntaxFault(
            f"{quoted(word)} is neither a constant nor one plain word", token.start, token.end, _meant(word)
        )
    token.type = "text"
    return token


def _meant(word: str) -> str:
    """Returns advice for a word that is no constant: it may be an address, an attribute, a number or a text."""
    if _ADDRESS.fullmatch(word):
        return _ADDRESS_ADVICE.format(word)
    if attribute := meant_attribute(word):
        return f"write {quoted(attribute)}, or put a text in quotes"
    return meant_number(word) or _QUOTES.format(word)


def number(children: list[Placed]) -> Placed:
    """Reads a number. Raises SyntaxFault if a double can't hold it."""
    token = children[0]
    word: str = token.value
    try:
        token.value = int(word)
    except ValueError:
        try:
            token.value = float(word)
        except ValueError:  # the interpreter's limit for the digits of an integer
            token.value = float("inf")
        if isinf(token.value):
            raise SyntaxFault(f"{quoted(word)} is too large for a number", token.start, token.end) from None
    return token


def keyword(value: bool | None) -> Callable[[list[Placed]], Placed]:
    """Returns the reader of a keyword that is a constant."""

    def read(children: list[Placed]) -> Placed:
        return said(value, children[0])

    return read


def list_constant(children: list[Placed]) -> Placed:
    """Reads an array in brackets. The brackets are the first and the last child."""
    return array(values(children), children[0].start, children[-1].end)


def object_constant(children: list[Any]) -> Placed:
    """Reads an object in braces. The braces are the first and the last child. Raises SyntaxFault."""
    return object_of(members_of(values(children)), children[0].start, children[-1].end)


def member_value(children: list[Placed]) -> tuple[Placed, Placed]:
    """Reads the name and the value of a member of an object, with a colon between them."""
    return children[0], children[-1]


def members_of(pairs: list[tuple[Placed, Placed]]) -> dict[str, tuple[Placed, Placed]]:
    """Returns named values by their names. Raises SyntaxFault for a repeated name."""
    members: dict[str, tuple[Placed, Placed]] = {}
    for key, value in pairs:
        if key.value in members:
            raise SyntaxFault(f"{quoted(key.value)} is given twice", key.start, key.end, "remove one of the two")
        members[key.value] = (key, value)
    return members


def name(children: list[Placed]) -> Placed:
    """Reads a name, bare or in quotes. It may consist of digits."""
    token = children[0]
    token.type = "name"
    return token


READERS: Mapping[str, Reader] = {
    "name": name,
    "label": text,
    "text": text,
    "number": number,
    "bare_text": bare_text,
    "true": keyword(True),
    "false": keyword(False),
    "null": keyword(None),
    "array": list_constant,
    "object": object_constant,
    "member_value": member_value,
}
"""The readers of names, texts and constants, by the name of the grammar's rule."""
