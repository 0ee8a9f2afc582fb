"""The values of YAML scalars by the core schema of YAML 1.2 (chapter 10.3): `no`, `09:00` and dates are strings."""

import re
from collections.abc import Callable
from math import isinf

from ....bundles.conditions.values import Json
from ....bundles.wording import quoted
from ...limits import Limits
from ..raw_values import Unreadable, not_finite, too_many_digits

TAGS = "tag:yaml.org,2002:"
STRING, NULL, BOOLEAN, INTEGER, REAL = TAGS + "str", TAGS + "null", TAGS + "bool", TAGS + "int", TAGS + "float"
ARRAY, OBJECT = TAGS + "seq", TAGS + "map"

_PLAIN = (
    (NULL, re.compile(r"null|Null|NULL|~|")),
    (BOOLEAN, re.compile(r"true|True|TRUE|false|False|FALSE")),
    (INTEGER, re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")),
    (REAL, re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")),
    (REAL, re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")),
)
_SPECIAL_STARTS = frozenset(["", *"~nNtTfF+-.0123456789"])
"""The first characters, or none, of plain scalars that may not be strings."""


def plain_tag(text: str) -> str:
    """Returns the tag of a plain scalar, which is one without quotes.

    >>> [plain_tag(text).removeprefix(TAGS) for text in ("no", "09:00", "010", "1e3", "~", "2027-01-01T00:00:00Z")]
    ['str', 'str', 'int', 'float', 'null', 'str']
    """
    if text[:1] not in _SPECIAL_STARTS:
        return STRING
    return next((tag for tag, pattern in _PLAIN if pattern.fullmatch(text)), STRING)


def scalar_value(tag: str, text: str, limits: Limits) -> Json | Unreadable:
    """Returns the value of a scalar.

    The value is Unreadable if the number exceeds a limit, the tag is unknown, or the text does not fit the tag.

    >>> scalar_value(INTEGER, "0x1F", Limits()), scalar_value(REAL, "1.", Limits()), scalar_value(NULL, "~", Limits())
    (31, 1.0, None)
    """
    if tag == STRING:
        return text
    if tag not in _READERS:
        return unknown_tag(tag)
    if not any(tag == known and pattern.fullmatch(text) for known, pattern in _PLAIN):
        shown = "!!" + tag.removeprefix(TAGS)
        return Unreadable("yaml-tag", f"{quoted(text)} can't be read as {quoted(shown)}", "leave the tag out")
    return _READERS[tag](text, limits)


def unknown_tag(tag: str) -> Unreadable:
    """Returns the fault of a tag that is not in the core schema, or does not fit the kind of its value."""
    shown = tag.replace(TAGS, "!!")
    help_text = "leave the tag out" + ("" if tag.startswith(TAGS) else ", or put a text that starts with `!` in quotes")
    return Unreadable("yaml-tag", f"a model document can't have the tag {quoted(shown)} here", help_text)


def _integer(text: str, limits: Limits) -> int | Unreadable:
    if len(text) <= limits.number_digits:
        try:
            return int(text[2:], {"o": 8, "x": 16}[text[1]]) if text[1:2] in ("o", "x") else int(text)
        except ValueError:  # the interpreter may have a lower limit than ours
            pass
    return too_many_digits(len(text), limits)


def _real(text: str, _limits: Limits) -> float | Unreadable:
    try:
        value = float(text)
    except ValueError:
        return not_finite(text)
    return not_finite(text) if isinf(value) else value


_READERS: dict[str, Callable[[str, Limits], Json]] = {
    NULL: lambda _text, _limits: None,
    BOOLEAN: lambda text, _limits: text.lower() == "true",
    INTEGER: _integer,
    REAL: _real,
}
