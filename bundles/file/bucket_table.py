"""Bucket tables: facts by exact key, looked up in place, each bucket checked on first touch.

    section  salt, buckets, entries, then a directory of offsets (one for each bucket, one for the end), then buckets
    bucket   CRC-32, then entries in the order of their keys: key size, value size, key, value

A bucket's checksum is seeded with the salt, the number of buckets and its own number, so it also tells that the
bucket is the one that was looked for.

The hash only chooses the bucket; the key inside is compared whole, since a crafted collision must not grant. An empty
bucket has a checksum too, so a damaged directory can't make a fact disappear.
"""

import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from itertools import pairwise
from mmap import mmap
from typing import TypeAlias

from ..errors import BundleError
from .bucket_directory import Directory, write_directory
from .format import Section
from .section_writer import SectionWriter

MAX_BUCKET_ENTRIES = 24
"""With at most two entries a bucket on average, a larger bucket than this is a chosen collision; none is read."""

MAX_SALTS = 1_000
_WRITTEN_TOGETHER = 16_384
_SEED = struct.Struct("<QQQ")
_BOUNDS = struct.Struct("<QQ")
_SIZES = struct.Struct("<II")
_CHECKSUM = struct.Struct("<I")

_CHECKSUM_SIZE, _SIZES_SIZE = _CHECKSUM.size, _SIZES.size
_number, _bounds, _sizes = int.from_bytes, _BOUNDS.unpack_from, _SIZES.unpack_from

Entry: TypeAlias = tuple[bytes, bytes]
Hasher: TypeAlias = Callable[[], blake2b]


def hasher_of(salt: int) -> Hasher:
    """A keyed hash, so that keys made to collide under one salt do not collide under another.

    PERF: a prepared state is copied and fed; preparing it anew costs twice as much.
    """
    return blake2b(digest_size=8, salt=salt.to_bytes(8, "little")).copy


def bucket_of(key: bytes, hasher: Hasher, mask: int) -> int:
    """The bucket of `key`."""
    state = hasher()
    state.update(key)
    return _number(state.digest(), "little") & mask


def write_table(
    out: SectionWriter, entries: Sequence[Entry], tick: Callable[[int, int], None] = lambda *_: None
) -> None:
    """Write `entries` (distinct keys, any order) as the section that is open.

    `tick` hears of how many buckets are written, and of how many there are. Raises ValueError for a key given twice.
    """
    buckets = 1
    while buckets * 2 < len(entries):
        buckets *= 2
    ordered = sorted(entries)
    salt, homes = _choose_salt([key for key, _ in ordered], buckets)
    bodies = [b""] * buckets
    for (key, value), home in zip(ordered, homes, strict=True):
        bodies[home] += _SIZES.pack(len(key), len(value)) + key + value
    write_directory(out, (salt, buckets, len(ordered)), (_CHECKSUM.size + len(body) for body in bodies))
    for start in range(0, buckets, _WRITTEN_TOGETHER):
        some = bodies[start : start + _WRITTEN_TOGETHER]
        out.write(b"".join(_sealed(body, salt, buckets, number) for number, body in enumerate(some, start)))
        tick(start + len(some), buckets)


def _choose_salt(keys: Sequence[bytes], buckets: int) -> tuple[int, list[int]]:
    """The first salt whose largest bucket is small enough, and the bucket of every key under it; `keys` are sorted.

    Salts are drawn from a hash of all keys: the same keys give the same bytes, and who knows only some of them can't
    prepare others that collide.
    """
    if any(low == high for low, high in pairwise(keys)):
        raise ValueError("a key stands twice in a table")
    seed = blake2b(digest_size=8)
    for key in keys:
        seed.update(len(key).to_bytes(8, "little") + key)
    first = int.from_bytes(seed.digest(), "little")
    for attempt in range(MAX_SALTS):
        salt = (first + attempt) % 2**64
        hasher = hasher_of(salt)
        homes = [bucket_of(key, hasher, buckets - 1) for key in keys]
        sizes = [0] * buckets
        for home in homes:
            sizes[home] += 1
        if max(sizes) <= MAX_BUCKET_ENTRIES:
            return salt, homes
    raise ValueError(f"none of {MAX_SALTS} salts spreads the keys")


def _checksum(body: bytes, salt: int, buckets: int, number: int) -> int:
    return zlib.crc32(body, zlib.crc32(_SEED.pack(salt, buckets, number)))


def _sealed(body: bytes, salt: int, buckets: int, number: int) -> bytes:
    return _CHECKSUM.pack(_checksum(body, salt, buckets, number)) + body


class BucketTable:
    """A table in a mapped file. Thread-safe: what is remembered is only that a bucket was checked."""

    __slots__ = ("_base", "_checked", "_data", "_directory", "_hasher", "_mask", "_name", "_offsets", "entries", "salt")

    def __init__(self, data: mmap, name: str, section: Section):
        """Raises BundleError where the section can't be a table."""
        self._data, self._name = data, name
        self._directory = Directory(data, name, section, leading=3, count_at=1)
        self.salt, buckets, self.entries = self._directory.leading
        if buckets & (buckets - 1) or not buckets:
            raise BundleError(f"the bundle is damaged: section `{name}` claims {buckets} buckets")
        self._hasher, self._mask = hasher_of(self.salt), buckets - 1
        self._base, self._offsets = section.offset, self._directory.offsets
        self._checked = bytearray(buckets)

    def get(self, key: bytes) -> bytes | None:
        """The value of `key`, None where there is none. Raises BundleError for a damaged bucket."""
        data = self._data
        state = self._hasher()
        state.update(key)
        bucket = _number(state.digest(), "little") & self._mask
        if not self._checked[bucket]:
            self._check(bucket)
        low, high = _bounds(data, self._offsets + 8 * bucket)
        place, high, size = self._base + low + _CHECKSUM_SIZE, self._base + high, len(key)
        while place < high:
            key_size, value_size = _sizes(data, place)
            start = place + _SIZES_SIZE
            place = start + key_size + value_size
            if key_size == size and data[start : start + size] == key:
                return data[start + size : place]
        return None

    def items(self) -> Iterator[Entry]:
        """Every entry, in the table's order.

        Raises BundleError for a damaged bucket, and where the table has entries that `get` does not find, or claims a
        number of entries that it does not have.
        """
        found = 0
        for bucket in range(self._mask + 1):
            for key, value in self._check(bucket):
                if bucket_of(key, self._hasher, self._mask) != bucket:
                    raise BundleError(f"the bundle is damaged: a key of `{self._name}` lies in a wrong bucket")
                found += 1
                yield key, value
        if found != self.entries:
            raise BundleError(f"the bundle is damaged: `{self._name}` claims {self.entries} entries and has {found}")

    def _check(self, bucket: int) -> list[Entry]:
        """The entries of a bucket, which `get` may walk from now on: its checksum is right, and they fill it exactly.

        A checksum says only that nobody changed a bucket by chance.
        """
        start, end = self._directory.bounds(bucket, least=_CHECKSUM.size)
        (checksum,) = _CHECKSUM.unpack_from(self._data, start)
        body = self._data[start + _CHECKSUM.size : end]
        if _checksum(body, self.salt, self._mask + 1, bucket) != checksum:
            raise BundleError(
                f"the bundle is damaged: the checksum of bucket {bucket} of `{self._name}` does not match"
            )
        entries = _split(body)
        if entries is None:
            raise BundleError(f"the bundle is damaged: bucket {bucket} of `{self._name}` holds no sorted entries")
        self._checked[bucket] = 1
        return entries


def _split(body: bytes) -> list[Entry] | None:
    """The entries of a bucket's body, None where they do not fill it, stand in no order or are too many."""
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
