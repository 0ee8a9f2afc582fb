"""Sources: the bytes of a document under its name, decoded piece by piece, and the places in them."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from .limits import MIB

CHUNK_BYTES = MIB
"""At least as many as the longest character has."""

_BOM = b"\xef\xbb\xbf"
_LONGEST_CHARACTER = 4


@dataclass(frozen=True, slots=True)
class Source:
    """A document as it was found: the name that diagnostics show and its bytes."""

    name: str
    data: bytes


class Place(NamedTuple):
    """A place in a text: `line` and `column` count from 1, in characters."""

    line: int
    column: int


class Span(NamedTuple):
    """A part of a text: `offset` counts characters from 0, `length` is what a rendering underlines."""

    offset: int
    length: int


class BadText(ValueError):
    """A source is not UTF-8; the message is one sentence, `offset` counts the characters before the bad byte."""

    def __init__(self, message: str, offset: int):
        super().__init__(message)
        self.offset = offset


class _Mark(NamedTuple):
    """Where a chunk starts: its byte, the characters before it, and its place."""

    byte: int
    offset: int
    line: int
    column: int

    @property
    def place(self) -> Place:
        return Place(self.line, self.column)


class SourceText:
    """The text of a source, a chunk of about 1 MiB at a time: a large document is never decoded as a whole.

    A byte order mark is skipped. Lines end at U+000A. What is no UTF-8 raises BadText, or is replaced for a reader who
    only wants to see it.
    """

    def __init__(self, source: Source, replace: bool = False):
        self._data = source.data
        self._errors = "replace" if replace else "strict"
        self._marks = [_Mark(len(_BOM) if source.data.startswith(_BOM) else 0, 0, 1, 1)]
        self._last: tuple[int, str] = (-1, "")

    def chunk(self, number: int) -> str:
        """The text of one chunk, empty behind the last. Raises BadText."""
        if self._last[0] == number:
            return self._last[1]
        while len(self._marks) <= number:
            if not self.chunk(len(self._marks) - 1):
                return ""
        text = self._decode(self._marks[number])
        self._last = (number, text)
        if text and len(self._marks) == number + 1:
            self._marks.append(_after(self._marks[number], text, self._end_of(self._marks[number])))
        return text

    def chunks(self, first: int = 0) -> Iterator[str]:
        """The chunks from `first` on. Raises BadText."""
        while text := self.chunk(first):
            yield text
            first += 1

    def chunk_at(self, offset: int) -> tuple[int, int]:
        """The number of the chunk that holds `offset`, and the offset at which that chunk starts. Raises BadText."""
        while self._marks[-1].offset <= offset and self.chunk(len(self._marks) - 1):
            pass
        number = bisect_right(self._marks, offset, key=lambda mark: mark.offset) - 1
        return number, self._marks[number].offset

    def slice(self, start: int, end: int) -> str:
        """The characters from `start` to `end`, fewer at the end of the text. Raises BadText."""
        number, base = self.chunk_at(start)
        text = ""
        for more in self.chunks(number):
            text += more
            if base + len(text) >= end:
                break
        return text[start - base : end - base]

    def place(self, offset: int) -> Place:
        """Line and column of a character. What stands before it is known to be UTF-8."""
        number = bisect_right(self._marks, offset, key=lambda mark: mark.offset) - 1
        mark = self._marks[number]
        try:
            text = self.chunk(number)
        except BadText:
            text = self._good_part(mark)
        return _after(mark, text[: offset - mark.offset], 0).place

    def offset_of(self, place: Place) -> int:
        """The offset of the character at `place`. Raises BadText."""
        while self._marks[-1].place <= place and self.chunk(len(self._marks) - 1):
            pass
        number = bisect_right(self._marks, place, key=lambda mark: mark.place) - 1
        mark, text, start = self._marks[number], self.chunk(number), 0
        for _ in range(place.line - mark.line):
            start = text.find("\n", start) + 1
        return mark.offset + start + place.column - (mark.column if place.line == mark.line else 1)

    def _end_of(self, mark: _Mark) -> int:
        """The byte behind the chunk at `mark`, moved back to where a character starts."""
        end = min(mark.byte + CHUNK_BYTES, len(self._data))
        for back in range(_LONGEST_CHARACTER):
            if end - back == len(self._data) or self._data[end - back] & 0xC0 != 0x80:
                return end - back
        return end

    def _decode(self, mark: _Mark) -> str:
        try:
            return self._data[mark.byte : self._end_of(mark)].decode(errors=self._errors)
        except UnicodeDecodeError as ex:
            offset = mark.offset + len(self._good_part(mark))
            raise BadText(f"the byte 0x{ex.object[ex.start]:02x} is not UTF-8", offset) from None

    def _good_part(self, mark: _Mark) -> str:
        data = self._data[mark.byte : self._end_of(mark)]
        try:
            return data.decode()
        except UnicodeDecodeError as ex:
            return data[: ex.start].decode()


def _after(mark: _Mark, text: str, byte: int) -> _Mark:
    """The mark behind `text`, which starts at `mark`."""
    lines = text.count("\n")
    column = len(text) - text.rfind("\n") if lines else mark.column + len(text)
    return _Mark(byte, mark.offset + len(text), mark.line + lines, column)
