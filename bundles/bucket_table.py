"""Bucket tables: facts by exact key, looked up in place, each bucket checked on first touch.

    section  salt, buckets, entries, then a directory of offsets (one for each bucket, one for the end), then buckets
    bucket   CRC-32, then entries: key size, value size, key, value

A bucket's checksum is seeded with the salt, the number of buckets and its own number, so it also tells that the
bucket is the one that was looked for.

The hash only chooses the bucket; the key inside is compared whole, since a crafted collision must not grant. An empty
bucket has a checksum too, so a damaged directory can't make a fact disappear.
"""

import struct
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from mmap import mmap
from typing import TypeAlias

from bundles.errors import BundleError
from bundles.file_format import Section
from bundles.section_writer import SectionWriter, write_directory

MAX_BUCKET_ENTRIES = 24
"""With at most two entries a bucket on average, a larger bucket than this is a chosen collision."""

MAX_SALTS = 1_000
_HEAD = struct.Struct("<QQQ")
_BOUNDS = struct.Struct("<QQ")
_SIZES = struct.Struct("<II")
_CHECKSUM = struct.Struct("<I")

_CHECKSUM_SIZE, _SIZES_SIZE = _CHECKSUM.size, _SIZES.size
_number, _bounds, _sizes = int.from_bytes, _BOUNDS.unpack_from, _SIZES.unpack_from

Entry: TypeAlias = tuple[bytes, bytes]
Hasher: TypeAlias = Callable[[], blake2b]


def hasher_of(salt: int) -> Hasher:
    """A keyed hash, so that colliding keys can't be made without grinding for one salt.

    PERF: a prepared state is copied and fed; preparing it anew costs twice as much.
    """
    return blake2b(digest_size=8, salt=salt.to_bytes(8, "little")).copy


def bucket_of(key: bytes, hasher: Hasher, mask: int) -> int:
    """The bucket of `key`."""
    state = hasher()
    state.update(key)
    return _number(state.digest(), "little") & mask


def write_table(out: SectionWriter, entries: Sequence[Entry], tick: Callable[[int], None] = lambda _: None) -> None:
    """Write `entries` (distinct keys, any order) as the section that is open; `tick` hears of every entry written.

    Raises ValueError for a key given twice.
    """
    buckets = 1
    while buckets * 2 < len(entries):
        buckets *= 2
    salt, homes = _choose_salt([key for key, _ in entries], buckets)
    order = sorted(range(len(entries)), key=lambda i: (homes[i], entries[i][0]))
    sizes = [_CHECKSUM.size] * buckets
    for i in order:
        sizes[homes[i]] += _SIZES.size + len(entries[i][0]) + len(entries[i][1])
    write_directory(out, (salt, buckets, len(entries)), sizes)
    for number, body, count in _bodies(entries, homes, order, buckets):
        out.write(_CHECKSUM.pack(_checksum(body, salt, buckets, number)) + body)
        tick(count)


def _choose_salt(keys: Sequence[bytes], buckets: int) -> tuple[int, list[int]]:
    """The first salt whose largest bucket is small enough, and the bucket of every key under it."""
    if len(set(keys)) != len(keys):
        raise ValueError("a key stands twice in a table")
    for salt in range(MAX_SALTS):
        hasher = hasher_of(salt)
        homes = [bucket_of(key, hasher, buckets - 1) for key in keys]
        if not homes or max(Counter(homes).values()) <= MAX_BUCKET_ENTRIES:
            return salt, homes
    raise ValueError(f"no salt below {MAX_SALTS} spreads the keys")


def _checksum(body: bytes, salt: int, buckets: int, number: int) -> int:
    return zlib.crc32(body, zlib.crc32(_HEAD.pack(salt, buckets, number)))


def _bodies(
    entries: Sequence[Entry], homes: Sequence[int], order: Sequence[int], buckets: int
) -> Iterator[tuple[int, bytes, int]]:
    place = 0
    for number in range(buckets):
        parts: list[bytes] = []
        while place < len(order) and homes[order[place]] == number:
            key, value = entries[order[place]]
            parts += (_SIZES.pack(len(key), len(value)), key, value)
            place += 1
        yield number, b"".join(parts), len(parts) // 3


class BucketTable:
    """A table in a mapped file. Thread-safe: what is remembered is only that a bucket was checked."""

    __slots__ = ("_base", "_checked", "_data", "_directory", "_end", "_hasher", "_mask", "_name", "entries", "salt")

    def __init__(self, data: mmap, name: str, section: Section):
        """Raises BundleError where the section can't be a table."""
        self._data, self._name = data, name
        if section.size < _HEAD.size + _BOUNDS.size:
            raise BundleError(f"the bundle is damaged: section `{name}` is too small for a table")
        self.salt, buckets, self.entries = _HEAD.unpack_from(data, section.offset)
        if buckets & (buckets - 1) or not buckets or buckets * 8 > section.size:
            raise BundleError(f"the bundle is damaged: section `{name}` claims {buckets} buckets")
        self._hasher, self._mask = hasher_of(self.salt), buckets - 1
        self._base, self._end = section.offset, section.offset + section.size
        self._directory = section.offset + _HEAD.size
        self._checked = bytearray(buckets)

    def get(self, key: bytes) -> bytes | None:
        """The value of `key`, None where there is none. Raises BundleError for a damaged bucket."""
        data = self._data
        state = self._hasher()
        state.update(key)
        bucket = _number(state.digest(), "little") & self._mask
        low, high = _bounds(data, self._directory + 8 * bucket)
        if not self._checked[bucket]:
            self._check(bucket, low, high)
        place, high, size = self._base + low + _CHECKSUM_SIZE, self._base + high, len(key)
        while place < high:
            key_size, value_size = _sizes(data, place)
            start = place + _SIZES_SIZE
            place = start + key_size + value_size
            if key_size == size and data[start : start + size] == key:
                return data[start + size : place]
        return None

    def items(self) -> Iterator[Entry]:
        """Every entry, in the table's order. Raises BundleError for a damaged bucket."""
        for bucket in range(self._mask + 1):
            low, high = _bounds(self._data, self._directory + 8 * bucket)
            self._check(bucket, low, high)
            place, high = self._base + low + _CHECKSUM.size, self._base + high
            while place < high:
                key_size, value_size = _sizes(self._data, place)
                middle = place + _SIZES_SIZE + key_size
                yield self._data[place + _SIZES_SIZE : middle], self._data[middle : middle + value_size]
                place = middle + value_size

    def _check(self, bucket: int, low: int, high: int) -> None:
        start, end = self._base + low, self._base + high
        if start + _CHECKSUM.size > end or end > self._end:
            raise BundleError(f"the bundle is damaged: bucket {bucket} of `{self._name}` lies outside its section")
        (checksum,) = _CHECKSUM.unpack_from(self._data, start)
        body = self._data[start + _CHECKSUM.size : end]
        if _checksum(body, self.salt, self._mask + 1, bucket) != checksum:
            raise BundleError(
                f"the bundle is damaged: the checksum of bucket {bucket} of `{self._name}` does not match"
            )
        self._checked[bucket] = 1
