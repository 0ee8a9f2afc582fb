"""The offsets at the start of a section with many items: leading numbers, and then the offset of each item.

The last offset is the end of the last item. All offsets count from the start of the section.
"""

import struct
from collections.abc import Iterable
from mmap import mmap

from ..errors import BundleError
from .header import Extent

_BOUNDS = struct.Struct("<QQ")
_NUMBER_SIZE = 8


def encode_offsets(leading: Iterable[int], sizes: Iterable[int]) -> bytes:
    """Returns the leading numbers and the offsets of items of these sizes, which follow."""
    numbers, item_sizes = list(leading), list(sizes)
    offset = _NUMBER_SIZE * (len(numbers) + len(item_sizes) + 1)
    for size in item_sizes:
        numbers.append(offset)
        offset += size
    numbers.append(offset)
    return struct.pack(f"<{len(numbers)}Q", *numbers)


class Offsets:
    """The offsets of one section in a mapped file.

    Nothing in the file is trusted: each item must be after the offsets, inside the section, and end after it starts.
    `leading` are the leading numbers. `start` is the place in the file where the offsets begin.
    """

    __slots__ = ("_data", "_end", "_first", "_name", "_section_start", "leading", "start")

    def __init__(self, data: mmap, name: str, extent: Extent, leading: int, count_at: int):
        """Reads `leading` leading numbers. The one at index `count_at` is the number of items.

        Raises BundleError if the section is too small for its offsets, or its items do not fill it.
        """
        self._data, self._name = data, name
        self._section_start, self._end = extent.offset, extent.offset + extent.size
        if extent.size < _NUMBER_SIZE * (leading + 1):
            raise BundleError(f"the bundle is damaged: section `{name}` is too small")
        self.leading: tuple[int, ...] = struct.unpack_from(f"<{leading}Q", data, extent.offset)
        count = self.leading[count_at]
        size = _NUMBER_SIZE * (leading + count + 1)
        if size > extent.size:
            raise BundleError(f"the bundle is damaged: section `{name}` claims {count} items")
        self._first = self._section_start + size
        self.start = self._section_start + _NUMBER_SIZE * leading
        if self._offset(0) != size or self._offset(count) != extent.size:
            raise BundleError(f"the bundle is damaged: the items of section `{name}` do not fill it")

    def _offset(self, number: int) -> int:
        place = self.start + _NUMBER_SIZE * number
        return int.from_bytes(self._data[place : place + _NUMBER_SIZE], "little")

    def bounds(self, number: int, least: int) -> tuple[int, int]:
        """Returns the start and the end of an item in the file. `number` is below the number of items.

        Raises BundleError if the item is outside its section or has fewer than `least` bytes.
        """
        low, high = _BOUNDS.unpack_from(self._data, self.start + _NUMBER_SIZE * number)
        start, end = self._section_start + low, self._section_start + high
        if start < self._first or start + least > end or end > self._end:
            raise BundleError(f"the bundle is damaged: item {number} of `{self._name}` is outside its section")
        return start, end
