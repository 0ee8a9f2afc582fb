"""The directory in front of a section's items: some leading numbers, then the offset of each item and of the end."""

import struct
from collections.abc import Iterable
from mmap import mmap

from ..errors import BundleError
from .format import Section
from .section_writer import SectionWriter

_BOUNDS = struct.Struct("<QQ")
_NUMBER_SIZE = 8


def write_directory(out: SectionWriter, leading: Iterable[int], sizes: Iterable[int]) -> None:
    """Write the directory of items of such sizes, which follow; offsets count from the section's start."""
    numbers, lengths = list(leading), list(sizes)
    place = _NUMBER_SIZE * (len(numbers) + len(lengths) + 1)
    for length in lengths:
        numbers.append(place)
        place += length
    numbers.append(place)
    out.write(struct.pack(f"<{len(numbers)}Q", *numbers))


class Directory:
    """A directory in a mapped file. Nothing in it is believed: items lie behind it, in order, and inside the section.

    `leading` are the leading numbers, `offsets` is where in the file the offsets begin.
    """

    __slots__ = ("_base", "_data", "_end", "_first", "_name", "leading", "offsets")

    def __init__(self, data: mmap, name: str, section: Section, leading: int, count_at: int):
        """The directory with `leading` leading numbers, of which the one at `count_at` is the number of items.

        Raises BundleError where the section can't begin with one.
        """
        self._data, self._name = data, name
        self._base, self._end = section.offset, section.offset + section.size
        if section.size < _NUMBER_SIZE * (leading + 1):
            raise BundleError(f"the bundle is damaged: section `{name}` is too small")
        self.leading: tuple[int, ...] = struct.unpack_from(f"<{leading}Q", data, section.offset)
        count = self.leading[count_at]
        size = _NUMBER_SIZE * (leading + count + 1)
        if size > section.size:
            raise BundleError(f"the bundle is damaged: section `{name}` claims {count} items")
        self._first = self._base + size
        self.offsets = self._base + _NUMBER_SIZE * leading
        if self._offset(0) != size or self._offset(count) != section.size:
            raise BundleError(f"the bundle is damaged: the items of section `{name}` do not fill it")

    def _offset(self, number: int) -> int:
        place = self.offsets + _NUMBER_SIZE * number
        return int.from_bytes(self._data[place : place + _NUMBER_SIZE], "little")

    def bounds(self, number: int, least: int) -> tuple[int, int]:
        """Start and end of an item in the file; `number` is below the number of items.

        Raises BundleError where it lies outside its section or has fewer than `least` bytes.
        """
        low, high = _BOUNDS.unpack_from(self._data, self.offsets + _NUMBER_SIZE * number)
        start, end = self._base + low, self._base + high
        if start < self._first or start + least > end or end > self._end:
            raise BundleError(f"the bundle is damaged: item {number} of `{self._name}` lies outside its section")
        return start, end
