"""Record lists give back what was written, by numbers that there are, and trust no offset."""

import mmap
import struct
import zlib

import pytest
from writ.bundles.errors import BundleError
from writ.bundles.file.header import Extent
from writ.bundles.file.record_list import RecordList, encode_records

RECORDS = [b"first", b"", b"third"]
HEAD = 8 * 5


@pytest.fixture
def content() -> bytes:
    """The bytes of a section with three records."""
    return b"".join(encode_records(RECORDS))


def opened(content: bytes) -> RecordList:
    data = mmap.mmap(-1, len(content))
    data.write(content)
    return RecordList(data, "list", Extent(0, len(content), 0))


def test_records_come_back(content):
    records = opened(content)
    assert [records[number] for number in range(len(records))] == RECORDS


@pytest.mark.parametrize("number", [-1, -3, 3, 2**70])
def test_a_number_that_there_is_none_of_is_an_error(content, number):
    """A negative one does not count from the end."""
    with pytest.raises(BundleError, match="has no record"):
        opened(content)[number]


@pytest.mark.parametrize(
    ("offset", "value"),
    [
        (0, HEAD - 8),
        (0, HEAD + 4),
        (1, 0),
        (1, 8),
        (1, HEAD + 3),
        (1, 2**64 - 1),
        (2, HEAD + 9 + 3),
        (3, HEAD + 9 + 4),
        (3, 2**63),
    ],
)
def test_an_offset_that_leads_elsewhere_is_an_error(content, offset, value):
    """Into the offsets, backwards, or out of the section, though a checksum may stand there that is right."""
    changed = bytearray(content)
    struct.pack_into("<Q", changed, 8 + 8 * offset, value)
    with pytest.raises(BundleError):
        _read_all(bytes(changed))


@pytest.mark.parametrize(
    ("number", "start", "end"),
    [(2, 16, HEAD + 22), (1, HEAD + 9, HEAD + 22 + 6), (1, HEAD + 9, HEAD + 12)],
    ids=["in the offsets", "behind the section", "too small for a checksum"],
)
def test_a_record_elsewhere_is_an_error_whatever_its_checksum_says(content, number, start, end):
    """Sealed as such, in a file that goes on behind the section: only its place tells."""
    changed = bytearray(content + b"behind")
    struct.pack_into("<Q", changed, 8 + 8 * number, start)
    if end != len(content):
        struct.pack_into("<Q", changed, 8 + 8 * (number + 1), end)
    struct.pack_into("<I", changed, start, zlib.crc32(changed[start + 4 : end], number))
    data = mmap.mmap(-1, len(changed))
    data.write(changed)
    with pytest.raises(BundleError, match="outside its section"):
        RecordList(data, "list", Extent(0, len(content), 0))[number]


@pytest.mark.parametrize("count", [4, 2**61, 2**64 - 1])
def test_more_records_than_there_is_room_for_are_an_error(content, count):
    with pytest.raises(BundleError):
        _read_all(count.to_bytes(8, "little") + content[8:])


@pytest.mark.parametrize("size", [0, 7, 8, 15, 16, 39])
def test_a_cut_section_is_an_error(content, size):
    with pytest.raises(BundleError):
        _read_all(content[:size] or b"\0")


def _read_all(content: bytes) -> None:
    records = opened(content)
    for number in range(len(records)):
        records[number]
