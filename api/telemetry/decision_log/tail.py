"""Reads back the newest records of a decision log that is a file."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

MOST_TAIL_BYTES: Final = 8 * 2**20
"""The bytes that are read from the end of the file. What came before is not read back."""


def newest_lines(path: Path, most_bytes: int = MOST_TAIL_BYTES) -> Iterator[bytes]:
    """Yields the whole lines at the end of a file, the last one first.

    A last line without its end is being written, and is left out. So is a first line whose beginning is out of reach.
    A file that another program has moved away has none. Raises OSError.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return
    try:
        found = os.fstat(handle)
        size = found.st_size if stat.S_ISREG(found.st_mode) else 0  # a device gives nothing back
        data = _read(handle, max(0, size - most_bytes), size)
    finally:
        os.close(handle)
    begin = data.find(b"\n") + 1 if size > most_bytes else 0
    end = data.rfind(b"\n")
    while end >= begin:
        previous = data.rfind(b"\n", begin, end)
        start = begin if previous < 0 else previous + 1
        yield data[start:end]
        end = previous if previous >= 0 else -1


def _read(handle: int, start: int, end: int) -> bytes:
    pieces: list[bytes] = []
    while start < end and (piece := os.pread(handle, end - start, start)):
        pieces.append(piece)
        start += len(piece)
    return b"".join(pieces)
