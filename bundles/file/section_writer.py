"""Writes sections one after the other to a file, keeping their places and checksums for the header."""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from .format import ALIGNMENT, Section, encode_header, header_size


class SectionWriter:
    """A bundle file being written. The header comes last, so an unfinished file is no bundle."""

    def __init__(self, file: BinaryIO, count: int):
        """`file` is empty, seekable and writable; `count` sections will be written."""
        self._file = file
        self._count = count
        self._sections: dict[str, Section] = {}
        self._checksum = 0
        self._place = header_size(count)
        file.write(bytes(self._place))

    def write(self, data: bytes) -> None:
        """Append to the section that is open."""
        self._file.write(data)
        self._checksum = zlib.crc32(data, self._checksum)
        self._place += len(data)

    @contextmanager
    def section(self, name: str) -> Iterator[None]:
        """Open a section; it starts aligned and ends with the block."""
        padding = -self._place % ALIGNMENT
        self._file.write(bytes(padding))
        self._place += padding
        start, self._checksum = self._place, 0
        yield
        self._sections[name] = Section(start, self._place - start, self._checksum)

    def finish(self) -> None:
        """Write the header; the file is complete now."""
        if len(self._sections) != self._count:
            raise ValueError(f"{len(self._sections)} sections written, {self._count} announced")
        self._file.seek(0)
        self._file.write(encode_header(self._sections, self._place))
