"""Reads many elements of a JSON array at once. PERF: it takes a third of the time of one element after the other."""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from ...model.elements import LISTS, Element, ElementKind

LISTS_IN_RUNS: Final = (ElementKind.GRANTS, ElementKind.ASSIGNMENTS)
"""The lists that can be long, and whose elements have neither numbers nor free JSON, which need a closer look."""

ReadRun: TypeAlias = Callable[[str], Sequence[Element] | None]
"""Returns the elements of a text, or None if some of them may have a fault."""

_encode = msgspec.json.Encoder().encode


def run_reader(name: str) -> ReadRun:
    """Returns the function that reads elements of a list, with commas between them."""
    shape: Any = LISTS[name]
    decode = msgspec.json.Decoder(list[shape]).decode

    def read(text: str) -> Sequence[Element] | None:
        if "null" in text or "\\" in text:
            return None
        try:
            elements: list[Element] = decode(f"[{text}]")
        except (msgspec.MsgspecError, RecursionError):
            return None
        # Of a repeated member, only the last one is in the element.
        return elements if _encode(elements).count(b'"') == text.count('"') else None

    return read


class ElementOffsets:
    """The offsets of the elements of a list. Of elements that were read together, only that of the first is kept."""

    def __init__(self) -> None:
        self._firsts, self._offsets = array("Q"), array("Q")
        self._count = 0

    def add(self, offset: int, count: int = 1) -> None:
        """Adds the next elements, the first of which is at `offset`."""
        self._firsts.append(self._count)
        self._offsets.append(offset)
        self._count += count

    def __len__(self) -> int:
        """Returns the number of elements."""
        return self._count

    def nearest(self, index: int) -> tuple[int, int]:
        """Returns the offset of an element at or before the one at `index`, and how many elements come after it."""
        run = bisect_right(self._firsts, index) - 1
        return self._offsets[run], index - self._firsts[run]
