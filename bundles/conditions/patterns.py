"""Regular expressions of conditions: RE2 patterns with limits, found anywhere in a string (C6)."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from ..errors import BundleError
from .automata import CHECK_BYTES, Automata, NoRoom, RejectedPattern, compiled
from .literals import literal_of
from .values import is_text

MAX_PATTERN_CHARACTERS = 256
MAX_PATTERN_INSTRUCTIONS = 3_000
"""RE2 takes linear time in the text, but a short pattern can make a large automaton, like `(\\pL{3}){10}`."""


def instructions_of(pattern: str) -> int:
    """Returns the number of RE2 instructions of a pattern (C6). It keeps no automaton.

    Raises ValueError, with one sentence, if RE2 rejects the pattern or the pattern exceeds a limit.

    >>> instructions_of("a.c")
    14
    """
    if len(pattern) > MAX_PATTERN_CHARACTERS:
        raise ValueError(f"the pattern has {len(pattern)} characters, the limit is {MAX_PATTERN_CHARACTERS}")
    found = measured(pattern)
    if isinstance(found, str):
        raise ValueError(found)
    return found


@lru_cache(16_384)
def measured(pattern: str) -> int | str:
    """Returns the number of RE2 instructions of a pattern within the limit of characters, or why it is refused.

    PERF: cached, refusals too, because a compilation asks several times. RE2 takes 0.05 ms for a small pattern. It
    takes 5 ms for the slowest that is legal, like `a{0,1000}a{0,490}`, and 9 ms for the slowest that is refused. The
    size of the cache is that of a large model: fewer entries would all be replaced before they are asked for again.
    """
    try:
        size: int = compiled(pattern, CHECK_BYTES).programsize
    except NoRoom:
        return f"the pattern compiles to too many instructions, the limit is {MAX_PATTERN_INSTRUCTIONS}"
    except RejectedPattern as ex:
        return str(ex)
    if size > MAX_PATTERN_INSTRUCTIONS:
        return f"the pattern compiles to {size} instructions, the limit is {MAX_PATTERN_INSTRUCTIONS}"
    return size


def searched_instructions(pattern: str) -> int:
    """Returns the RE2 instructions that a search for the pattern needs: none for plain text, which needs no automaton.

    Raises ValueError as `instructions_of` does.

    >>> searched_instructions("^draft-"), searched_instructions("a.c")
    (0, 14)
    """
    size = instructions_of(pattern)
    return 0 if literal_of(pattern) is not None else size


def require_pattern(pattern: str) -> None:
    """Raises BundleError if `instructions_of` refuses a pattern of a bundle.

    Who makes a bundle checks its patterns. So such a bundle is damaged, and its answer must be no decision.
    """
    if literal_of(pattern) is not None:  # then no search needs RE2, and the laws of a program limit its length
        return
    try:
        instructions_of(pattern)
    except ValueError as ex:
        raise _damaged(ex) from None


def _damaged(reason: ValueError) -> BundleError:
    return BundleError(f"the bundle is damaged: {reason}")


def pattern_apart(pattern: str) -> Callable[[Any], bool]:
    """Returns what `pattern_predicate` returns, by an automaton that the table of this process does not keep.

    It is for checks, which ask once: the patterns of decisions stay in the table. Raises NoRoom, RejectedPattern.
    """
    automaton = compiled(pattern, CHECK_BYTES)
    return lambda value: isinstance(value, str) and is_text(value) and automaton.search(value.encode()) is not None


_automata: Final = Automata(instructions_of)
"""The automata of this process, for all environments together."""


def pattern_predicate(pattern: str) -> Callable[[Any], bool]:
    """Returns the predicate that is true for strings in which `pattern` is found (C6), and false for other values (C7).

    The predicate holds only the text of the pattern. It compiles the pattern when it first searches for it. It raises
    BundleError if `instructions_of` refuses the pattern, as `require_pattern` does. On an event loop, it raises
    TakesLong if the pattern has to be compiled first, or if the search is not quick.

    >>> pattern_predicate("^draft-")("draft-7"), pattern_predicate("a.c")("xabcx"), pattern_predicate("a")(1)
    (True, True, False)
    """
    plain = _string_operation(pattern)
    if plain is not None:
        return lambda value: isinstance(value, str) and plain(value) and is_text(value)

    def found(value: Any) -> bool:
        if not isinstance(value, str):
            return False
        try:
            text = value.encode()
        except UnicodeEncodeError:  # a string with a lone surrogate is not text, and can't be read (C7)
            return False
        try:
            return _automata.of(pattern, len(text)).search(text) is not None
        except ValueError as ex:
            raise _damaged(ex) from None

    return found


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
