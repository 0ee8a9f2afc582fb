"""Choosing among few alternatives, one integer a choice, so that a model is made fast and shrinks well."""

import copy
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


@cache
def below(size: int) -> st.SearchStrategy[int]:
    """An integer from 0 to `size` - 1; made once, since making strategies is what costs."""
    return st.integers(0, size - 1)


class Pick:
    """A source of choices; the first alternative is the one that a failure shrinks to."""

    def __init__(self, index: Callable[[int], int]) -> None:
        """`index(size)` gives an integer from 0 to `size` - 1."""
        self._index = index

    @classmethod
    def drawn(cls, draw: st.DrawFn) -> "Pick":
        """Choices that hypothesis draws, replays and shrinks."""
        return cls(lambda size: draw(below(size)))

    @classmethod
    def seeded(cls, seed: int) -> "Pick":
        """The same choices for the same seed, about ten times as fast as drawn ones."""
        return cls(Random(seed).randrange)

    def number(self, least: int, most: int) -> int:
        """An integer, both ends included."""
        return least + (self._index(most - least + 1) if most > least else 0)

    def one(self, values: Sequence[T]) -> T:
        """One of `values`, copied, so that no two places share a list or object."""
        value = values[self.number(0, len(values) - 1)]
        return copy.deepcopy(value) if isinstance(value, list | dict | tuple) else value

    def chance(self, times: int, of: int) -> bool:
        """True `times` out of `of`."""
        return self.number(0, of - 1) >= of - times

    def some(self, values: Sequence[T], least: int, most: int) -> list[T]:
        """Between `least` and `most` of `values` (fewer where there are fewer), none twice, in any order."""
        rest, most = list(values), min(most, len(values))
        return [rest.pop(self.number(0, len(rest) - 1)) for _ in range(self.number(min(least, most), most))]

    def member(self, times: int, of: int, name: str, value: Any) -> dict[str, Any]:
        """`{name: value}`, `times` out of `of`, else no member."""
        return {name: value} if self.chance(times, of) else {}
