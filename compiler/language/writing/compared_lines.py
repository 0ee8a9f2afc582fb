"""Compares two texts line by line: the lines that stay, that go and that come."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

SAME: Final = "  "
REMOVED: Final = "- "
ADDED: Final = "+ "

CONTEXT: Final = 6
"""The lines before and after a change that are shown, although they stay."""


class Row(NamedTuple):
    """A line with the sign of what becomes of it: SAME, REMOVED or ADDED."""

    sign: str
    text: str


def compared(before: Sequence[str], after: Sequence[str]) -> Iterator[Row]:
    """Yields the lines of both texts. Lines that occur once in each of them stay, as many as keep their order.

    PERF: takes n log n steps for n lines, since a hostile element may have a hundred thousand.

    >>> print(*("".join(row) for row in compared(["a", "b", "c"], ["a", "x", "c"])), sep="|")
      a|- b|+ x|  c
    """
    start, end = _equal_ends(before, after)
    yield from (Row(SAME, text) for text in before[:start])
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    left = right = 0
    for at, place in [*_kept(old, new), (len(old), len(new))]:
        yield from (Row(REMOVED, text) for text in old[left:at])
        yield from (Row(ADDED, text) for text in new[right:place])
        yield from (Row(SAME, text) for text in old[at : at + 1])
        left, right = at + 1, place + 1
    yield from (Row(SAME, text) for text in before[len(before) - end :])


def shown(rows: Sequence[Row], context: int | None = CONTEXT) -> Iterator[str]:
    """Yields lines with their signs: the first one, the changes, and up to `context` lines around each change.

    None shows all lines. A line with an ellipsis stands for those that are left out.

    >>> [*shown([Row(SAME, "a"), Row(SAME, "b"), Row(SAME, "c"), Row(SAME, "d"), Row(ADDED, "e")], 1)]
    ['  a', '  … 2 lines stay', '  d', '+ e']
    """
    near = bytearray(b"\1" if context is None else b"\0") * len(rows)
    for at, row in enumerate(rows):
        if context is not None and row.sign != SAME:
            first, last = max(0, at - context), min(len(rows), at + context + 1)
            near[first:last] = b"\1" * (last - first)
    left_out = 0
    for at, row in enumerate(rows):
        if at and not near[at]:
            left_out += 1
            continue
        if left_out:
            yield f"{SAME}… {left_out} lines stay"
        left_out = 0
        yield f"{row.sign}{row.text}"
    if left_out:
        yield f"{SAME}… {left_out} lines stay"


def _equal_ends(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """Returns the number of equal lines at the start, and of the others at the end."""
    most = min(len(before), len(after))
    start = next((at for at in range(most) if before[at] != after[at]), most)
    end = next((at for at in range(most - start) if before[-1 - at] != after[-1 - at]), most - start)
    return start, end


def _kept(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Returns the places, in both, of the longest run of lines that occur once in each and keep their order."""
    counts, places = Counter(old), {text: place for place, text in enumerate(new)}
    once = Counter(new)
    pairs = [(at, places[text]) for at, text in enumerate(old) if counts[text] == 1 and once[text] == 1]
    ends: list[int] = []  # the smallest last place in `new` of a run of each length
    chosen: list[int] = []  # the pair with it
    previous: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        previous.append(chosen[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        chosen[length : length + 1] = [number]
    found: list[tuple[int, int]] = []
    number = chosen[-1] if chosen else -1
    while number >= 0:
        found.append(pairs[number])
        number = previous[number]
    return found[::-1]
