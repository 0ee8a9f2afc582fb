"""Reads a stream line by line in constant memory, piece by piece as it arrives."""

from collections.abc import Iterator
from typing import Protocol


class Readable(Protocol):
    """A raw binary stream. Its `read` returns the bytes that have arrived."""

    def read(self, size: int, /) -> bytes | None: ...


class TooLong:
    """Takes the place of a line that was longer than the limit. Its bytes are gone."""


PIECE = 1024 * 1024
"""Bytes asked for at a time."""

LINE_TOO_LONG = TooLong()


def read_lines(stream: Readable, limit: int) -> Iterator[list[bytes | TooLong]]:
    """Yields the lines of `stream` without their ends, in lists of lines that arrived together.

    The caller can answer the lines of one list before it asks for the next. A program that writes to one pipe and
    reads from another may wait for these answers. The last line needs no line end.

    >>> import io
    >>> list(read_lines(io.BytesIO(b"a\\nb"), limit=10))
    [[b'a'], [b'b']]
    """
    rest, skipping = b"", False
    while piece := stream.read(PIECE):
        *lines, rest = (rest + piece).split(b"\n")
        found: list[bytes | TooLong] = [LINE_TOO_LONG if len(line) > limit else line for line in lines]
        if skipping and found:
            found[0], skipping = LINE_TOO_LONG, False
        if len(rest) > limit:
            rest, skipping = b"", True
        if found:
            yield found
    if rest or skipping:
        yield [LINE_TOO_LONG if skipping else rest]
