"""Regular expressions of conditions: RE2 patterns with limits, found anywhere in a string (C6)."""

from collections.abc import Callable
from typing import Any

import re2

from .literals import literal_of
from .values import is_text

MAX_PATTERN_CHARACTERS = 256
MAX_PATTERN_INSTRUCTIONS = 3_000
"""RE2 takes linear time in the text, but a short pattern can make a large automaton, like `(\\pL{3}){10}`."""

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False


def compile_pattern(pattern: str) -> Callable[[Any], bool]:
    """Returns the predicate that is true for strings in which `pattern` is found (C6), and false for other values (C7).

    Raises ValueError, with one sentence, if RE2 rejects the pattern or the pattern exceeds a limit.

    >>> compile_pattern("^draft-")("draft-7"), compile_pattern("a.c")("xabcx"), compile_pattern("a")(1)
    (True, True, False)
    """
    automaton = _automaton(pattern)
    plain = _string_operation(pattern)
    if plain is not None:
        return lambda value: isinstance(value, str) and plain(value) and is_text(value)

    def found(value: Any) -> bool:
        if not isinstance(value, str):
            return False
        try:
            return automaton.search(value.encode()) is not None
        except UnicodeEncodeError:  # a string with a lone surrogate is not text, and can't be read (C7)
            return False

    return found


def _automaton(pattern: str) -> Any:
    if len(pattern) > MAX_PATTERN_CHARACTERS:
        raise ValueError(f"the pattern has {len(pattern)} characters, the limit is {MAX_PATTERN_CHARACTERS}")
    try:
        automaton = re2.compile(pattern, _OPTIONS)
    except UnicodeEncodeError:
        raise ValueError("the pattern contains a lone surrogate") from None
    except re2.error as ex:
        reason = ex.args[0].decode(errors="replace") if ex.args and isinstance(ex.args[0], bytes) else str(ex)
        raise ValueError(f"RE2 rejects the pattern: {reason}") from None
    if automaton.programsize > MAX_PATTERN_INSTRUCTIONS:
        raise ValueError(
            f"the pattern compiles to {automaton.programsize} instructions, the limit is {MAX_PATTERN_INSTRUCTIONS}"
        )
    return automaton


def _string_operation(pattern: str) -> Callable[[str], bool] | None:
    """Returns a test for equality, a prefix, a suffix or a substring with the meaning of `pattern`, or None.

    PERF: a search through RE2's binding takes about 2 µs, and a string operation 0.05 µs.
    """
    match literal_of(pattern):
        case literal, "whole":
            return lambda text: text == literal
        case literal, "start":
            return lambda text: text.startswith(literal)
        case literal, "end":
            return lambda text: text.endswith(literal)
        case literal, _:
            return lambda text: literal in text
    return None
