"""Bundles as a hostile author makes them: every checksum is right, only what they vouch for is not."""

import struct
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from writ.bundles.file.header import Extent, SectionTable, encode_header
from writ.bundles.file.section_contents import SectionContents
from writ.bundles.file.sections import SIGNATURE, Section, Shape

from tests.support.bundling import Document, bundle_file

Change = Callable[[list[Any]], list[Any]]
"""Makes other records of those of a list, or other entries of those of a table."""


def crafted(document: Document, path: Path, changes: Mapping[str, Change]) -> Path:
    """The bundle of a document in which the contents of some sections were changed before they were written."""
    contents = SectionContents.contents

    def changed(self: SectionContents, section: Section) -> Iterable[Any]:
        found = contents(self, section)
        return changes[section](list(found)) if section in changes else found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SectionContents, "contents", changed)
        return bundle_file(document, path)


def resealed(content: bytes, sections: SectionTable) -> bytes:
    """A changed bundle file with every checksum made right again, as far as its offsets lead to them."""
    data = bytearray(content)
    for name, extent in sections.items():
        match None if name == SIGNATURE else Section(name).shape:
            case Shape.RECORD_LIST:
                _reseal_items(data, extent, leading=1, count_at=0, seed=lambda _, number: number)
            case Shape.BUCKET_TABLE:
                _reseal_items(data, extent, leading=3, count_at=1, seed=_bucket_seed)
    found = {
        name: Extent(one.offset, one.size, zlib.crc32(data[one.offset : one.offset + one.size]))
        for name, one in sections.items()
    }
    header = encode_header(found, len(data))
    data[: len(header)] = header
    return bytes(data)


def _bucket_seed(leading: tuple[int, ...], number: int) -> int:
    return zlib.crc32(struct.pack("<QQQ", leading[0], leading[1], number))


def _reseal_items(data: bytearray, extent: Extent, leading: int, count_at: int, seed: Callable[..., int]) -> None:
    numbers = struct.unpack_from(f"<{leading}Q", data, extent.offset)
    count = numbers[count_at]
    if 8 * (leading + count + 1) > extent.size:
        return
    for number in range(count):
        low, high = struct.unpack_from("<QQ", data, extent.offset + 8 * (leading + number))
        if low + 4 <= high <= extent.size:
            start, end = extent.offset + low, extent.offset + high
            checksum = zlib.crc32(data[start + 4 : end], seed(numbers, number))
            struct.pack_into("<I", data, start, checksum)
