"""Bundles as a hostile author makes them: every checksum is right, only what they vouch for is not."""

import struct
import zlib
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from writ.bundles.file.format import Section, Sections, encode_header
from writ.bundles.file.reader import LISTS, TABLES
from writ.bundles.file.section_contents import SectionContents

from tests.support.bundling import Document, bundle_file

Change = Callable[[list[Any]], list[Any]]
"""Makes other records of those of a list, or other entries of those of a table."""

Contents = Callable[[SectionContents], dict[str, Callable[[], Iterable[Any]]]]


def crafted(document: Document, path: Path, changes: dict[str, Change]) -> Path:
    """The bundle of a document in which the contents of some sections were changed before they were written."""

    def changing(contents: Contents) -> Contents:
        def changed(self: SectionContents) -> dict[str, Callable[[], Iterable[Any]]]:
            found = contents(self)
            return found | {
                name: partial(_changed, found[name], change) for name, change in changes.items() if name in found
            }

        return changed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SectionContents, "lists", changing(SectionContents.lists))
        patch.setattr(SectionContents, "tables", changing(SectionContents.tables))
        return bundle_file(document, path)


def _changed(contents: Callable[[], Iterable[Any]], change: Change) -> list[Any]:
    return change(list(contents()))


def resealed(content: bytes, sections: Sections) -> bytes:
    """A changed bundle file with every checksum made right again, as far as its directories lead to them."""
    data = bytearray(content)
    for name, section in sections.items():
        if name in LISTS:
            _reseal_items(data, section, leading=1, count_at=0, seed=lambda _, number: number)
        elif name in TABLES:
            _reseal_items(data, section, leading=3, count_at=1, seed=_bucket_seed)
    found = {
        name: Section(one.offset, one.size, zlib.crc32(data[one.offset : one.offset + one.size]))
        for name, one in sections.items()
    }
    header = encode_header(found, len(data))
    data[: len(header)] = header
    return bytes(data)


def _bucket_seed(leading: tuple[int, ...], number: int) -> int:
    return zlib.crc32(struct.pack("<QQQ", leading[0], leading[1], number))


def _reseal_items(data: bytearray, section: Section, leading: int, count_at: int, seed: Callable[..., int]) -> None:
    numbers = struct.unpack_from(f"<{leading}Q", data, section.offset)
    count = numbers[count_at]
    if 8 * (leading + count + 1) > section.size:
        return
    for number in range(count):
        low, high = struct.unpack_from("<QQ", data, section.offset + 8 * (leading + number))
        if low + 4 <= high <= section.size:
            start, end = section.offset + low, section.offset + high
            checksum = zlib.crc32(data[start + 4 : end], seed(numbers, number))
            struct.pack_into("<I", data, start, checksum)
