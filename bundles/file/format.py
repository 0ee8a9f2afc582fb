"""The outermost layer of a bundle file: header, section table, checksums, format version.

    header   magic, format version, number of sections, size of the file, checksum of header and table
    table    for each section: name, offset, size, checksum
    sections in the table's order, each at the next multiple of 8 bytes, with zeros between them; the last ends the file

All numbers are little-endian. Sizes are checked before anything behind them is read.
"""

import re
import struct
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ..errors import BundleError

MAGIC = b"WRIT\r\n\x1a\x00"
"""Eight bytes; a line-ending conversion or a text-mode copy breaks them visibly."""

ALIGNMENT = 8
MAX_SECTIONS = 64
HEADER = struct.Struct("<8sIIQI4x")
ENTRY = struct.Struct("<24sQQI4x")
_NAME = re.compile(rb"([a-z-]+)\0*")

Buffer: TypeAlias = "memoryview | bytes"


@dataclass(frozen=True, slots=True)
class Section:
    """Where a section lies, in bytes from the start of the file, and the CRC-32 of its bytes."""

    offset: int
    size: int
    checksum: int


Sections: TypeAlias = Mapping[str, Section]

UPGRADES: tuple[Callable[[Sections], Sections], ...] = ()
"""One function for each step from a format version to the next."""

VERSION = len(UPGRADES)


def encode_header(sections: Sections, size: int) -> bytes:
    """Header and section table of a file of `size` bytes, in the table's order."""
    table = b"".join(
        ENTRY.pack(name.encode("ascii"), section.offset, section.size, section.checksum)
        for name, section in sections.items()
    )
    checksum = zlib.crc32(table, zlib.crc32(HEADER.pack(MAGIC, VERSION, len(sections), size, 0)))
    return HEADER.pack(MAGIC, VERSION, len(sections), size, checksum) + table


def header_size(count: int) -> int:
    """Bytes that header and table of `count` sections take."""
    return HEADER.size + count * ENTRY.size


def decode_header(data: Buffer, file_size: int) -> Sections:
    """The section table of a file of `file_size` bytes, upgraded to this version's.

    Raises BundleError for a foreign, newer, truncated or damaged file.
    """
    if len(data) < HEADER.size or bytes(data[: len(MAGIC)]) != MAGIC:
        raise BundleError("this is not a Writ bundle: it does not start like one")
    magic, version, count, size, _ = HEADER.unpack_from(data)
    if version > VERSION:
        raise BundleError(f"the bundle has format {version}, newer than this Writ, which reads up to {VERSION}")
    if size != file_size:
        raise BundleError(f"the bundle is truncated or padded: it says {size} bytes and has {file_size}")
    if count > MAX_SECTIONS or header_size(count) > file_size:
        raise BundleError(f"the bundle is damaged: it claims {count} sections")
    table = bytes(data[HEADER.size : header_size(count)])
    wanted = zlib.crc32(table, zlib.crc32(HEADER.pack(magic, version, count, size, 0)))
    if bytes(data[: HEADER.size]) != HEADER.pack(magic, version, count, size, wanted):
        raise BundleError("the bundle is damaged: the checksum of its header does not match")
    sections = _sections(data, table, file_size)
    for upgrade in UPGRADES[version:]:
        sections = upgrade(sections)
    return sections


def _sections(data: Buffer, table: bytes, file_size: int) -> Sections:
    """The sections that a table lists. They lie where the writer puts them, so none hides in another or between two."""
    found: dict[str, Section] = {}
    end = HEADER.size + len(table)
    for padded, offset, size, checksum in ENTRY.iter_unpack(table):
        name = _name(padded)
        if name in found:
            raise BundleError(f"the bundle is damaged: it has two sections `{name}`")
        if offset != end + -end % ALIGNMENT or offset + size > file_size or any(data[end:offset]):
            raise BundleError(f"the bundle is damaged: section `{name}` lies outside its place in the file")
        found[name] = Section(offset, size, checksum)
        end = offset + size
    if end != file_size:
        raise BundleError("the bundle is damaged: something lies behind its last section")
    return found


def _name(padded: bytes) -> str:
    found = _NAME.fullmatch(padded)
    if found is None:
        raise BundleError("the bundle is damaged: a section has no name")
    return found[1].decode()


def check_section(data: Buffer, name: str, section: Section) -> None:
    """Raise BundleError where the bytes of `section` are not those that were written."""
    if zlib.crc32(data[section.offset : section.offset + section.size]) != section.checksum:
        raise BundleError(f"the bundle is damaged: the checksum of section `{name}` does not match")
