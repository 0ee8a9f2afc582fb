"""Reads a stream line by line in constant memory, in the pieces in which it arrives."""

from collections.abc import Iterator
from typing import Protocol


class Readable(Protocol):
    """A raw binary stream, whose `read` gives what has arrived so far."""

    def read(self, size: int, /) -> bytes | None: ...


class TooLong:
    """Stands for a line that was longer than the limit; its bytes are gone."""


PIECE = 1024 * 1024
"""Bytes asked for at a time."""

LINE_TOO_LONG = TooLong()


def read_lines(stream: Readable, limit: int) -> Iterator[list[bytes | TooLong]]:
    """The lines of `stream` without their ends, as lists of those that arrived together.

    A list at a time, so that whoever answers them can send the answers of one piece on before asking for the next: a
    program at the other end of two pipes may wait for them. A last line needs no end.

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
