"""Bucket tables find values by exact key, in place. The checksum of a bucket is compared on first access.

    section  salt, number of buckets, number of entries, an offset for each bucket and one for the end, the buckets
    bucket   CRC-32, then entries in the order of their keys: key size, value size, key, value

The checksum of a bucket is seeded with the salt, the number of buckets and the number of the bucket. So it also proves
that this is the right bucket.

The hash only chooses the bucket. The reader compares the whole key, because a crafted collision must not grant. An
empty bucket has a checksum too, so that damaged offsets can't hide a fact.
"""

import struct
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import pairwise
from mmap import mmap
from typing import TypeAlias

from ..errors import BundleError
from .header import Extent
from .offsets import Offsets, encode_offsets

MAX_BUCKET_ENTRIES = 24
"""A bucket has two entries or fewer on average. A bucket with more entries than this was crafted, and is not read."""

MAX_SALTS = 1_000
"""The number of salts that the writer tries."""

_BUCKETS_AT_ONCE = 16_384
_SEED = struct.Struct("<QQQ")
_BOUNDS = struct.Struct("<QQ")
_SIZES = struct.Struct("<II")
_CHECKSUM = struct.Struct("<I")

_CHECKSUM_SIZE, _SIZES_SIZE = _CHECKSUM.size, _SIZES.size
_number, _bounds, _sizes = int.from_bytes, _BOUNDS.unpack_from, _SIZES.unpack_from

Entry: TypeAlias = tuple[bytes, bytes]
Hasher: TypeAlias = Callable[[], blake2b]


def hasher_of(salt: int) -> Hasher:
    """Returns a hash function with a salt. Keys that were made to collide under one salt do not under another.

    PERF: each look-up copies a prepared state, which takes half the time of preparing a new one.
    """
    return blake2b(digest_size=8, salt=salt.to_bytes(8, "little")).copy


def bucket_of(key: bytes, hasher: Hasher, mask: int) -> int:
    """Returns the number of the bucket of `key`. `mask` is the number of buckets, a power of two, minus 1."""
    state = hasher()
    state.update(key)
    return _number(state.digest(), "little") & mask


def _buckets_of(keys: Iterable[bytes], hasher: Hasher, mask: int) -> "array[int]":
    """Returns `bucket_of` each key. PERF: a call for each of a million keys would add a third to the time."""
    found = array("Q")
    for key in keys:
        state = hasher()
        state.update(key)
        found.append(_number(state.digest(), "little") & mask)
    return found


def encode_table(entries: Iterable[Entry], progress: Callable[[int, int], None] = lambda *_: None) -> Iterator[bytes]:
    """Yields the bytes of a section with `entries` (distinct keys, any order), piece by piece.

    It calls `progress` with the number of finished buckets and of all buckets. Raises ValueError for a repeated key.
    """
    ordered = sorted(entries)
    count, buckets = len(ordered), 1
    while buckets * 2 < count:
        buckets *= 2
    salt, chosen = _choose_salt([key for key, _ in ordered], buckets)
    bodies = [b""] * buckets
    while ordered:  # PERF: from the end, so that a million grants are not in memory twice
        key, value = ordered.pop()
        bucket = chosen.pop()
        bodies[bucket] = _SIZES.pack(len(key), len(value)) + key + value + bodies[bucket]
    yield encode_offsets((salt, buckets, count), (_CHECKSUM.size + len(body) for body in bodies))
    for start in range(0, buckets, _BUCKETS_AT_ONCE):
        some = bodies[start : start + _BUCKETS_AT_ONCE]
        yield b"".join(_sealed(body, salt, buckets, number) for number, body in enumerate(some, start))
        progress(start + len(some), buckets)


def _choose_salt(keys: Sequence[bytes], buckets: int) -> "tuple[int, array[int]]":
    """Returns the first salt for which no bucket is too large, and the bucket of each key.

    `keys` are sorted. The first candidate is a hash of all keys. So the same keys give the same bytes. An author who
    does not know all keys can't prepare keys that collide.
    """
    if any(low == high for low, high in pairwise(keys)):
        raise ValueError("a table has the same key twice")
    seed = blake2b(digest_size=8)
    for key in keys:
        seed.update(len(key).to_bytes(8, "little") + key)
    first = int.from_bytes(seed.digest(), "little")
    for attempt in range(MAX_SALTS):
        salt = (first + attempt) % 2**64
        chosen = _buckets_of(keys, hasher_of(salt), buckets - 1)
        sizes = [0] * buckets
        for bucket in chosen:
            sizes[bucket] += 1
        if max(sizes) <= MAX_BUCKET_ENTRIES:
            return salt, chosen
    raise ValueError(f"none of {MAX_SALTS} salts spreads the keys")


def _checksum(body: bytes, salt: int, buckets: int, number: int) -> int:
    return zlib.crc32(body, zlib.crc32(_SEED.pack(salt, buckets, number)))


def _sealed(body: bytes, salt: int, buckets: int, number: int) -> bytes:
    return _CHECKSUM.pack(_checksum(body, salt, buckets, number)) + body


class BucketTable:
    """A bucket table in a mapped file. Thread-safe: it remembers only which buckets it has checked."""

    __slots__ = (
        *("_checked", "_data", "_first_offset", "_hasher", "_mask", "_name", "_offsets", "_section_start"),
        *("entries", "salt"),
    )

    def __init__(self, data: mmap, name: str, extent: Extent):
        """Raises BundleError if the section can't be a bucket table."""
        self._data, self._name = data, name
        self._offsets = Offsets(data, name, extent, leading=3, count_at=1)
        self.salt, buckets, self.entries = self._offsets.leading
        if buckets & (buckets - 1) or not buckets:
            raise BundleError(f"the bundle is damaged: section `{name}` claims {buckets} buckets")
        self._hasher, self._mask = hasher_of(self.salt), buckets - 1
        self._section_start, self._first_offset = extent.offset, self._offsets.start
        self._checked = bytearray(buckets)

    def __len__(self) -> int:
        """Returns the number of entries that the section claims. `items` compares it with the actual number."""
        return self.entries

    def get(self, key: bytes) -> bytes | None:
        """Returns the value of `key`, or None if the table doesn't have it. Raises BundleError for a damaged bucket."""
        data = self._data
        state = self._hasher()
        state.update(key)
        bucket = _number(state.digest(), "little") & self._mask
        if not self._checked[bucket]:
            self._check(bucket)
        low, high = _bounds(data, self._first_offset + 8 * bucket)
        section_start = self._section_start
        place, high, size = section_start + low + _CHECKSUM_SIZE, section_start + high, len(key)
        while place < high:
            key_size, value_size = _sizes(data, place)
            start = place + _SIZES_SIZE
            place = start + key_size + value_size
            if key_size == size and data[start : start + size] == key:
                return data[start + size : place]
        return None

    def items(self) -> Iterator[Entry]:
        """Yields every entry, in the table's order.

        Raises BundleError for a damaged bucket, for an entry that `get` would not find, and for a wrong number of
        entries.
        """
        found = 0
        for bucket in range(self._mask + 1):
            for key, value in self._check(bucket):
                if bucket_of(key, self._hasher, self._mask) != bucket:
                    raise BundleError(f"the bundle is damaged: a key of `{self._name}` is in the wrong bucket")
                found += 1
                yield key, value
        if found != self.entries:
            raise BundleError(f"the bundle is damaged: `{self._name}` claims {self.entries} entries and has {found}")

    def records(self) -> Iterator[bytes]:
        """Yields the value of every entry; see `items`."""
        return (value for _, value in self.items())

    def _check(self, bucket: int) -> list[Entry]:
        """Returns the entries of a bucket, after checking it. From then on, `get` reads the bucket without a check.

        The checksum alone is not enough, because the author of a file can write a right one. So the entries must also
        be in order and fill the bucket exactly. Raises BundleError.
        """
        start, end = self._offsets.bounds(bucket, least=_CHECKSUM.size)
        (checksum,) = _CHECKSUM.unpack_from(self._data, start)
        body = self._data[start + _CHECKSUM.size : end]
        if _checksum(body, self.salt, self._mask + 1, bucket) != checksum:
            raise BundleError(
                f"the bundle is damaged: the checksum of bucket {bucket} of `{self._name}` does not match"
            )
        entries = _split(body)
        if entries is None:
            raise BundleError(f"the bundle is damaged: bucket {bucket} of `{self._name}` has no sorted entries")
        self._checked[bucket] = 1
        return entries


def _split(body: bytes) -> list[Entry] | None:
    """Returns the entries of a bucket's body, or None if they don't fill it, are out of order or are too many."""
    entries: list[Entry] = []
    place = 0
    while place < len(body):
        if place + _SIZES.size > len(body) or len(entries) == MAX_BUCKET_ENTRIES:
            return None
        key_size, value_size = _SIZES.unpack_from(body, place)
        middle = place + _SIZES.size + key_size
        key, place = body[place + _SIZES.size : middle], middle + value_size
        if place > len(body) or (entries and key <= entries[-1][0]):
            return None
        entries.append((key, body[middle:place]))
    return entries
