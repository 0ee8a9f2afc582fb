"""Sources: the named bytes of documents, their text, which is decoded piece by piece, and places in that text."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from .limits import MIB

CHUNK_BYTES = MIB
"""The size of a chunk, before its end is moved to the start of a character. At least `_LONGEST_CHARACTER`."""

_BOM = b"\xef\xbb\xbf"
_LONGEST_CHARACTER = 4
"""Bytes of the longest character in UTF-8."""


@dataclass(frozen=True, slots=True)
class Source:
    """A document as it was found: its name, which diagnostics show, and its bytes."""

    name: str
    data: bytes


class SourcePosition(NamedTuple):
    """A place in a text. `line` and `column` count from 1; a column is one character."""

    line: int
    column: int


class Span(NamedTuple):
    """A part of a text, in characters. `offset` counts from 0; `length` is the part that a rendering underlines."""

    offset: int
    length: int


class BadText(ValueError):
    """A source is not UTF-8. The message is one sentence; `offset` is the number of characters before the bad byte."""

    def __init__(self, message: str, offset: int):
        super().__init__(message)
        self.offset = offset


class _ChunkStart(NamedTuple):
    """The start of a chunk: its first byte, the number of characters before it, and its line and column."""

    byte: int
    offset: int
    line: int
    column: int

    @property
    def place(self) -> SourcePosition:
        return SourcePosition(self.line, self.column)


class SourceText:
    """The text of a source. It decodes one chunk of about 1 MiB at a time, never a large document as a whole.

    It skips a byte order mark. Lines end at U+000A.
    """

    def __init__(self, source: Source, replace: bool = False):
        """With `replace`, bytes that are not UTF-8 become U+FFFD. Without it, the methods raise BadText for them."""
        self._data = source.data
        self._errors = "replace" if replace else "strict"
        self._starts = [_ChunkStart(len(_BOM) if source.data.startswith(_BOM) else 0, 0, 1, 1)]
        self._last: tuple[int, str] = (-1, "")

    def chunk(self, number: int) -> str:
        """Returns the text of one chunk, or "" after the last one. Raises BadText."""
        if self._last[0] == number:
            return self._last[1]
        while len(self._starts) <= number:
            if not self.chunk(len(self._starts) - 1):
                return ""
        text = self._decode(self._starts[number])
        self._last = (number, text)
        if text and len(self._starts) == number + 1:
            self._starts.append(_after(self._starts[number], text, self._end_of(self._starts[number])))
        return text

    def chunks(self, first: int = 0) -> Iterator[str]:
        """Yields the chunks from number `first` on. Raises BadText."""
        while text := self.chunk(first):
            yield text
            first += 1

    def chunk_at(self, offset: int) -> tuple[int, int]:
        """Returns the number of the chunk that contains `offset`, and the offset of its start. Raises BadText."""
        while self._starts[-1].offset <= offset and self.chunk(len(self._starts) - 1):
            pass
        number = bisect_right(self._starts, offset, key=lambda begin: begin.offset) - 1
        return number, self._starts[number].offset

    def slice(self, start: int, end: int) -> str:
        """Returns the characters from `start` to `end`, or fewer if the text ends before. Raises BadText."""
        number, base = self.chunk_at(start)
        text = ""
        for more in self.chunks(number):
            text += more
            if base + len(text) >= end:
                break
        return text[start - base : end - base]

    def place(self, offset: int) -> SourcePosition:
        """Returns the place of the character at `offset`. The bytes before it must be UTF-8."""
        number = bisect_right(self._starts, offset, key=lambda begin: begin.offset) - 1
        begin = self._starts[number]
        try:
            text = self.chunk(number)
        except BadText:
            text = self._valid_part(begin)
        return _after(begin, text[: offset - begin.offset], 0).place

    def offset_of(self, place: SourcePosition) -> int:
        """Returns the offset of the character at `place`. Raises BadText."""
        while self._starts[-1].place <= place and self.chunk(len(self._starts) - 1):
            pass
        number = bisect_right(self._starts, place, key=lambda begin: begin.place) - 1
        begin, text, line_start = self._starts[number], self.chunk(number), 0
        for _ in range(place.line - begin.line):
            line_start = text.find("\n", line_start) + 1
        return begin.offset + line_start + place.column - (begin.column if place.line == begin.line else 1)

    def _end_of(self, begin: _ChunkStart) -> int:
        """Returns the byte at which the chunk ends, moved back to the start of a character."""
        end = min(begin.byte + CHUNK_BYTES, len(self._data))
        for back in range(_LONGEST_CHARACTER):
            if end - back == len(self._data) or self._data[end - back] & 0xC0 != 0x80:
                return end - back
        return end

    def _decode(self, begin: _ChunkStart) -> str:
        try:
            return self._data[begin.byte : self._end_of(begin)].decode(errors=self._errors)
        except UnicodeDecodeError as ex:
            offset = begin.offset + len(self._valid_part(begin))
            raise BadText(f"the byte 0x{ex.object[ex.start]:02x} is not UTF-8", offset) from None

    def _valid_part(self, begin: _ChunkStart) -> str:
        """Returns the text of a chunk before the first byte that is not UTF-8."""
        data = self._data[begin.byte : self._end_of(begin)]
        try:
            return data.decode()
        except UnicodeDecodeError as ex:
            return data[: ex.start].decode()


def _after(begin: _ChunkStart, text: str, byte: int) -> _ChunkStart:
    """Returns the start of the chunk after `text`, which starts at `begin`; `byte` is its first byte."""
    lines = text.count("\n")
    column = len(text) - text.rfind("\n") if lines else begin.column + len(text)
    return _ChunkStart(byte, begin.offset + len(text), begin.line + lines, column)
