"""Record lists: numbered records, read in place, each checked when it is read.

section  number of records, then an offset for each and one for the end, then the records
record   CRC-32 seeded with the record's number, then its bytes
"""

import struct
import zlib
from collections.abc import Sequence
from mmap import mmap

from ..errors import BundleError
from .bucket_directory import Directory, write_directory
from .format import Section
from .section_writer import SectionWriter

_CHECKSUM = struct.Struct("<I")


def write_records(out: SectionWriter, records: Sequence[bytes]) -> None:
    """Write `records` as the section that is open."""
    write_directory(out, (len(records),), (_CHECKSUM.size + len(record) for record in records))
    for number, record in enumerate(records):
        out.write(_CHECKSUM.pack(zlib.crc32(record, number)) + record)


class RecordList:
    """A list of records in a mapped file."""

    __slots__ = ("_count", "_data", "_directory", "_name")

    def __init__(self, data: mmap, name: str, section: Section):
        """Raises BundleError where the section can't be a list of records."""
        self._data, self._name = data, name
        self._directory = Directory(data, name, section, leading=1, count_at=0)
        (self._count,) = self._directory.leading

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> bytes:
        """The record of that number. Raises BundleError where it is damaged or there is none."""
        if not 0 <= number < self._count:
            raise BundleError(f"the bundle is damaged: `{self._name}` has no record {number}")
        start, end = self._directory.bounds(number, least=_CHECKSUM.size)
        (checksum,) = _CHECKSUM.unpack_from(self._data, start)
        record = self._data[start + _CHECKSUM.size : end]
        if zlib.crc32(record, number) != checksum:
            raise BundleError(
                f"the bundle is damaged: the checksum of record {number} of `{self._name}` does not match"
            )
        return record
