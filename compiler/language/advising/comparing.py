"""Advice about comparisons: negations, lists of elements, absence, and arithmetic.

Each row of the table is a phrase after an attribute, whatever the parser could read of it, with what to write.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from ....bundles.wording import quoted
from ..fault_place import FaultPlace

ABSENCE: Final = 'no condition asks for absence: let the application send a value such as `"none"`'
ARITHMETIC: Final = (
    "a condition has no arithmetic: let the application send the result, such as `context.total` or `subject.limit`"
)
_CONSTANTS = re.compile(r""""[^"]*"|'[^']*'|-?[\w.]+""")
_JOINING: Final = frozenset(
    ("and", "or", "nor", "of", "all", "both", "each", "any", "one", "neither", "either", "none", "not", "to")
)
_Row: TypeAlias = tuple[re.Pattern[str], Callable[[FaultPlace, str, list[str]], str]]

_HAVE = r"(?:has|have|contains?|includes?)"
_NOT = r"(?:(?:does|do|did|is|are) not|(?:does|do|did|is|are)n[o']?t|not)"


def comparing(place: FaultPlace) -> str:
    """Returns advice about the comparison at which a statement can't be read, or "" if no row fits."""
    attribute, phrase = place.compared()
    if not attribute:
        return ""
    for pattern, advise in _ROWS:
        if found := pattern.match(phrase):
            return advise(place, attribute, _constants(phrase[found.end() :]))
    return ""


def _constants(text: str) -> list[str]:
    """Returns the constants of a phrase, up to the next attribute; examples if there are none."""
    found: list[str] = []
    for one in _CONSTANTS.findall(text):
        if "." in one and one[0] not in "\"'":
            break
        if one not in _JOINING:
            found.append(one if one[0] in "\"'" or one[0].isdigit() else f'"{one}"')
    return found[:3] or ['"a"', '"b"']


def _none_of(_: FaultPlace, attribute: str, constants: list[str]) -> str:
    return f"write {quoted(f'{attribute} has none of ' + ', '.join(constants))}"


def _any_of(_: FaultPlace, attribute: str, constants: list[str]) -> str:
    return f"write {quoted(f'{attribute} has any of ' + ', '.join(constants))}"


def _all_of(_: FaultPlace, attribute: str, constants: list[str]) -> str:
    return f"write {quoted(' and '.join(f'{attribute} has {one}' for one in constants))}"


def _any_or_all(place: FaultPlace, attribute: str, constants: list[str]) -> str:
    if place.kind != "COMMA":
        return ""
    return f"{_any_of(place, attribute, constants)} for one of them, or repeat `has` after `and` for all of them"


def _no_pattern(place: FaultPlace, attribute: str, _: list[str]) -> str:
    if place.effect == "deny":
        matching = quoted(f"{attribute} matches")
        return f"no comparison is the opposite of `matches`: write {matching} in each policy that allows"
    return "no comparison is the opposite of `matches`: ask `is present` here, and write a `deny` for what matches"


def _not_in(_: FaultPlace, attribute: str, constants: list[str]) -> str:
    return f"write {quoted(f'{attribute} not in ' + ', '.join(constants))}"


def _in(_: FaultPlace, attribute: str, constants: list[str]) -> str:
    return f"write {quoted(f'{attribute} in ' + ', '.join(constants))}"


def _is_not(_: FaultPlace, attribute: str, constants: list[str]) -> str:
    return f"write {quoted(f'{attribute} is not {constants[0]}')}"


def _said(text: str) -> Callable[[FaultPlace, str, list[str]], str]:
    return lambda _place, attribute, _constants: text.replace("ATTRIBUTE", attribute)


def _row(pattern: str, advise: Callable[[FaultPlace, str, list[str]], str]) -> _Row:
    return re.compile(rf"\s*(?:{pattern})", re.IGNORECASE), advise


_IS_NOT = rf"(?:is not|is no|{_NOT}|no)"
_LESS = r"(?:less|smaller|lower|fewer|below|under)\b"
_MORE = r"(?:more|greater|larger|higher|above|over)\b"
_AGE = r"(?:is |was )?(?:older|newer|younger|within|in the last|in the next|ago)\b"


def _order(sign: str) -> Callable[[FaultPlace, str, list[str]], str]:
    return _said(f"write `{sign}` after the attribute")


def _glob(_: FaultPlace, attribute: str, constants: list[str]) -> str:
    text = constants[0].strip("\"'")
    pattern = "^" + ".*".join(re.escape(part) for part in re.split(r"[*%]+", text)) + "$"
    written = pattern.removeprefix("^.*").removesuffix(".*$")
    in_quotes = quoted(f"{attribute} matches '{written}'")
    return f"`matches` takes a pattern and not a glob: write {in_quotes}"


_ROWS: Final[Sequence[_Row]] = (
    _row(rf"{_IS_NOT} (?:more|greater|higher|larger|older) than\b|{_IS_NOT} >(?!=)|(?:is )?up to\b", _order("<=")),
    _row(rf"{_IS_NOT} (?:less|lower|smaller|fewer) than\b|{_IS_NOT} <(?!=)", _order(">=")),
    _row(rf"{_IS_NOT} at least\b|{_IS_NOT} >=", _order("<")),
    _row(rf"{_IS_NOT} at most\b|{_IS_NOT} <=", _order(">")),
    _row(rf"(?:is )?{_LESS} (?:than )?or equal\b|(?:is )?equals? (?:to )?or {_LESS}|is \S+ or {_LESS}", _order("<=")),
    _row(rf"(?:is )?{_MORE} (?:than )?or equal\b|(?:is )?equals? (?:to )?or {_MORE}|is \S+ or {_MORE}", _order(">=")),
    _row(r"is (?:above|over|beyond|(?:higher|larger) than)\b", _order(">")),
    _row(r"is (?:below|under|(?:lower|smaller) than)\b", _order("<")),
    _row(
        rf"(?:{_IS_NOT}|is outside) (?:between|of)\b", _said("write a policy for each case: one with `<`, one with `>`")
    ),
    _row(r"(?:is )?between\b", _said("write two comparisons, such as `ATTRIBUTE >= 1 and ATTRIBUTE <= 9`")),
    _row(_AGE, _said(ARITHMETIC)),
    _row(r"(?:is )?like\b", _glob),
    _row(r"is(?:n't|nt|not)\b|isn\b|(?:is )?unequal\b", _is_not),
    _row(r"""\[""", _said('write `has` for an element of an array, such as `ATTRIBUTE has "a"`')),
    _row(r"""is either\b""", _in),
    _row(rf"(?:{_NOT} (?:exist|exists|present|set|defined|there)\b|absent\b|missing\b|isnull\b)", _said(ABSENCE)),
    _row(r"(?:is )?not ?null\b", _said("write `ATTRIBUTE is present`")),
    _row(rf"{_NOT} (?:match|matches|like|start|starts|startswith|end|ends|endswith)\b", _no_pattern),
    _row(rf"{_HAVE} (?:all|both|every|each)\b(?: of)?", _all_of),
    _row(rf"(?:{_HAVE}all|hasallof|superset)\b", _all_of),
    _row(rf"{_NOT} {_HAVE}\b|{_HAVE} (?:no|not|neither|none)\b|lacks?\b|excludes?\b|omits?\b|without\b", _none_of),
    _row(r"hasn[o']?t\b|has no\b", _none_of),
    _row(rf"{_HAVE} (?:any|one|some|either)\b(?: of)?", _any_of),
    _row(r"""has (?=(?:"[^"]*"|'[^']*'|\w+) or (?!\w+\.))""", _any_of),
    _row(r"""has (?=(?:"[^"]*"|'[^']*'|\w+) and ["'])""", _all_of),
    _row(r"""has (?=(?:"[^"]*"|'[^']*'|\w+) *, *(?!\w+\.))""", _any_or_all),
    _row(
        r"""is not (?=(?:"[^"]*"|'[^']*'|[\w-]+) (?:and|or|nor) (?:not )?(?!\w+\.))"""
        r"|is (?:neither|none of|not one of|not any of)\b",
        _not_in,
    ),
    _row(rf"{_NOT} (?:equal|equals)\b(?: to)?", _is_not),
)
"""The meaning of a phrase after an attribute. The first row that fits counts."""


def arithmetic(place: FaultPlace) -> str:
    """Returns advice about a sign of arithmetic in a condition, or ""."""
    is_sign = place.kind == "PATH" and place.word.startswith("/") and place.kind_before in ("ATTRIBUTE", "NUMBER")
    return ARITHMETIC if is_sign and place.compared()[0] else ""
