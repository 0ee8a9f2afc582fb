"""Sends a file, or the part that a `Range` header asks for, so that a broken download can go on (RFC 9110, 14)."""

import re
from pathlib import Path
from typing import Final, NamedTuple

PIECE: Final = 256 * 1024

_RANGE: Final = re.compile(r"bytes=(\d{1,18})?-(\d{1,18})?")


class ByteRange(NamedTuple):
    """The bytes of a file from `start` to before `end`."""

    start: int
    end: int


class Unsatisfiable(Exception):
    """The file has none of the bytes that the range asks for."""


def part_of(header: str | None, if_range: str | None, etag: str, size: int) -> ByteRange | None:
    """Returns the part that a request asks for, or None if it gets the whole file.

    `header` is `Range`; one with several parts, or that can't be read, has no effect. `if_range` is the tag of the file
    that the client has a part of: the range counts only for the same file. Raises Unsatisfiable.

    >>> part_of("bytes=2-", None, "a", 10), part_of("bytes=-3", '"a"', "a", 10), part_of("bytes=0-4", '"b"', "a", 10)
    (ByteRange(start=2, end=10), ByteRange(start=7, end=10), None)
    """
    found = None if header is None else _RANGE.fullmatch(header.strip())
    if found is None or if_range not in (None, f'"{etag}"') or found.groups() == (None, None):
        return None
    first, last = found[1], found[2]
    if first is None:
        start, end = max(0, size - int(last)), size
    else:
        start, end = int(first), size if last is None else min(int(last) + 1, size)
        if last is not None and int(last) < start:
            return None
    if start >= end:
        raise Unsatisfiable
    return ByteRange(start, end)


class FilePieces:
    """The bytes of a part of a file, piece by piece. The file may be removed meanwhile."""

    def __init__(self, path: Path, part: ByteRange) -> None:
        """Raises OSError."""
        self._file = path.open("rb", buffering=0)
        self._file.seek(part.start)
        self._left = part.end - part.start

    def __iter__(self) -> "FilePieces":
        """Returns itself."""
        return self

    def __next__(self) -> bytes:
        """Returns the next piece."""
        piece = self._file.read(min(PIECE, self._left))
        if not piece:
            raise StopIteration
        self._left -= len(piece)
        return piece

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


class DataPieces:
    """Bytes in memory, piece by piece, so that those who send the same bytes share them."""

    def __init__(self, data: bytes) -> None:
        self._data, self._sent = data, 0

    def __iter__(self) -> "DataPieces":
        """Returns itself."""
        return self

    def __next__(self) -> bytes:
        """Returns the next piece."""
        piece = self._data[self._sent : self._sent + PIECE]
        if not piece:
            raise StopIteration
        self._sent += len(piece)
        return piece

    def close(self) -> None:
        """Lets the bytes go."""
        self._data = b""
