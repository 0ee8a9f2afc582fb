"""The number that is meant by one with marks between its digits, or with a unit."""

import re
from typing import Final

from ....bundles.wording import quoted

_GROUPS = re.compile(r"\d{1,3}(?:([_.,' ])\d{3})(?:\1\d{3})*")
_UNDERSCORES = re.compile(r"\d+(?:_\d+)+")
_WITH_UNIT = re.compile(r"(\d+(?:\.\d+)?)([A-Za-z]{1,3}|%)")
_HEXADECIMAL = re.compile(r"0[xX][0-9a-fA-F]{1,15}")
_THOUSANDS: Final = {"k": 10**3, "K": 10**3, "M": 10**6, "mn": 10**6, "Mio": 10**6, "bn": 10**9}
_UNMARKED = "a number has no marks between its digits"


def meant_number(word: str) -> str:
    """Returns advice for a word that is meant as a number, or "" if it is not.

    >>> meant_number("1_000_000"), meant_number("10k")
    ('write `1000000`: a number has no marks between its digits', 'write `10000`')
    >>> meant_number("1.2.3"), meant_number("2fa")
    ('', 'leave the unit out: `2`; a text is in quotes: `"2fa"`')
    """
    if _GROUPS.fullmatch(word) or _UNDERSCORES.fullmatch(word):
        return f"write {quoted(re.sub('[^0-9]', '', word))}: {_UNMARKED}"
    if _HEXADECIMAL.fullmatch(word):
        return f"write {quoted(int(word, 16))}"
    found = _WITH_UNIT.fullmatch(word)
    if found is None:
        return ""
    digits, unit = found.groups()
    if unit in _THOUSANDS:
        return f"write {quoted(_times(digits, _THOUSANDS[unit]))}"
    in_quotes = quoted(f'"{word}"')
    return f"leave the unit out: {quoted(digits)}; a text is in quotes: {in_quotes}"


def meant_by_marks(text: str, start: int) -> str:
    """Returns advice for a number at `start` that goes on after a comma, an apostrophe or a space, or "".

    >>> meant_by_marks("< 1,000,000", 2), meant_by_marks("> 1,5", 2)
    ('write `1000000`: a number has no marks between its digits', 'write `1.5`: a fraction follows a point')
    """
    found = _GROUPS.match(text, start)
    if found and not text[found.end() : found.end() + 1].isalnum():
        return meant_number(found[0])
    fraction = re.compile(r"(\d+),(\d+)(?![\w,])").match(text, start)
    return f"write {quoted(f'{fraction[1]}.{fraction[2]}')}: a fraction follows a point" if fraction else ""


def _times(digits: str, factor: int) -> str:
    whole, _, fraction = digits.partition(".")
    scaled = int(whole + fraction) * factor
    return str(scaled // 10 ** len(fraction)) if scaled % 10 ** len(fraction) == 0 else f"{float(digits) * factor:g}"
