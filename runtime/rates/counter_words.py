"""A word of a rate limit's counters: a number of evaluations, and the instant until which they count (C10).

A window is split into slots. The evaluations of one slot are counted in one word, and count until the window after the
end of their slot is over. So a word never counts too short a time, and one slot too long at most.
"""

from collections.abc import Sequence
from typing import Final

TICKS: Final = 16
"""The ticks of a second, and the slots of a window. So a slot of a window of n seconds has n ticks."""

WORDS: Final = TICKS + 1
"""The words of a cell: one for each slot of a window, and one for the slot that began before the window did."""

_COUNT_BITS: Final = 27

MOST: Final = (1 << _COUNT_BITS) - 1
"""The highest number in a word. Such a word is full: it stands for any number, and reaches every limit."""

ANY_NUMBER: Final = 1 << 62
"""More than every limit."""

LAST_TICK: Final = (1 << (64 - _COUNT_BITS)) - 1
"""The last tick that fits into a word. It is in the year 2242."""


def expiry_of(tick: int, window_seconds: int) -> int:
    """Returns the tick until which an evaluation at `tick` counts."""
    return (tick // window_seconds + WORDS) * window_seconds


def least_alive(tick: int) -> int:
    """Returns the lowest word that still counts at `tick`. Every higher word counts too."""
    return (tick + 1) << _COUNT_BITS


def word_of(expiry: int, number: int) -> int:
    """Returns the word that counts `number` evaluations until `expiry`."""
    return expiry << _COUNT_BITS | number


def split(word: int) -> tuple[int, int]:
    """Returns the tick until which a word counts, and its number."""
    return word >> _COUNT_BITS, word & MOST


def total(words: Sequence[int], alive: int) -> int:
    """Returns the evaluations that the words of at least `alive` count, or `ANY_NUMBER` if one of them is full."""
    numbers = [word & MOST for word in words if word >= alive]
    found = sum(numbers)
    return ANY_NUMBER if found >= MOST and MOST in numbers else found


def with_one_more(word: int, expiry: int, alive: int) -> int:
    """Returns the word that counts one evaluation more, until `expiry` at least.

    A word that no longer counts begins again. Otherwise, its evaluations count until the later of both ticks.
    """
    if word < alive:
        return word_of(expiry, 1)
    until, number = split(word)
    return word_of(max(until, expiry), min(number + 1, MOST))


def best_place(words: Sequence[int], expiry: int, alive: int) -> int:
    """Returns the place of the word to count in, if a cell is shared by different windows.

    It is a word with this expiry, or else one that no longer counts, or else the one with the nearest expiry.
    """
    best, least = 0, LAST_TICK + 1
    for place, word in enumerate(words):
        until = word >> _COUNT_BITS
        distance = 0 if until == expiry else 1 if word < alive else 1 + abs(until - expiry)
        if distance < least:
            best, least = place, distance
    return best
