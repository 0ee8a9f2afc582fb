"""How messages word things: user's words in backticks on one line, kinds of values, lists of names."""

from collections.abc import Iterable, Sequence

from .conditions.values import Json

_LONGEST_QUOTATION = 80
_LONGEST_DECIMAL_BITS = 1_024


def quoted(value: Json) -> str:
    r"""A user's word or number in backticks: one line, nothing that a terminal obeys, shortened where it is long.

    >>> quoted("raed"), quoted(3), quoted(True), quoted("a\nb")
    ('`raed`', '`3`', '`true`', '`a\\nb`')
    """
    text = value if isinstance(value, str) else _literal(value)
    shown = text if len(text) <= _LONGEST_QUOTATION else text[: _LONGEST_QUOTATION - 1] + "…"
    return f"`{_escaped(shown)}`"


def described(value: Json) -> str:
    """A value that was found where another was expected.

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
    """Names to choose from.

    >>> alternatives(["ALLOW", "DENY"])
    '`ALLOW` or `DENY`'
    """
    return joined([quoted(name) for name in names], "or")


def joined(words: Sequence[str], conjunction: str) -> str:
    """Words as a list in a sentence.

    >>> joined(["a", "b", "2 more"], "and")
    'a, b and 2 more'
    """
    return f" {conjunction} ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def visible(text: str) -> str:
    r"""`text` with every character that a terminal obeys replaced by a space, so that columns stay.

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
