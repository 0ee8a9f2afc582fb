"""Short texts that match patterns, for requests that show or would change a decision (C6)."""

import warnings
from re import _constants as codes
from re import _parser as patterns
from typing import Any, Final

_LONGEST: Final = 200


def sample(pattern: str) -> str | None:
    """Returns a short text with a match of a pattern, or None if the pattern is beyond this simple search.

    >>> sample("^draft-[0-9]{2}$"), sample("(a|b)+c?")
    ('draft-00', 'a')
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = patterns.parse(pattern)
        return _said(parsed)[:_LONGEST]
    except (patterns.error, RecursionError, OverflowError, ValueError, KeyError):
        return None


def _said(parsed: Any) -> str:
    return "".join(_one(code, argument) for code, argument in parsed)


def _one(code: Any, argument: Any) -> str:
    if code is codes.LITERAL:
        return chr(argument)
    if code is codes.NOT_LITERAL:
        return "b" if argument == ord("a") else "a"
    if code is codes.ANY:
        return "a"
    if code is codes.IN:
        return _in(argument)
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
        return _said(argument[2]) * min(int(argument[0]), _LONGEST)
    if code is codes.SUBPATTERN:
        return _said(argument[3])
    if code is codes.BRANCH:
        return _said(argument[1][0])
    if code is codes.AT:
        return ""
    raise ValueError("the pattern has a part that is not searched")


def _in(members: Any) -> str:
    negated = bool(members) and members[0][0] is codes.NEGATE
    if negated:
        return next(one for one in "a0 -Z_é" if not any(_is_in(one, member) for member in members[1:]))
    code, argument = members[0]
    if code is codes.LITERAL:
        return chr(argument)
    if code is codes.RANGE:
        return chr(argument[0])
    return next(one for one in "a0 -" if _is_in(one, (code, argument)))


def _is_in(one: str, member: Any) -> bool:
    code, argument = member
    if code is codes.LITERAL:
        return bool(ord(one) == argument)
    if code is codes.RANGE:
        return bool(argument[0] <= ord(one) <= argument[1])
    kinds = {
        codes.CATEGORY_DIGIT: one.isdigit(),
        codes.CATEGORY_NOT_DIGIT: not one.isdigit(),
        codes.CATEGORY_WORD: one.isalnum() or one == "_",
        codes.CATEGORY_NOT_WORD: not (one.isalnum() or one == "_"),
        codes.CATEGORY_SPACE: one.isspace(),
        codes.CATEGORY_NOT_SPACE: not one.isspace(),
    }
    return kinds.get(argument, False)
