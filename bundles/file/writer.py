"""Writes a program and its facts as one bundle file: the same model gives the same bytes."""

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, BinaryIO, assert_never

from ..manifest import Manifest
from ..program.clauses import Program
from ..program.facts import Facts
from ..program.laws import check_program
from ..progress import Progress
from ..routing.routing import NO_ROUTING, Routing
from .bucket_table import encode_table
from .header import ALIGNMENT, Extent, encode_header, header_size
from .record_list import encode_records
from .section_contents import SectionContents
from .sections import Section, Shape


def write_bundle(
    file: BinaryIO,
    program: Program,
    facts: Facts,
    zones: Mapping[str, bytes],
    manifest: Manifest,
    progress: Progress = lambda *_: None,
    routing: Routing = NO_ROUTING,
) -> None:
    """Writes a bundle to `file`, which is empty and seekable. `manifest` lacks only the counts.

    `zones` are the TZif files of the time zones that clauses name. Raises IllegalProgram if the program breaks a law.
    """
    check_program(program)
    contents = SectionContents(program, facts, zones, manifest, routing)
    writer = _FileWriter(file)
    for section in Section:
        records = contents.contents(section)
        writer.write_section(section, _encoded(section, records, partial(progress, f"writing {section}")))
    writer.write_header()


def _encoded(section: Section, contents: Iterable[Any], progress: Callable[[int, int], None]) -> Iterator[bytes]:
    """Returns the bytes of a section, in pieces."""
    match section.shape:
        case Shape.BLOB:
            return iter(contents)
        case Shape.RECORD_LIST:
            return encode_records(list(contents))
        case Shape.BUCKET_TABLE:
            return encode_table(contents, progress)
        case _:
            assert_never(section.shape)


class _FileWriter:
    """An unfinished bundle file. The header is written last, so an unfinished file is not a bundle."""

    def __init__(self, file: BinaryIO):
        self._file = file
        self._table: dict[str, Extent] = {}
        self._end = header_size(len(Section))
        file.write(bytes(self._end))

    def write_section(self, name: str, pieces: Iterable[bytes]) -> None:
        padding = -self._end % ALIGNMENT
        self._file.write(bytes(padding))
        start = self._end = self._end + padding
        checksum = 0
        for piece in pieces:
            self._file.write(piece)
            checksum = zlib.crc32(piece, checksum)
            self._end += len(piece)
        self._table[name] = Extent(start, self._end - start, checksum)

    def write_header(self) -> None:
        self._file.seek(0)
        self._file.write(encode_header(self._table, self._end))
