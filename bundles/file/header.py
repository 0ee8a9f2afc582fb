"""The header and the section table of a bundle file, and the version of its format.

    header         magic, format version, number of sections, size of the file, checksum of header and section table
    section table  for each section: name, offset, size, checksum
    sections       in the order of the section table, each at the next multiple of 8 bytes, with zeros between them

All numbers are little-endian. The file ends with the last section. The reader checks each size before it reads the
bytes.
"""

import re
import struct
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ..errors import BundleError
from ..formats import FIRST_FORMAT, check_format

MAGIC = b"WRIT\r\n\x1a\x00"
"""The first eight bytes. A copy in text mode, or with converted line ends, changes them."""

ALIGNMENT = 8
MAX_SECTIONS = 64
HEADER = struct.Struct("<8sIIQI4x")
TABLE_ROW = struct.Struct("<24sQQI4x")
_NAME = re.compile(rb"([a-z-]+)\0*")

Buffer: TypeAlias = "memoryview | bytes"


@dataclass(frozen=True, slots=True)
class Extent:
    """The extent of a section, in bytes from the start of the file, and the CRC-32 of its bytes."""

    offset: int
    size: int
    checksum: int


SectionTable: TypeAlias = Mapping[str, Extent]
"""The extents of a file's sections by name, in the order of the file."""

UPGRADES: tuple[Callable[[SectionTable], SectionTable], ...] = ()
"""The upgrades: each turns the section table of one format version into that of the next version."""

VERSION = FIRST_FORMAT + len(UPGRADES)


def encode_header(table: SectionTable, file_size: int) -> bytes:
    """Returns the header and the section table of a file of `file_size` bytes."""
    rows = b"".join(
        TABLE_ROW.pack(name.encode("ascii"), extent.offset, extent.size, extent.checksum)
        for name, extent in table.items()
    )
    checksum = zlib.crc32(rows, zlib.crc32(HEADER.pack(MAGIC, VERSION, len(table), file_size, 0)))
    return HEADER.pack(MAGIC, VERSION, len(table), file_size, checksum) + rows


def header_size(count: int) -> int:
    """Returns the size of the header and of a section table of `count` sections, in bytes."""
    return HEADER.size + count * TABLE_ROW.size


def decode_header(data: Buffer, file_size: int) -> SectionTable:
    """Returns the section table of a file of `file_size` bytes, upgraded to this version's.

    Raises BundleError for a foreign, newer, truncated or damaged file.
    """
    if len(data) < HEADER.size or bytes(data[: len(MAGIC)]) != MAGIC:
        raise BundleError(
            "this is not a Writ bundle: its first bytes are different; `writ compile` makes a bundle of a model"
        )
    magic, version, count, size, _ = HEADER.unpack_from(data)
    check_format("the bundle", version, VERSION)
    if size != file_size:
        raise BundleError(f"the bundle is truncated or padded: it says {size} bytes and has {file_size}")
    if count > MAX_SECTIONS or header_size(count) > file_size:
        raise BundleError(f"the bundle is damaged: it claims {count} sections")
    rows = bytes(data[HEADER.size : header_size(count)])
    expected = zlib.crc32(rows, zlib.crc32(HEADER.pack(magic, version, count, size, 0)))
    if bytes(data[: HEADER.size]) != HEADER.pack(magic, version, count, size, expected):
        raise BundleError("the bundle is damaged: the checksum of its header does not match")
    table = _decode_rows(data, rows, file_size)
    for upgrade in UPGRADES[version - FIRST_FORMAT :]:
        table = upgrade(table)
    return table


def _decode_rows(data: Buffer, rows: bytes, file_size: int) -> SectionTable:
    """Returns the section table.

    Each section must lie exactly where the writer puts it. So no section overlaps another, and no bytes hide between
    two sections.
    """
    table: dict[str, Extent] = {}
    end = HEADER.size + len(rows)
    for padded, offset, size, checksum in TABLE_ROW.iter_unpack(rows):
        name = _decode_name(padded)
        if name in table:
            raise BundleError(f"the bundle is damaged: it has two sections `{name}`")
        if offset != end + -end % ALIGNMENT or offset + size > file_size or any(data[end:offset]):
            raise BundleError(f"the bundle is damaged: section `{name}` is not in its place in the file")
        table[name] = Extent(offset, size, checksum)
        end = offset + size
    if end != file_size:
        raise BundleError("the bundle is damaged: there are bytes after its last section")
    return table


def _decode_name(padded: bytes) -> str:
    found = _NAME.fullmatch(padded)
    if found is None:
        raise BundleError("the bundle is damaged: a section has no name")
    return found[1].decode()


def check_section(data: Buffer, name: str, extent: Extent) -> None:
    """Raises BundleError if the bytes of a section do not match its checksum."""
    if zlib.crc32(data[extent.offset : extent.offset + extent.size]) != extent.checksum:
        raise BundleError(f"the bundle is damaged: the checksum of section `{name}` does not match")
