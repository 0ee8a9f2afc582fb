"""Record lists find records by number, in place. The checksum of a record is compared each time it is read.

section  number of records, then an offset for each and one for the end, then the records
record   CRC-32 seeded with the record's number, then its bytes
"""

import struct
import zlib
from collections.abc import Iterator, Sequence
from mmap import mmap

from ..errors import BundleError
from .header import Extent
from .offsets import Offsets, encode_offsets

_CHECKSUM = struct.Struct("<I")


def encode_records(records: Sequence[bytes]) -> Iterator[bytes]:
    """Yields the bytes of a section with these records, piece by piece."""
    yield encode_offsets((len(records),), (_CHECKSUM.size + len(record) for record in records))
    for number, record in enumerate(records):
        yield _CHECKSUM.pack(zlib.crc32(record, number)) + record


class RecordList:
    """A list of records in a mapped file."""

    __slots__ = ("_count", "_data", "_name", "_offsets")

    def __init__(self, data: mmap, name: str, extent: Extent):
        """Raises BundleError if the section can't be a record list."""
        self._data, self._name = data, name
        self._offsets = Offsets(data, name, extent, leading=1, count_at=0)
        (self._count,) = self._offsets.leading

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> bytes:
        """Returns the record of a number. Raises BundleError if it is damaged or doesn't exist."""
        if not 0 <= number < self._count:
            raise BundleError(f"the bundle is damaged: `{self._name}` has no record {number}")
        start, end = self._offsets.bounds(number, least=_CHECKSUM.size)
        (checksum,) = _CHECKSUM.unpack_from(self._data, start)
        record = self._data[start + _CHECKSUM.size : end]
        if zlib.crc32(record, number) != checksum:
            raise BundleError(
                f"the bundle is damaged: the checksum of record {number} of `{self._name}` does not match"
            )
        return record

    def records(self) -> Iterator[bytes]:
        """Yields every record, in the order of their numbers. Raises BundleError for a damaged one."""
        return map(self.__getitem__, range(self._count))
