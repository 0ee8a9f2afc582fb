"""Record lists: numbered records, read in place, each checked when it is read.

section  number of records, then an offset for each and one for the end, then the records
record   CRC-32 seeded with the record's number, then its bytes
"""

import struct
import zlib
from collections.abc import Sequence
from mmap import mmap

from bundles.errors import BundleError
from bundles.file_format import Section
from bundles.section_writer import SectionWriter, write_directory

_COUNT = struct.Struct("<Q")
_BOUNDS = struct.Struct("<QQ")
_CHECKSUM = struct.Struct("<I")


def write_records(out: SectionWriter, records: Sequence[bytes]) -> None:
    """Write `records` as the section that is open."""
    write_directory(out, (len(records),), (_CHECKSUM.size + len(record) for record in records))
    for number, record in enumerate(records):
        out.write(_CHECKSUM.pack(zlib.crc32(record, number)) + record)


class RecordList:
    """A list of records in a mapped file."""

    __slots__ = ("_base", "_count", "_data", "_end", "_name")

    def __init__(self, data: mmap, name: str, section: Section):
        """Raises BundleError where the section can't be a list of records."""
        if section.size < _BOUNDS.size:
            raise BundleError(f"the bundle is damaged: section `{name}` is too small for a list")
        self._count: int
        (self._count,) = _COUNT.unpack_from(data, section.offset)
        if (self._count + 2) * 8 > section.size:
            raise BundleError(f"the bundle is damaged: section `{name}` claims {self._count} records")
        self._data, self._name = data, name
        self._base, self._end = section.offset, section.offset + section.size

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> bytes:
        """The record of that number. Raises BundleError where it is damaged or there is none."""
        if not 0 <= number < self._count:
            raise BundleError(f"the bundle is damaged: `{self._name}` has no record {number}")
        low, high = _BOUNDS.unpack_from(self._data, self._base + _COUNT.size + 8 * number)
        start, end = self._base + low, self._base + high
        if start + _CHECKSUM.size > end or end > self._end:
            raise BundleError(f"the bundle is damaged: record {number} of `{self._name}` lies outside its section")
        (checksum,) = _CHECKSUM.unpack_from(self._data, start)
        record = self._data[start + _CHECKSUM.size : end]
        if zlib.crc32(record, number) != checksum:
            raise BundleError(
                f"the bundle is damaged: the checksum of record {number} of `{self._name}` does not match"
            )
        return record
