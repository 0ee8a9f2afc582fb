"""The blocks of a worker's row, one for each environment that it decided in: names and counters.

A block has a number of its changes, the lengths of the environment's UUID and id, the two texts, and the counters. The
number is odd while the block changes hands, so a reader notices.
"""

from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from .counter_layout import NAMES_WORDS, Layout

OTHERS: Final = "(other)"
"""The name of all environments for which there was no block. No environment can have such an id."""

_LENGTHS, _TEXT = 1, 2
_LENGTH_BITS: Final = 16
_WORD: Final = 8
_MOST_BYTES: Final = (NAMES_WORDS - _TEXT) * _WORD


class Block(NamedTuple):
    """A copy of a block in use. `values` has its words, the names too, and `start` is its place in the row."""

    uuid: str
    id: str
    start: int
    values: list[int]


class EnvironmentBlocks:
    """The blocks of one row. Only the process that the row belongs to calls the methods that change something."""

    def __init__(self, layout: Layout, row: memoryview) -> None:
        self._row, self._words = row, layout.block_words
        self._starts = range(layout.words, layout.row_words, layout.block_words)

    def all(self) -> Iterator[Block]:
        """Yields the blocks in use. It leaves one out that changes hands at this moment."""
        for start in self._starts:
            before = self._row[start]
            if self._row[start + _LENGTHS] == 0:
                continue
            values = self._row[start : start + self._words].tolist()
            if before % 2 == 0 and self._row[start] == before:
                yield Block(*_names(values), start, values)

    def start_of(self, uuid: str, id: str) -> int:
        """Returns the block of an environment, or that of all others if none is free. `id` is not empty."""
        known = {block.uuid: block.start for block in self.all()}
        if uuid in known:
            return known[uuid]
        free = next((start for start in self._starts[1:] if self._row[start + _LENGTHS] == 0), None)
        if free is not None:
            self._give(free, uuid, id)
            return free
        if self._row[self._starts[0] + _LENGTHS] == 0:
            self._give(self._starts[0], OTHERS, OTHERS)
        return self._starts[0]

    def repair(self) -> None:
        """Free the blocks that were changing hands when the last process of this row died. They counted nothing yet."""
        for start in self._starts:
            if self._row[start] % 2:
                self._row[start + _LENGTHS] = 0
                self._row[start] += 1

    def keep_only(self, uuids: Collection[str]) -> None:
        """Free the blocks of other environments, which do not exist any more. UUIDs are never used again."""
        for block in list(self.all()):
            if block.start != self._starts[0] and block.uuid not in uuids:
                self._give(block.start, "", "")

    def _give(self, start: int, uuid: str, id: str) -> None:
        row, texts = self._row, (uuid.encode() + id.encode())[:_MOST_BYTES]
        row[start] |= 1
        for at in range(start + 1, start + self._words):
            row[at] = 0
        for number in range(-(-len(texts) // _WORD)):
            row[start + _TEXT + number] = int.from_bytes(texts[number * _WORD : (number + 1) * _WORD], "little")
        row[start + _LENGTHS] = len(texts) << _LENGTH_BITS | len(uuid.encode())
        row[start] += 1


def _names(values: list[int]) -> tuple[str, str]:
    length, end = values[_LENGTHS] >> _LENGTH_BITS, values[_LENGTHS] % (1 << _LENGTH_BITS)
    text = b"".join(word.to_bytes(_WORD, "little") for word in values[_TEXT:NAMES_WORDS])[:length]
    return text[:end].decode(), text[end:].decode()
